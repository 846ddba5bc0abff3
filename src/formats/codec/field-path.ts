/** Places in a request as paths of its message, e.g. `request.lists[0].list_size`. */

import { type DescField, type DescMessage, type DescMethod, getOption } from '@bufbuild/protobuf';
import { http } from '../../../gen/es/google/api/annotations_pb.js';
import { jsonNameOf, shapeOf } from './field-plan.ts';

/**
 * Returns the path of a violation. Keys of maps and properties of free-form JSON are `["key"]`.
 *
 * @param pointer RFC 6901 pointer into the body of the HTTP request, or `query:NAME` or `path:NAME`.
 */
export function fieldPathOf(method: DescMethod, pointer: string): string {
  const parameter = /^(?:path|query):(.*)$/.exec(pointer)?.[1];
  if (parameter !== undefined) return pathIn(method.input, '', parameter.split('.'));
  const { body } = getOption(method, http);
  const field = method.input.fields.find(({ name }) => name === body);
  const steps = pointer.split('/').slice(1);
  const names = steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  return pathIn(field?.message ?? method.input, field?.name ?? '', names);
}

function pathIn(start: DescMessage, prefix: string, steps: readonly string[]): string {
  let path = prefix;
  let message: DescMessage | undefined = start;
  let isInContainer = false;
  for (const step of steps) {
    const key = /^\d+$/.test(step) ? `[${step}]` : `[${JSON.stringify(step)}]`;
    const field: DescField | undefined = isInContainer ? undefined : fieldOf(message, step);
    if (field === undefined) {
      path += key;
      isInContainer = false;
      continue;
    }
    path += path === '' ? field.name : `.${field.name}`;
    const { rest, bare } = shapeOf(field);
    if (rest || (bare && jsonNameOf(field) !== step)) path += key;
    else isInContainer = field.fieldKind === 'list' || field.fieldKind === 'map';
    message = rest ? undefined : field.message;
  }
  return path;
}

/** Returns the field of a property, else the one that holds undeclared properties or elements. */
function fieldOf(message: DescMessage | undefined, step: string): DescField | undefined {
  const holds = /^\d+$/.test(step) ? 'bare' : 'rest';
  return (
    message?.fields.find((field) => jsonNameOf(field) === step) ??
    message?.fields.find((field) => shapeOf(field)[holds])
  );
}
