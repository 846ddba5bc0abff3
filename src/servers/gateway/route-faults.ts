/** Checks routes against their rpcs: when they are generated, and when the gateway starts. */

import { type DescField, type DescMessage, type DescMethod, ScalarType } from '@bufbuild/protobuf';
import type { Route } from '../../../gen/rest/routes.ts';
import { jsonNameOf, kindOf, shapeOf } from '../../formats/codec/field-plan.ts';

const template = /^(?:\/(?:[\w.-]+|\{\w+\}))+$/;

/** Returns the parameters of a path template, in order. */
export function parametersOf(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
}

/** Returns the faults of a route, a phrase each. */
export function findRouteFaults(route: Route, method: DescMethod): string[] {
  return [
    ...(template.test(route.path) ? [] : [`its path ${route.path} has more than literals and {fields}`]),
    ...pathFaults(route, method.input),
    ...bodyFaults(route, method.input),
    ...(route.responseField === '' || fieldNamed(method.output, route.responseField)
      ? []
      : [`its response_field ${route.responseField} is no field of ${method.output.name}`]),
    ...streamFaults(route, method),
  ];
}

/** The answers of a stream are lines, which a field holds. */
function streamFaults({ responseField }: Route, method: DescMethod): string[] {
  if (method.methodKind === 'unary') return [];
  if (method.methodKind !== 'server_streaming') return ['its caller streams, which its path cannot'];
  const field = fieldNamed(method.output, responseField);
  const holdsLines = field?.fieldKind === 'list' && field.scalar === ScalarType.STRING;
  return holdsLines ? [] : ['it streams, and its response_field is no list of strings'];
}

/** Returns the pairs of routes that match the same requests; names of parameters make no difference. */
export function findDuplicates(routes: readonly Route[]): [Route, Route][] {
  const byShape = new Map<string, Route>();
  const duplicates: [Route, Route][] = [];
  for (const route of routes) {
    const shape = `${route.httpMethod} ${route.path.replaceAll(/\{\w+\}/g, '{}')}`;
    const other = byShape.get(shape);
    if (other === undefined) byShape.set(shape, route);
    else duplicates.push([other, route]);
  }
  return duplicates;
}

export function fieldNamed(desc: DescMessage, name: string): DescField | undefined {
  return desc.fields.find((field) => jsonNameOf(field) === name);
}

function pathFaults(route: Route, input: DescMessage): string[] {
  const names = parametersOf(route.path);
  const faults = names
    .filter((name, index) => names.indexOf(name) !== index)
    .map((name) => `its path names ${name} twice`);
  for (const name of names) {
    const field = fieldNamed(input, name);
    if (field === undefined) faults.push(`its path names ${name}, which is no field of ${input.name}`);
    else if (field.fieldKind !== 'scalar' || shapeOf(field).grpcOnly)
      faults.push(`its path names ${name}, which is no scalar that JSON callers may set`);
  }
  return faults;
}

function bodyFaults(route: Route, input: DescMessage): string[] {
  if (route.body === '' || route.body === '*') return [];
  const field = fieldNamed(input, route.body);
  if (field === undefined) return [`its body ${route.body} is no field of ${input.name}`];
  if (field.fieldKind !== 'message' || kindOf(field) !== 'message')
    return [`its body ${route.body} is no message`];
  return parametersOf(route.path).includes(route.body) ? [`its body ${route.body} is in its path too`] : [];
}
