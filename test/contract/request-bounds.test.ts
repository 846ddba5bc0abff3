/** Every field of a public request has a limit: a new field without one fails here. */

import { type DescField, type DescMessage, getOption, ScalarType } from '@bufbuild/protobuf';
import test from 'ava';
import { operation as operationOption } from '../../gen/es/personalisation/rest/v1/options_pb.js';
import { services } from '../../gen/rest/services.ts';
import { shapeOf } from '../../src/formats/codec/field-plan.ts';
import { publicOperations } from './costs/public-operations.ts';

const methods = services.flatMap((service) => service.methods);

/** Numbers without a bound: starting positions, and limits on existing items. */
const unboundedNumbers: Record<string, string> = {
  'GetRecommendationListRequest.offset': 'a list has at most 1,000 items',
  'GetRecommendationListRequest.limit': 'a list has at most 1,000 items',
  'GetSearchListRequest.offset': 'a list has at most 1,000 items',
  'GetSearchListRequest.limit': 'a list has at most 1,000 items',
  'HistoryItem.timestamp': 'is compared only',
};

const integers: (ScalarType | undefined)[] = [ScalarType.INT32, ScalarType.INT64];

/** Returns the missing limit of a field. */
function lacksOf(field: DescField): string[] {
  const { maxLength, maxItems, maximum, oneOf } = shapeOf(field);
  const name = `${field.parent.name}.${field.name}`;
  const isStruct = field.message?.typeName === 'google.protobuf.Struct';
  const isMany = field.fieldKind === 'list' || field.fieldKind === 'map' || isStruct;
  const isText = field.scalar === ScalarType.STRING || field.fieldKind === 'map' || isStruct;
  const isNumber = integers.includes(field.scalar) && !(name in unboundedNumbers);
  return [
    isMany && maxItems <= 0 ? `${name}: max_items` : '',
    isText && maxLength <= 0 && oneOf.length === 0 ? `${name}: max_length` : '',
    isNumber && maximum === undefined ? `${name}: maximum` : '',
  ].filter((lack) => lack !== '');
}

/** The messages within a request; a recursive message has no maximum depth. */
function lacksWithin(message: DescMessage, above: readonly DescMessage[] = []): string[] {
  if (message.typeName.startsWith('google.protobuf.')) return [];
  if (above.includes(message)) return [`${message.name}: recursive, without a maximum depth`];
  return message.fields.flatMap((field) => [
    ...lacksOf(field),
    ...(field.message ? lacksWithin(field.message, [...above, message]) : []),
  ]);
}

for (const name of publicOperations)
  test(`${name}: each text, list, map and number of a request is bounded, and so is its depth`, (t) => {
    const method = methods.find((one) => `${one.parent.name}/${one.name}` === name)!;
    t.deepEqual([...new Set(lacksWithin(method.input))], []);
  });

test('the list of public operations is complete', (t) => {
  const open = methods.filter((method) => {
    const { scope, neverPublic, writeKey } = getOption(method, operationOption);
    return scope === '' || writeKey || (!neverPublic && ['recommendations', 'searches'].includes(scope));
  });
  t.deepEqual(
    open.map((method) => `${method.parent.name}/${method.name}`).sort(),
    [...publicOperations].sort(),
  );
});
