/** Protobuf messages written field by field, including some that no library would write. */

import { type DescField, type DescMessage, getOption, hasOption, ScalarType } from '@bufbuild/protobuf';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { field as fieldOption } from '../../gen/es/personalisation/rest/v1/options_pb.js';
import type { Chance } from './chance.ts';
import { numberOf, textOf } from './vocabulary.ts';

const deepest = 5;
/** Maximum length of lists in a message, because nested long lists would never end. */
const mostBytes = 100_000;

type Budget = { bytes: number };
const optionalShare = 0.4;

export function makeMessage(chance: Chance, schema: DescMessage, strangeness: number): Uint8Array {
  return makePart({ chance, strangeness, budget: { bytes: mostBytes } }, schema, 0);
}

type Making = { chance: Chance; strangeness: number; budget: Budget };

function makePart(making: Making, schema: DescMessage, depth: number): Uint8Array {
  const { chance, strangeness, budget } = making;
  const writer = new BinaryWriter();
  for (const field of schema.fields) {
    const { required } = optionsOf(field);
    const share = required ? 1 - strangeness / 3 : depth < deepest ? optionalShare : 0;
    if (!chance.happens(share)) continue;
    const count = field.fieldKind === 'list' || field.fieldKind === 'map' ? countOf(chance, strangeness) : 1;
    for (let i = 0; i < count && budget.bytes > 0; i++) writeField({ ...making, writer, field, depth });
  }
  if (chance.happens(strangeness / 5)) writer.tag(15_999, WireType.Varint).int32(1);
  return writer.finish();
}

type Place = Making & { writer: BinaryWriter; field: DescField; depth: number };

function writeField(place: Place): void {
  const { chance, writer, field, strangeness, depth } = place;
  if (chance.happens(strangeness / 10)) {
    /** Writes the field with a wrong type. */
    writer.tag(field.number, WireType.Bit32).fixed32(0xffffffff);
    return;
  }
  if (field.fieldKind === 'map') {
    const entry = new BinaryWriter();
    entry.tag(1, WireType.LengthDelimited).string(textOf(chance, field.name, strangeness));
    if (field.mapKind === 'message') {
      const value = makePart(place, field.message, depth + 1);
      entry.tag(2, WireType.LengthDelimited).bytes(value);
    } else entry.tag(2, WireType.LengthDelimited).string(textOf(chance, field.name, strangeness));
    writer.tag(field.number, WireType.LengthDelimited).bytes(entry.finish());
    return;
  }
  if (field.message) {
    const bytes = makePart(place, field.message, depth + 1);
    writer.tag(field.number, WireType.LengthDelimited).bytes(bytes);
  } else if (field.enum) {
    const value = chance.happens(strangeness) ? 4_711 : chance.pick(field.enum.values).number;
    writer.tag(field.number, WireType.Varint).int32(value);
  } else writeScalar(place, field.scalar!);
}

function writeScalar({ chance, writer, field, strangeness, budget }: Place, type: ScalarType): void {
  budget.bytes -= 2;
  const number = () => numberOf(chance, optionsOf(field), strangeness);
  const whole = () => BigInt.asIntN(64, BigInt(Math.trunc(Math.min(Math.max(number(), -1e18), 1e18))));
  if (type === ScalarType.STRING || type === ScalarType.BYTES) {
    const { oneOf } = optionsOf(field);
    const text =
      oneOf.length > 0 && !chance.happens(strangeness)
        ? chance.pick(oneOf)
        : textOf(chance, field.name, strangeness);
    const bytes = chance.happens(strangeness / 5) ? Buffer.from([0xc3, 0x28]) : Buffer.from(text);
    budget.bytes -= bytes.length;
    writer.tag(field.number, WireType.LengthDelimited).bytes(bytes);
  } else if (type === ScalarType.DOUBLE) writer.tag(field.number, WireType.Bit64).double(number());
  else if (type === ScalarType.FLOAT)
    writer.tag(field.number, WireType.Bit32).float(Math.fround(number()) || 0);
  else if (type === ScalarType.BOOL) writer.tag(field.number, WireType.Varint).bool(chance.happens(0.5));
  else writer.tag(field.number, WireType.Varint).int64(whole());
}

function optionsOf(field: DescField) {
  const none = { required: false, minimum: undefined, maximum: undefined, oneOf: [] as string[] };
  if (!hasOption(field, fieldOption)) return none;
  const { required, minimum, maximum, oneOf } = getOption(field, fieldOption);
  return { required, minimum, maximum, oneOf };
}

const countOf = (chance: Chance, strangeness: number) =>
  chance.happens(strangeness / 5) ? 300 : chance.below(4);
