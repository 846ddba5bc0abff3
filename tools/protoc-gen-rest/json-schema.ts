/** JSON Schema (2020-12, as OpenAPI 3.1 uses it) of messages, from the plans that the codec works by. */

import type { DescMessage, JsonObject, JsonValue } from '@bufbuild/protobuf';
import type { FieldPlan } from '../../src/rest/codec/field-plan.ts';
import { type MessagePlan, planOf } from '../../src/rest/codec/plan.ts';
import { describe } from './comments.ts';

/** Schemas by name of message, filled with each message that is referred to. */
export type Components = {
  readonly schemas: Map<string, JsonObject>;
  /** The messages that join now are of answers only: a property without presence is always there. */
  answering: boolean;
};

const scalarTypes = ['string', 'number', 'boolean'];

/** A reference to a message's schema, which joins the components. */
export function referTo(desc: DescMessage, components: Components): JsonObject {
  const { schemas } = components;
  if (!schemas.has(desc.name)) {
    schemas.set(desc.name, {});
    schemas.set(desc.name, messageSchema(planOf(desc), components));
  }
  return { $ref: `#/components/schemas/${desc.name}` };
}

/** The schema of an object with the properties of a plan. */
export function objectSchema(plan: MessagePlan, components: Components): JsonObject {
  const properties = plan.properties.map((field) => [field.name, propertySchema(field, plan, components)]);
  const required = plan.properties
    .filter((field) => field.required || (components.answering && !field.explicit && !field.nonEmpty))
    .map((field) => field.name);
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
    additionalProperties: plan.rest === undefined ? false : restSchema(plan.rest, plan),
    ...alternatives(plan),
  };
}

/** The schema of a field, with its description. */
export function propertySchema(field: FieldPlan, plan: MessagePlan, components: Components): JsonObject {
  const description = describe(plan.desc.field[field.local]);
  return {
    ...fieldSchema(field, components),
    ...(description !== '' && { description }),
    ...(field.outputOnly && { readOnly: true }),
  };
}

function messageSchema(plan: MessagePlan, components: Components): JsonObject {
  const description = describe(plan.desc);
  const shapes = [
    plan.bareOnly ? undefined : objectSchema(plan, components),
    plan.bare && listSchema(plan.bare, components),
    plan.scalar && scalarSchema(plan.scalar, components),
  ].filter((shape) => shape !== undefined);
  return { ...(description !== '' && { description }), ...oneOf(shapes) };
}

/** The schema of a field without its description. */
export function fieldSchema(field: FieldPlan, components: Components): JsonObject {
  const element = elementSchema(field, components);
  if (field.container === 'map')
    return { type: 'object', additionalProperties: element, maxProperties: field.maxItems };
  if (field.container === 'one') return element;
  const list = listSchema(field, components);
  if (field.entries) return oneOf([list, entriesSchema(field, components)]);
  return field.oneOrMany ? oneOf([element, list]) : list;
}

function listSchema(field: FieldPlan, components: Components): JsonObject {
  const minItems = (field.nonEmpty || field.required) && { minItems: 1 };
  return { type: 'array', items: elementSchema(field, components), ...minItems, maxItems: field.maxItems };
}

function entriesSchema(field: FieldPlan, components: Components): JsonObject {
  const value = field.message!.byName.get('value')!;
  return {
    type: 'object',
    additionalProperties: fieldSchema(value, components),
    maxProperties: field.maxItems,
  };
}

function elementSchema(field: FieldPlan, components: Components): JsonObject {
  switch (field.kind) {
    case 'message':
      return referTo(field.message!.desc, components);
    case 'text':
      return textSchema(field);
    case 'int32':
    case 'int64':
      return { type: 'integer', format: field.kind, ...range(field) };
    case 'double':
      return { type: 'number', ...range(field) };
    case 'bool':
      return { type: 'boolean' };
    case 'enum':
      return { type: 'string', enum: [...field.enumeration!.byName.keys()] };
    case 'timestamp':
      return field.unixTime
        ? { oneOf: [{ type: 'string', format: 'date-time' }, { type: 'number' }] }
        : { type: 'string', format: 'date-time' };
    case 'struct':
      return { type: 'object', maxProperties: field.maxItems };
    case 'value':
      return {};
  }
}

function textSchema(field: FieldPlan): JsonObject {
  const text: JsonObject = {
    type: field.numberOrString ? ['string', 'number'] : 'string',
    ...(Number.isFinite(field.maxLength) && { maxLength: field.maxLength }),
    ...(field.required && !field.explicit && field.container === 'one' && { minLength: 1 }),
    ...(field.alternatives !== undefined && { enum: [...field.alternatives] }),
  };
  return field.path ? oneOf([text, { type: 'array', items: { type: 'string' }, minItems: 1 }]) : text;
}

function scalarSchema(field: FieldPlan, components: Components): JsonObject {
  return field.kind === 'value' ? { type: scalarTypes } : fieldSchema(field, components);
}

function restSchema(field: FieldPlan, plan: MessagePlan): JsonValue {
  const description = describe(plan.desc.field[field.local]);
  return description === '' ? true : { description };
}

function range(field: FieldPlan): JsonObject {
  return {
    ...(Number.isFinite(field.minimum) && { minimum: field.minimum }),
    ...(Number.isFinite(field.maximum) && { maximum: field.maximum }),
  };
}

/** Members of one oneof exclude each other. */
function alternatives(plan: MessagePlan): JsonObject {
  const members = plan.properties.filter((field) => field.oneof !== undefined);
  const pairs = members.flatMap((first, index) =>
    members
      .slice(index + 1)
      .filter((second) => second.oneof === first.oneof)
      .map((second) => ({ required: [first.name, second.name] })),
  );
  return pairs.length > 0 ? { not: { anyOf: pairs } } : {};
}

function oneOf(shapes: JsonObject[]): JsonObject {
  return shapes.length === 1 ? shapes[0] : { oneOf: shapes };
}
