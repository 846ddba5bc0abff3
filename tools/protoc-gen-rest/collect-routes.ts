/** Reads the routes of all rpcs, and refuses what could not work. */

import { type DescMessage, type DescMethod, type DescService, getOption } from '@bufbuild/protobuf';
import { http as httpOption } from '../../gen/es/google/api/annotations_pb.js';
import {
  type Operation,
  operation as operationOption,
} from '../../gen/es/personalisation/rest/v1/options_pb.js';
import type { Route } from '../../gen/rest/routes.ts';
import { fieldNamed, findDuplicates, findRouteFaults } from '../../src/servers/gateway/route-faults.ts';

/** Body limit of an operation that names none, 1 MiB. */
const defaultMaxBodyBytes = 1_048_576;

/** The routes in the order of files and rpcs. Throws with everything that is wrong, naming file and rpc. */
export function collectRoutes(services: readonly DescService[]): Route[] {
  const routes: Route[] = [];
  const faults: string[] = [];
  const places = new Map<string, string>();
  for (const method of services.flatMap((service) => service.methods)) {
    const place = `${method.parent.file.name}.proto: ${method.parent.name}.${method.name}`;
    const route = routeOf(method);
    places.set(nameOf(method), place);
    if (route !== undefined) routes.push(route);
    const found = [
      ...operationFaults(method),
      ...(route === undefined ? [] : findRouteFaults(route, method)),
    ];
    faults.push(...found.map((fault) => `${place}: ${fault}`));
  }
  for (const [first, second] of findDuplicates(routes))
    faults.push(
      `${places.get(second.operation)}: ${second.httpMethod} ${second.path} is the route of ${places.get(first.operation)}`,
    );
  if (faults.length > 0) throw new Error(faults.join('\n'));
  return routes;
}

/** `personalisation.v1.ItemService/PutItem`. */
function nameOf(method: DescMethod): string {
  return `${method.parent.typeName}/${method.name}`;
}

function routeOf(method: DescMethod): Route | undefined {
  const { pattern, body } = getOption(method, httpOption);
  if (pattern.case === undefined) return undefined;
  if (pattern.case === 'custom') throw new Error(`${nameOf(method)}: custom HTTP methods are not supported`);
  const options: Operation = getOption(method, operationOption);
  return {
    httpMethod: pattern.case.toUpperCase() as Route['httpMethod'],
    path: pattern.value,
    operation: nameOf(method),
    body,
    responseField: options.responseField,
    scope: options.scope,
    writeKey: options.writeKey,
    form: options.form,
    bodyOptional: options.bodyOptional,
    partialField: options.partialField,
    maxBodyBytes: options.maxBodyBytes || defaultMaxBodyBytes,
  };
}

function isRouted(method: DescMethod): boolean {
  return getOption(method, httpOption).pattern.case !== undefined;
}

function operationFaults(method: DescMethod): string[] {
  const { outcomes, partialField, etagField, ifMatchField, formatField, summary } = getOption(
    method,
    operationOption,
  );
  const statuses = outcomes.map((outcome) => outcome.status);
  const faults = statuses
    .filter((status, index) => statuses.indexOf(status) !== index)
    .map((status) => `it documents status ${status} twice`);
  const reasons = outcomes.flatMap((outcome) => outcome.when);
  if (isRouted(method) && summary === '') faults.push('it has no summary');
  if (new Set(reasons).size < reasons.length) faults.push('it documents two statuses for one reason');
  if (partialField !== '' && !fieldNamed(method.input, partialField))
    faults.push(`its partial_field ${partialField} is no field of ${method.input.name}`);
  if (ifMatchField !== '' && !fieldNamed(method.input, ifMatchField))
    faults.push(`its if_match_field ${ifMatchField} is no field of ${method.input.name}`);
  if (formatField !== '' && !fieldNamed(method.input, formatField))
    faults.push(`its format_field ${formatField} is no field of ${method.input.name}`);
  if (etagField !== '' && !hasPath(method.output, etagField.split('.')))
    faults.push(`its etag_field ${etagField} is no field of ${method.output.name}`);
  return faults;
}

/** Whether a message has a field that has a field, and so on. */
function hasPath(message: DescMessage | undefined, [name, ...rest]: string[]): boolean {
  const field = message && fieldNamed(message, name);
  return field !== undefined && (rest.length === 0 || hasPath(field.message, rest));
}
