/** The codec's description of a field, read once from its descriptor and its FieldShape option. */

import { type DescEnum, type DescField, type DescMessage, getOption, ScalarType } from '@bufbuild/protobuf';
import { FeatureSet_FieldPresence } from '@bufbuild/protobuf/wkt';
import { type FieldShape, field as fieldOption } from '../../../gen/es/personalisation/rest/v1/options_pb.js';
import { getOrAdd } from '../../ranking/runtime/get-or-add.ts';
import type { MessagePlan } from './plan.ts';

/** Kind of a value, or of each element of a list or map. */
export type Kind =
  | 'text'
  | 'int32'
  | 'int64'
  | 'double'
  | 'bool'
  | 'enum'
  | 'timestamp'
  | 'struct'
  | 'value'
  | 'message';

/** JSON name and number of each enum value. The zero value `unspecified` has no JSON name. */
export type EnumPlan = {
  readonly byName: ReadonlyMap<string, number>;
  readonly byNumber: ReadonlyMap<number, string>;
};

/** Parts of the FieldShape that a plan has unchanged; options.proto describes them. */
type Flag = 'required' | 'nonEmpty' | 'grpcOnly' | 'outputOnly' | 'answered' | 'oneOrMany';
type Form = 'path' | 'entries' | 'rest' | 'numberOrString' | 'unixTime';

export type FieldPlan = Readonly<Pick<FieldShape, Flag | Form>> & {
  readonly name: string;
  readonly local: string;
  readonly kind: Kind;
  readonly container: 'one' | 'list' | 'map';
  /** Property of the message that holds the field's oneof. */
  readonly oneof: string | undefined;
  /** Whether the message distinguishes an absent value from zero. */
  readonly explicit: boolean;
  readonly minimum: number;
  readonly maximum: number;
  /** UTF-16 code units of the value, of each element and of each key. */
  readonly maxLength: number;
  readonly maxItems: number;
  readonly alternatives: ReadonlySet<string> | undefined;
  readonly enumeration: EnumPlan | undefined;
  /** Plan of the value or element, if it is a message of this API. */
  readonly message: MessagePlan | undefined;
};

const defaultMaxLength = 1024;
const defaultMaxItems = 1000;

const scalarKinds: ReadonlyMap<ScalarType, Kind> = new Map([
  [ScalarType.STRING, 'text'],
  [ScalarType.INT32, 'int32'],
  [ScalarType.INT64, 'int64'],
  [ScalarType.DOUBLE, 'double'],
  [ScalarType.BOOL, 'bool'],
]);

const messageKinds: ReadonlyMap<string, Kind> = new Map([
  ['google.protobuf.Timestamp', 'timestamp'],
  ['google.protobuf.Struct', 'struct'],
  ['google.protobuf.Value', 'value'],
]);

const shapes = new WeakMap<DescField, FieldShape>();

/** Returns the FieldShape option of a field, or its default. Parsed once. */
export function shapeOf(field: DescField): FieldShape {
  return getOrAdd(shapes, field, () => getOption(field, fieldOption));
}

/** Returns the property of a field in JSON. */
export function jsonNameOf(field: DescField): string {
  return shapeOf(field).jsonName || field.name;
}

/** Compiles a field. The plan that `planOf` returns may still be incomplete. */
export function compileField(field: DescField, planOf: (desc: DescMessage) => MessagePlan): FieldPlan {
  const shape = shapeOf(field);
  const kind = kindOf(field);
  const { required, nonEmpty, grpcOnly, outputOnly, answered, oneOrMany } = shape;
  const { path, entries, rest, numberOrString, unixTime } = shape;
  return {
    ...{ required, nonEmpty, grpcOnly, outputOnly, answered, oneOrMany },
    ...{ path, entries, rest, numberOrString, unixTime },
    name: jsonNameOf(field),
    local: field.localName,
    kind,
    container: field.fieldKind === 'list' ? 'list' : field.fieldKind === 'map' ? 'map' : 'one',
    oneof: field.oneof?.localName,
    explicit: field.presence !== FeatureSet_FieldPresence.IMPLICIT,
    minimum: shape.minimum ?? Number.NEGATIVE_INFINITY,
    maximum: shape.maximum ?? Number.POSITIVE_INFINITY,
    maxLength: maxLengthOf(shape),
    maxItems: shape.maxItems || defaultMaxItems,
    alternatives: shape.oneOf.length > 0 ? new Set(shape.oneOf) : undefined,
    enumeration: field.enum ? compileEnum(field.enum) : undefined,
    message: kind === 'message' ? planOf(field.message!) : undefined,
  };
}

/** Returns the maximum length in UTF-16 code units. */
function maxLengthOf(shape: FieldShape): number {
  return shape.maxLength < 0 ? Number.POSITIVE_INFINITY : shape.maxLength || defaultMaxLength;
}

/** @throws Error for a type without a JSON form. */
export function kindOf(field: DescField): Kind {
  if (field.message !== undefined) return messageKinds.get(field.message.typeName) ?? 'message';
  if (field.enum !== undefined) return 'enum';
  const kind = scalarKinds.get(field.scalar!);
  if (kind === undefined || (field.fieldKind === 'map' && field.mapKey !== ScalarType.STRING))
    throw new Error(`${field.parent.typeName}.${field.name}: its type has no JSON form`);
  return kind;
}

/** Names enum values in JSON: lower case, without the shared prefix. */
function compileEnum(desc: DescEnum): EnumPlan {
  const prefix = desc.sharedPrefix ?? '';
  const named = desc.values
    .map((value) => [value.name.toLowerCase().slice(prefix.length), value.number] as const)
    .filter(([name, number]) => number !== 0 || name !== 'unspecified');
  return {
    byName: new Map(named),
    byNumber: new Map(named.map(([name, number]) => [number, name])),
  };
}
