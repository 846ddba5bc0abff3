/** Dimensions of public requests: each field that an HTTP caller can set, read from the contract. */

import type { DescField, DescMessage } from '@bufbuild/protobuf';
import { services } from '../../../gen/rest/services.ts';
import { jsonNameOf, shapeOf } from '../../../src/formats/codec/field-plan.ts';

export type Dimension = {
  /** Names of JSON properties joined by dots, e.g. `lists.list_content.rank`. */
  path: string;
  field: DescField;
};

/** Excludes fields with a scope, and the environment, which is part of the path. */
export function dimensionsOf(operation: string): Dimension[] {
  const method = services
    .flatMap(({ methods }) => methods)
    .find((one) => `${one.parent.name}/${one.name}` === operation)!;
  return within(method.input, '').filter(({ path }) => path !== 'environment');
}

function within(message: DescMessage, prefix: string): Dimension[] {
  return message.fields.flatMap((field) => {
    const { grpcOnly, scope, bare } = shapeOf(field);
    if (grpcOnly || scope !== '') return [];
    const isBody = prefix === '' && ['request', 'batch', 'control'].includes(field.name);
    const path = isBody
      ? ''
      : [prefix, bare ? 'entries' : jsonNameOf(field)].filter((name) => name !== '').join('.');
    const isOwn = field.message && !field.message.typeName.startsWith('google.protobuf.');
    const inner = isOwn ? within(field.message!, path) : [];
    return isBody ? inner : [{ path, field }, ...inner];
  });
}
