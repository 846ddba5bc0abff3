/** The OpenAPI 3.1 document of the documented paths. Paths are relative to the base path. */

import {
  type DescField,
  type DescMethod,
  type DescService,
  getOption,
  type JsonObject,
} from '@bufbuild/protobuf';
import { operation as operationOption } from '../../gen/es/personalisation/rest/v1/options_pb.js';
import type { Route } from '../../gen/rest/routes.ts';
import { createEndpoints, type Endpoint } from '../../src/rest/endpoint.ts';
import { describe } from './comments.ts';
import { type Components, fieldSchema, objectSchema, referTo } from './json-schema.ts';
import { problemSchema, securitySchemes } from './openapi-parts.ts';

/** The document, in the order of the protos. */
export function describeInterface(services: readonly DescService[], routes: readonly Route[]): JsonObject {
  const components: Components = { schemas: new Map([['Problem', problemSchema]]), answering: false };
  const methods = new Map(
    services
      .flatMap((service) => service.methods)
      .map((method) => [`${method.parent.typeName}/${method.name}`, method]),
  );
  const endpoints = createEndpoints(routes, (operation) => methods.get(operation));
  const requests = endpoints.map((endpoint) => describeRequest(endpoint, components));
  components.answering = true;
  const paths: Record<string, JsonObject> = {};
  for (const [index, endpoint] of endpoints.entries()) {
    const { path, httpMethod } = endpoint.route;
    paths[path] ??= {};
    paths[path][httpMethod.toLowerCase()] = {
      ...requests[index],
      responses: describeAnswers(endpoint, components),
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Personalisation',
      version: 'v1',
      description:
        'Recommendations, search, audiences, events and metrics. A property that is null counts as absent. Every error is an application/problem+json document.',
    },
    servers: [{ url: '/api', description: 'The default base path.' }],
    tags: services.map((service) => ({ name: tagOf(service), description: describe(service) })),
    paths,
    components: {
      schemas: Object.fromEntries([...components.schemas].sort(([a], [b]) => (a < b ? -1 : 1))),
      securitySchemes: securitySchemes(
        new Set(routes.map((route) => route.scope).filter((scope) => scope && scope !== 'any')),
      ),
    },
  };
}

function describeRequest(endpoint: Endpoint, components: Components): JsonObject {
  const { route, method } = endpoint;
  const parameters: JsonObject[] = [
    ...endpoint.path.properties.map((field) => ({
      name: field.name,
      in: 'path',
      required: true,
      ...describeParameter(method.input.field[field.local], fieldSchema(field, components)),
    })),
    ...endpoint.query.properties.map((field) => ({
      name: field.name,
      in: 'query',
      required: field.required,
      ...(field.kind === 'message' && { style: 'deepObject', explode: true }),
      ...describeParameter(method.input.field[field.local], fieldSchema(field, components)),
    })),
  ];
  const { ifMatchField } = getOption(method, operationOption);
  if (ifMatchField !== '') parameters.push(ifMatchHeader);
  return {
    operationId: method.localName,
    tags: [tagOf(method.parent)],
    description: describe(method),
    ...(parameters.length > 0 && { parameters }),
    ...(route.body !== '' && { requestBody: describeBody(endpoint, components) }),
    security: describeSecurity(route),
  };
}

function describeParameter(field: DescField, schema: JsonObject): JsonObject {
  return { description: describe(field), schema };
}

function describeBody({ route, body, bodyField }: Endpoint, components: Components): JsonObject {
  const schema = bodyField ? referTo(bodyField.message!.desc, components) : objectSchema(body, components);
  return {
    required: !route.bodyOptional,
    description: `At most ${route.maxBodyBytes} bytes.`,
    content: {
      'application/json': { schema },
      ...(route.form && { 'application/x-www-form-urlencoded': { schema } }),
    },
  };
}

function describeAnswers({ method, responseField }: Endpoint, components: Components): JsonObject {
  const { outcomes, etagField } = getOption(method, operationOption);
  const [success, ...failures] = outcomes;
  const output = planOfOutput(method, responseField, components);
  return {
    [success.status]: {
      description: success.description,
      ...(etagField !== '' && { headers: { etag: etagHeader } }),
      content: { 'application/json': { schema: output } },
    },
    ...Object.fromEntries(
      failures.map(({ status, description }) => [status, { description, content: problemContent }]),
    ),
    default: { description: 'Any other error.', content: problemContent },
  };
}

const ifMatchHeader = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description: 'ETag of the version that the caller believes current; at another one nothing is written.',
  schema: { type: 'string' },
};

const etagHeader: JsonObject = { description: 'The version, e.g. `"3"`.', schema: { type: 'string' } };

const problemContent: JsonObject = {
  'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
};

function planOfOutput(
  method: DescMethod,
  field: Endpoint['responseField'],
  components: Components,
): JsonObject {
  return field === undefined ? referTo(method.output, components) : fieldSchema(field, components);
}

function describeSecurity(route: Route): JsonObject[] {
  if (route.scope === '') return [];
  if (route.scope === 'any') return [{ token: [] }];
  return [{ token: [`${route.scope}:*`] }, ...(route.writeKey ? [{ write_key: [] }] : [])];
}

function tagOf(service: DescService): string {
  return service.name.replace(/Service$/, '');
}
