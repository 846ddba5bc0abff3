/**
 * Maps a message type to JSON and back.
 *
 * A plan is compiled on the first use of a type. Decoding, encoding and validation read plans
 * instead of descriptors, so all directions and transports follow the same rules.
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
  /** All fields in order of declaration, including those without a JSON property. */
  readonly fields: readonly FieldPlan[];
  /** The fields with a JSON property, by property. */
  readonly byName: ReadonlyMap<string, FieldPlan>;
  /** The same fields in order of declaration. */
  readonly properties: readonly FieldPlan[];
  readonly required: readonly FieldPlan[];
  /** The Struct for undeclared properties. */
  readonly rest: FieldPlan | undefined;
  /** The list that a JSON array instead of the message sets. */
  readonly bare: FieldPlan | undefined;
  /** Whether the message is always an array in JSON, because it has only its `bare` list. */
  readonly bareOnly: boolean;
  /** The field that a JSON string, number or boolean instead of the message sets. */
  readonly scalar: FieldPlan | undefined;
  readonly verbatim: boolean;
  /** Reason for an undeclared property. */
  readonly unknownReason: ErrorReason;
};

const plans = new WeakMap<DescMessage, MessagePlan>();

export function planOf(desc: DescMessage): MessagePlan {
  const known = plans.get(desc);
  if (known !== undefined) return known;
  const plan = {} as MessagePlan;
  plans.set(desc, plan);
  return Object.assign(plan, compileMessage(desc));
}

/** Returns a plan with some of the fields, for example those in the query. */
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
