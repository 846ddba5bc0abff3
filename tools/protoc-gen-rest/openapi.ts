/** The OpenAPI 3.1 document of the documented paths. Paths are relative to the base path. */

import {
  type DescField,
  type DescMethod,
  type DescService,
  getOption,
  type JsonObject,
  type JsonValue,
} from '@bufbuild/protobuf';
import { operation as operationOption } from '../../gen/es/personalisation/rest/v1/options_pb.js';
import type { Route } from '../../gen/rest/routes.ts';
import { planOf } from '../../src/formats/codec/plan.ts';
import { extensionsOf } from '../../src/servers/gateway/binding.ts';
import { createEndpoints, type Endpoint } from '../../src/servers/gateway/endpoint.ts';
import { describe } from './comments.ts';
import { type Components, fieldSchema, objectSchema, propertySchema, referTo } from './json-schema.ts';
import { groups, introduction, problemSchema, securitySchemes } from './openapi-parts.ts';

/** A recorded request of an operation and its answer. */
export type Example = {
  parameters: Record<string, JsonValue>;
  body?: JsonValue;
  status: number;
  answer: JsonValue;
};

/** By name of the rpc. */
export type Examples = Readonly<Record<string, Example>>;

/** The document, in the order of the protos. */
export function describeInterface(
  services: readonly DescService[],
  routes: readonly Route[],
  examples: Examples,
): JsonObject {
  const asked: Components = {
    schemas: new Map([['Problem', problemSchema]]),
    uses: new Map(),
    use: 'request',
  };
  const answered: Components = { ...asked, use: 'answer' };
  const methods = new Map(
    services
      .flatMap((service) => service.methods)
      .map((method) => [`${method.parent.typeName}/${method.name}`, method]),
  );
  const endpoints = createEndpoints(routes, (operation) => methods.get(operation));
  const requests = endpoints.map((endpoint) =>
    describeRequest(endpoint, asked, examples[endpoint.method.name]),
  );
  const paths: Record<string, JsonObject> = {};
  for (const [index, endpoint] of endpoints.entries()) {
    const { path, httpMethod } = endpoint.route;
    paths[path] ??= {};
    paths[path][httpMethod.toLowerCase()] = {
      ...requests[index],
      responses: describeAnswers(endpoint, answered, examples[endpoint.method.name]),
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Personalisation',
      version: 'v1',
      contact: { name: 'The operator of this service' },
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
      description: introduction,
    },
    servers: [
      {
        url: '{origin}/api',
        description: 'The service. The document of a service names its own address.',
        variables: { origin: { default: 'http://localhost:8080' } },
      },
    ],
    tags: describeGroups(endpoints),
    paths,
    components: {
      schemas: Object.fromEntries([...asked.schemas].sort(([a], [b]) => (a < b ? -1 : 1))),
      securitySchemes: securitySchemes(
        new Set(routes.map((route) => route.scope).filter((scope) => scope && scope !== 'any')),
      ),
    },
  };
}

function describeGroups(endpoints: readonly Endpoint[]): JsonObject[] {
  const services = [...new Set(endpoints.map(({ method }) => method.parent))];
  const order = [...groups.keys()];
  const place = ({ name }: DescService) => (groups.has(name) ? order.indexOf(name) : order.length);
  const described = services
    .sort((first, second) => place(first) - place(second))
    .map((service) => [tagOf(service), describe(service)] as const);
  /** A group of several services is what the first of them says. */
  const byTag = new Map(described.toReversed());
  return [...new Set(described.map(([tag]) => tag))].map((name) => ({ name, description: byTag.get(name)! }));
}

function describeRequest(
  endpoint: Endpoint,
  components: Components,
  example: Example | undefined,
): JsonObject {
  const { route, method } = endpoint;
  const parameters: JsonObject[] = [
    ...endpoint.path.properties.map((field) => ({
      name: field.name,
      in: 'path',
      required: true,
      ...describeParameter(method.input.field[field.local], fieldSchema(field, components)),
      ...exampleOf(example?.parameters[field.name]),
    })),
    ...endpoint.query.properties.map((field) => ({
      name: field.name,
      in: 'query',
      required: field.required,
      ...(field.kind === 'message' && { style: 'deepObject', explode: true }),
      ...describeParameter(method.input.field[field.local], fieldSchema(field, components)),
      ...exampleOf(example?.parameters[field.name]),
    })),
  ];
  const { ifMatchField, etagField, summary, extensions } = getOption(method, operationOption);
  if (ifMatchField !== '') parameters.push(ifMatchHeader, absentHeader);
  if (isConditional(route, etagField)) parameters.push(knownHeader);
  if (extensions === true) parameters.push(preferHeader);
  return {
    operationId: method.localName,
    tags: [tagOf(method.parent)],
    summary,
    description: describe(method),
    ...(parameters.length > 0 && { parameters }),
    ...(route.body !== '' && { requestBody: describeBody(endpoint, components, example?.body) }),
    security: describeSecurity(route),
  };
}

function describeParameter(field: DescField, schema: JsonObject): JsonObject {
  return { description: describe(field), schema };
}

function exampleOf(value: JsonValue | undefined): JsonObject {
  return value === undefined ? {} : { example: value };
}

function describeBody(
  { route, body, bodyField }: Endpoint,
  components: Components,
  example: JsonValue | undefined,
): JsonObject {
  const schema = bodyField
    ? referTo(bodyField.message!.desc, components)
    : route.form
      ? referTo(body.desc, components)
      : objectSchema(body, components);
  return {
    required: !route.bodyOptional,
    description: `At most ${route.maxBodyBytes} bytes.`,
    content: {
      'application/json': { schema, ...exampleOf(example) },
      ...(route.httpMethod === 'PATCH' && { 'application/merge-patch+json': { schema } }),
      ...(route.form && { 'application/x-www-form-urlencoded': { schema } }),
    },
  };
}

function describeAnswers(
  { route, method, responseField }: Endpoint,
  components: Components,
  example: Example | undefined,
): JsonObject {
  const answerOf = (status: number) => exampleOf(example?.status === status ? example.answer : undefined);
  const { outcomes, etagField, extensions } = getOption(method, operationOption);
  const headers = { ...(etagField !== '' && { etag: etagHeader }), ...(extensions && preferenceHeaders) };
  const [success, ...failures] = outcomes;
  const output = planOfOutput(method, responseField, components);
  return {
    [success.status]: {
      description: success.description,
      ...(Object.keys(headers).length > 0 && { headers }),
      content: answerContent(method, { schema: output, ...answerOf(success.status) }),
    },
    ...(isConditional(route, etagField) && { 304: unchanged }),
    ...Object.fromEntries(
      failures.map(({ status, description }) => {
        const content = { ...problemContent, ...answerOf(status) };
        return [status, { description, content: { 'application/problem+json': content } }];
      }),
    ),
    default: {
      description: 'Any other error.',
      content: { 'application/problem+json': problemContent },
    },
  };
}

function answerContent(method: DescMethod, content: JsonObject): JsonObject {
  if (method.methodKind === 'unary') return { 'application/json': content };
  const { formatField, contentTypes } = getOption(method, operationOption);
  if (contentTypes.length > 0)
    return Object.fromEntries(contentTypes.map((type) => [type, { schema: { type: 'string' } }]));
  return {
    'application/x-ndjson': content,
    ...(formatField !== '' && { 'text/csv': { schema: { type: 'string', description: 'A table.' } } }),
  };
}

const preferHeader = {
  name: 'Prefer',
  in: 'header',
  required: false,
  description:
    '`extensions`: the answer has that property too, and says so in `Preference-Applied`. Explanations are in it for tokens with the scope `explanations`.',
  schema: { type: 'string', enum: ['extensions'] },
};

const preferenceHeaders = {
  'preference-applied': {
    description: '`extensions` where the request prefers it.',
    schema: { type: 'string' },
  },
  vary: { description: 'Names `prefer`.', schema: { type: 'string' } },
};

const linesSchema: JsonObject = { type: 'string', description: 'JSON objects, one a line.' };

const ifMatchHeader = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description: 'ETag of the version that the caller believes current; at another one nothing is written.',
  schema: { type: 'string' },
};

const absentHeader = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: '`*`: written only where nothing is there yet.',
  schema: { type: 'string' },
};

const knownHeader = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description:
    'ETags of the versions that the caller has, or `*`; with one of them current the answer is 304.',
  schema: { type: 'string' },
};

const unchanged: JsonObject = { description: 'The caller has the current version; there is no body.' };

/** Whether a caller may ask for a resource only if it has changed. */
function isConditional({ httpMethod }: Route, etagField: string): boolean {
  return httpMethod === 'GET' && etagField !== '';
}

const etagHeader: JsonObject = { description: 'The version, e.g. `"3"`.', schema: { type: 'string' } };

const problemContent: JsonObject = { schema: { $ref: '#/components/schemas/Problem' } };

function planOfOutput(
  method: DescMethod,
  field: Endpoint['responseField'],
  components: Components,
): JsonObject {
  if (method.methodKind !== 'unary') return linesSchema;
  if (getOption(method, operationOption).extensions) return extendedSchema(method, field, components);
  return field === undefined ? referTo(method.output, components) : fieldSchema(field, components);
}

/** The answer and what it may hold besides, in one schema, since that of the answer alone takes no further properties. */
function extendedSchema(
  method: DescMethod,
  field: Endpoint['responseField'],
  components: Components,
): JsonObject {
  const output = planOf(method.output);
  const answer = objectSchema(field?.message ?? output, components);
  const properties = extensionsOf(output.fields, field).map(
    (one) => [one.name, propertySchema(one, output, components)] as const,
  );
  const extensions: JsonObject = {
    type: 'object',
    description: 'Only where the request prefers it.',
    properties: Object.fromEntries(properties),
    additionalProperties: false,
  };
  return { ...answer, properties: { ...(answer.properties as JsonObject), extensions } };
}

function describeSecurity(route: Route): JsonObject[] {
  if (route.scope === '') return [];
  if (route.scope === 'any') return [{ token: [] }];
  const others: JsonObject[] = route.writeKey
    ? [{ access_token: [] }, { write_key: [] }]
    : [{ access_token: [] }];
  return [{ token: [`${route.scope}:*`] }, ...others];
}

function tagOf(service: DescService): string {
  return groups.get(service.name) ?? service.name.replace(/Service$/, '');
}
