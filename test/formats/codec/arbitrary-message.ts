/** Valid messages of any type, by the type's own plan. */

import { create, type JsonValue, type Message } from '@bufbuild/protobuf';
import type { FieldPlan } from '../../../src/formats/codec/field-plan.ts';
import type { MessagePlan } from '../../../src/formats/codec/plan.ts';
import { valueFromJson } from '../../../src/formats/codec/values.ts';
import { anyText } from '../../support/any-text.ts';
import { fc } from '../../support/properties.ts';

const maxCount = 3;

/** A message within all limits that JSON can represent completely. */
export function arbitraryMessage(plan: MessagePlan): fc.Arbitrary<Message> {
  const fields = plan.fields.filter((field) => !field.grpcOnly && !field.outputOnly);
  const values = Object.fromEntries(fields.map((field) => [field.local, arbitraryField(field, plan)]));
  const oneofs = new Set(fields.map((field) => field.oneof).filter((name) => name !== undefined));
  return fc.record(values).chain((record) => {
    const plain = fields.filter((field) => field.oneof === undefined);
    const init = Object.fromEntries(
      plain.map((field) => [field.local, record[field.local]]).filter(([, value]) => value !== undefined),
    );
    const cases = [...oneofs].map((name) =>
      fc
        .constantFrom(...fields.filter((field) => field.oneof === name))
        .map((field) => [name, { case: field.local, value: record[field.local] }] as const),
    );
    return fc
      .tuple(...cases)
      .map((chosen) => Object.assign(create(plan.desc), init, Object.fromEntries(chosen)) as Message);
  });
}

/** JSON of any kind that has no Infinity in it. */
export const arbitraryJson = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<JsonValue>;

function arbitraryField(field: FieldPlan, plan: MessagePlan): fc.Arbitrary<unknown> {
  const element = arbitraryElement(field, plan);
  const minLength = field.required ? 1 : 0;
  if (field.container === 'list') return fc.array(element, { minLength, maxLength: maxCount });
  if (field.container === 'map') return fc.dictionary(arbitraryKey, element, { maxKeys: maxCount });
  return field.explicit && !field.required && field.oneof === undefined
    ? fc.option(element, { nil: undefined })
    : element;
}

function arbitraryElement(field: FieldPlan, plan: MessagePlan): fc.Arbitrary<unknown> {
  switch (field.kind) {
    case 'text':
      return arbitraryText(field);
    case 'int32':
      return arbitraryInteger(field);
    case 'int64':
      return arbitraryInteger(field).map(BigInt);
    case 'double':
      return fc
        .double({
          min: Math.max(field.minimum, -1e300),
          max: Math.min(field.maximum, 1e300),
          noNaN: true,
        })
        .map((value) => value + 0);
    case 'bool':
      return fc.boolean();
    case 'enum':
      return fc.constantFrom(...field.enumeration!.byNumber.keys());
    case 'timestamp':
      return fc
        .record({
          seconds: fc.bigInt({ min: -62_135_596_800n, max: 253_402_300_799n }),
          nanos: fc.integer({ min: 0, max: 999_999_999 }),
        })
        .map((timestamp) => ({ $typeName: 'google.protobuf.Timestamp', ...timestamp }));
    case 'struct':
      return fc.dictionary(
        arbitraryKey.filter((key) => !plan.byName.has(key)),
        arbitraryPlainJson,
        { minKeys: 1, maxKeys: maxCount },
      );
    case 'value':
      return arbitraryPlainJson.filter((json) => json !== null).map(valueFromJson);
    case 'message':
      return arbitraryMessage(field.message!);
  }
}

const arbitraryString = anyText(12).filter((text) => text.isWellFormed() && !text.includes('\0'));

/** Names that protobuf's own maps keep. */
const arbitraryKey = arbitraryString.filter((key) => key !== '__proto__');

const arbitraryPlainJson: fc.Arbitrary<JsonValue> = fc.letrec<{ json: JsonValue }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 3 },
    fc.constant(null),
    fc.boolean(),
    arbitraryString,
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
    fc.array(tie('json'), { maxLength: maxCount }),
    fc.dictionary(arbitraryKey, tie('json'), { maxKeys: maxCount }),
  ),
})).json;

function arbitraryText(field: FieldPlan): fc.Arbitrary<string> {
  if (field.alternatives !== undefined) return fc.constantFrom(...field.alternatives);
  if (field.path) return fc.constantFrom('a', 'a/b', 'a b/c');
  const isNeeded = field.required && !field.explicit;
  return arbitraryString.filter((text) => text !== '' || !isNeeded);
}

function arbitraryInteger(field: FieldPlan): fc.Arbitrary<number> {
  const bound = field.kind === 'int32' ? 2 ** 31 - 1 : Number.MAX_SAFE_INTEGER;
  return fc.maxSafeInteger().map((value) => {
    const [min, max] = [Math.max(field.minimum, -bound), Math.min(field.maximum, bound)];
    return Math.min(max, Math.max(min, value));
  });
}
