/**
 * How a message type and its JSON correspond.
 *
 * A plan is compiled on the first use of a type and kept; decoding, encoding and validation only walk plans, never
 * descriptors, so that one set of rules holds for every direction and transport.
 */

import { type DescMessage, getOption } from '@bufbuild/protobuf';
import {
  ErrorReasonSchema,
  type ErrorReason as ReasonNumber,
} from '../../../gen/es/personalisation/rest/v1/error_reason_pb.js';
import { message as messageOption } from '../../../gen/es/personalisation/rest/v1/options_pb.js';
import type { ErrorReason } from '../../errors.ts';
import { compileField, type FieldPlan, shapeOf } from './field-plan.ts';

export type MessagePlan = {
  readonly desc: DescMessage;
  /** Every field in order of declaration, those that JSON does not know included. */
  readonly fields: readonly FieldPlan[];
  /** The fields that are properties in JSON, by property. */
  readonly byName: ReadonlyMap<string, FieldPlan>;
  /** The same in order of declaration. */
  readonly properties: readonly FieldPlan[];
  readonly required: readonly FieldPlan[];
  /** The Struct that takes undeclared properties. */
  readonly rest: FieldPlan | undefined;
  /** The list that a JSON array in place of the message is. */
  readonly bare: FieldPlan | undefined;
  /** The message is always an array in JSON, since it has nothing but its `bare` list. */
  readonly bareOnly: boolean;
  /** The field that a JSON string, number or boolean in place of the message is. */
  readonly scalar: FieldPlan | undefined;
  readonly verbatim: boolean;
  /** Reason for an undeclared property. */
  readonly unknownReason: ErrorReason;
};

const plans = new WeakMap<DescMessage, MessagePlan>();

/** The plan of a message type. */
export function planOf(desc: DescMessage): MessagePlan {
  const known = plans.get(desc);
  if (known !== undefined) return known;
  const plan = {} as MessagePlan;
  plans.set(desc, plan);
  return Object.assign(plan, compileMessage(desc));
}

/** The plan of a part of a message's fields, such as those that come from the query. */
export function partOf(plan: MessagePlan, names: ReadonlySet<string>): MessagePlan {
  const fields = plan.fields.filter((field) => names.has(field.name));
  return { ...plan, ...indexFields(fields), bare: undefined, bareOnly: false, scalar: undefined };
}

function compileMessage(desc: DescMessage): MessagePlan {
  const fields = desc.fields.map((field) => compileField(field, planOf));
  const shape = getOption(desc, messageOption);
  const marked = (mark: 'bare' | 'scalar'): FieldPlan | undefined =>
    fields[desc.fields.findIndex((field) => shapeOf(field)[mark])];
  const bare = marked('bare');
  const index = indexFields(fields);
  return {
    desc,
    ...index,
    bare,
    bareOnly: bare !== undefined && index.properties.length === 1,
    scalar: marked('scalar'),
    verbatim: shape.verbatim,
    unknownReason: shape.unknownFieldReason ? reasonNamed(shape.unknownFieldReason) : 'BODY_INVALID',
  };
}

function indexFields(fields: readonly FieldPlan[]) {
  const properties = fields.filter((field) => !field.grpcOnly && !field.rest);
  return {
    fields,
    properties,
    byName: new Map(properties.map((field) => [field.name, field])),
    required: properties.filter((field) => field.required),
    rest: fields.find((field) => field.rest),
  };
}

function reasonNamed(number: ReasonNumber): ErrorReason {
  const prefix = 'ERROR_REASON_';
  return ErrorReasonSchema.value[number].name.slice(prefix.length) as ErrorReason;
}
