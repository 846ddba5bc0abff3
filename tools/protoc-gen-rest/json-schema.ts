/**
 * JSON Schema (2020-12, as OpenAPI 3.1 uses it) of messages, from the plans that the codec works by.
 *
 * A message has one schema for each use. Requests have bounds and all accepted spellings, null for an absent property among
 * them. Answers have one spelling and no bounds: the service promises none, and what was stored under older ones stays.
 */

import type { DescMessage, JsonObject, JsonValue } from '@bufbuild/protobuf';
import type { FieldPlan } from '../../src/formats/codec/field-plan.ts';
import { type MessagePlan, planOf } from '../../src/formats/codec/plan.ts';
import { describe } from './comments.ts';

/** `verbatim` is a document that is answered as it was sent: all spellings, without bounds. */
export type Use = 'request' | 'answer' | 'verbatim';

/** Schemas by name, filled with each message that is referred to; those of requests come first. */
export type Components = {
  readonly schemas: Map<string, JsonObject>;
  /** The use of each schema. */
  readonly uses: Map<string, Use>;
  /** The use of the messages that are being added. */
  readonly use: Use;
};

const scalarSchemas = ['string', 'number', 'boolean'].map((type) => ({ type }));

/** Names of messages that generated clients use for their own classes. */
const clashing: Record<string, string> = { Configuration: 'ListConfiguration' };

/** A reference to a message's schema, which joins the components. */
export function referTo(desc: DescMessage, components: Components): JsonObject {
  const plan = planOf(desc);
  const inner: Components =
    components.use === 'answer' && plan.verbatim ? { ...components, use: 'verbatim' } : components;
  const { schemas, uses, use } = inner;
  const base = clashing[desc.name] ?? desc.name;
  const name = use !== 'request' && uses.get(base) === 'request' ? `${base}Answer` : base;
  if (!schemas.has(name)) {
    uses.set(name, use);
    schemas.set(name, {});
    schemas.set(name, messageSchema(name, plan, inner));
  }
  if (uses.get(name) !== use) throw new Error(`${name} has two uses in answers, verbatim and not`);
  return { $ref: `#/components/schemas/${name}` };
}

/** The schema of an object with the properties of a plan. */
export function objectSchema(plan: MessagePlan, components: Components): JsonObject {
  const required = plan.properties.filter((field) => isRequired(field, components.use));
  const properties = plan.properties.map((field) => {
    const schema = propertySchema(field, plan, components);
    const mayBeNull = components.use !== 'answer' && !required.includes(field);
    return [field.name, mayBeNull ? orNull(schema) : schema] as const;
  });
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required: required.map((field) => field.name) }),
    additionalProperties: plan.rest === undefined ? false : restSchema(plan.rest, plan),
    ...(components.use !== 'answer' && exclusions(plan)),
  };
}

/** In answers, a property without presence is always there. */
function isRequired(field: FieldPlan, use: Use): boolean {
  if (use === 'request') return field.required;
  if (use === 'verbatim') return field.required || field.answered;
  return field.required || (!field.explicit && !field.nonEmpty);
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

/** Where a message has several shapes, its object is a component of its own: generators of types need its name. */
function messageSchema(name: string, plan: MessagePlan, components: Components): JsonObject {
  const description = describe(plan.desc);
  const isCanonical = components.use === 'answer' && !plan.bareOnly;
  const others = [
    ...(plan.bare && !isCanonical ? [listSchema(plan.bare, components)] : []),
    ...(plan.scalar && !isCanonical ? scalarShapes(plan.scalar, components) : []),
  ];
  const described = description !== '' && { description };
  if (plan.bareOnly) return { ...described, ...oneOf(others) };
  const object = { ...described, ...objectSchema(plan, components) };
  if (others.length === 0) return object;
  components.schemas.set(`${name}Object`, object);
  const shapes = [{ $ref: `#/components/schemas/${name}Object` }, ...others];
  /** The shapes exclude each other. Lists of these are shapes themselves, and openapi-generator takes no `oneOf` there. */
  return {
    ...described,
    ...(plan.scalar?.kind === 'value' && !plan.bare ? { anyOf: shapes } : oneOf(shapes)),
  };
}

/** The shapes of a schema. Generators of types do not take a union as a member of another. */
function shapesOf(schema: JsonObject, { schemas }: Components): JsonObject[] {
  const component = schemas.get(String(schema.$ref).replace('#/components/schemas/', ''));
  const { anyOf, oneOf = anyOf } = component ?? schema;
  return (oneOf as JsonObject[] | undefined) ?? [schema];
}

/** The schema of a field without its description. */
export function fieldSchema(field: FieldPlan, components: Components): JsonObject {
  const element = elementSchema(field, components);
  if (field.container === 'map')
    return {
      ...{ type: 'object', additionalProperties: element },
      ...(components.use === 'request' && field.nonEmpty && { minProperties: 1 }),
      ...atMost('maxProperties', field, components),
    };
  if (field.container === 'one') return element;
  const list = listSchema(field, components);
  if (components.use === 'answer') return list;
  if (field.entries) return oneOf([list, entriesSchema(field, components)]);
  return field.oneOrMany ? oneOf([...shapesOf(element, components), list]) : list;
}

function listSchema(field: FieldPlan, components: Components): JsonObject {
  const minItems = components.use === 'request' && (field.nonEmpty || field.required) && { minItems: 1 };
  return {
    type: 'array',
    items: elementSchema(field, components),
    ...minItems,
    ...atMost('maxItems', field, components),
  };
}

function entriesSchema(field: FieldPlan, components: Components): JsonObject {
  const value = field.message!.byName.get('value')!;
  return {
    type: 'object',
    additionalProperties: fieldSchema(value, components),
    ...atMost('maxProperties', field, components),
  };
}

function atMost(keyword: 'maxItems' | 'maxProperties', field: FieldPlan, { use }: Components): JsonObject {
  return use === 'request' ? { [keyword]: field.maxItems } : {};
}

function elementSchema(field: FieldPlan, components: Components): JsonObject {
  switch (field.kind) {
    case 'message':
      return referTo(field.message!.desc, components);
    case 'text':
      return textSchema(field, components.use);
    case 'int32':
    case 'int64':
      return { type: 'integer', format: field.kind, ...range(field, components.use) };
    case 'double':
      return { type: 'number', ...range(field, components.use) };
    case 'bool':
      return { type: 'boolean' };
    case 'enum':
      return { type: 'string', enum: [...field.enumeration!.byName.keys()] };
    case 'timestamp':
      return field.unixTime && components.use !== 'answer'
        ? { oneOf: [{ type: 'string' }, { type: 'number' }] }
        : { type: 'string', format: 'date-time' };
    case 'struct':
      return { type: 'object', ...atMost('maxProperties', field, components) };
    case 'value':
      return {};
  }
}

function textSchema(field: FieldPlan, use: Use): JsonObject {
  const isOneValue = !field.explicit && field.container === 'one';
  const bounds = use === 'request' && {
    ...(Number.isFinite(field.maxLength) && { maxLength: field.maxLength }),
    ...(field.required && isOneValue && { minLength: 1 }),
  };
  const text: JsonObject = {
    type: field.numberOrString && use !== 'answer' ? ['string', 'number'] : 'string',
    ...bounds,
    ...(field.alternatives !== undefined && { enum: [...field.alternatives] }),
  };
  if (!field.path || use === 'answer') return text;
  const names: JsonObject = { type: 'array', items: { type: 'string' } };
  return oneOf([text, use === 'request' ? { ...names, minItems: 1 } : names]);
}

function scalarShapes(field: FieldPlan, components: Components): JsonObject[] {
  return field.kind === 'value' ? scalarSchemas : [fieldSchema(field, components)];
}

function restSchema(field: FieldPlan, plan: MessagePlan): JsonValue {
  const description = describe(plan.desc.field[field.local]);
  return description === '' ? true : { description };
}

function range(field: FieldPlan, use: Use): JsonObject {
  if (use !== 'request') return {};
  return {
    ...(Number.isFinite(field.minimum) && { minimum: field.minimum }),
    ...(Number.isFinite(field.maximum) && { maximum: field.maximum }),
  };
}

/** No two members of a oneof are given; null is as good as absent. Generators of types pass over `not`. */
function exclusions(plan: MessagePlan): JsonObject {
  const members = plan.properties.filter((field) => field.oneof !== undefined);
  const pairs = members.flatMap((first, index) =>
    members
      .slice(index + 1)
      .filter((second) => second.oneof === first.oneof)
      .map((second) => bothGiven(first.name, second.name)),
  );
  if (pairs.length === 0) return {};
  return { not: pairs.length === 1 ? pairs[0] : { anyOf: pairs } };
}

function bothGiven(...names: string[]): JsonObject {
  const given = { not: { type: 'null' } };
  return { properties: Object.fromEntries(names.map((name) => [name, given])), required: names };
}

/** The schema, or null. One that takes anything takes null already. */
function orNull({ description, ...schema }: JsonObject): JsonObject {
  const said: JsonObject = description === undefined ? {} : { description };
  if (schema.$ref !== undefined) return { oneOf: [schema, { type: 'null' }], ...said };
  if (Array.isArray(schema.oneOf)) return { ...oneOf(shapesOrNull(schema.oneOf as JsonObject[])), ...said };
  if (schema.type === undefined) return { ...schema, ...said };
  const values = Array.isArray(schema.enum) && { enum: [...schema.enum, null] };
  return { ...schema, type: [schema.type, 'null'].flat(), ...values, ...said };
}

/** Generators of types make a class of a shape that is null alone, but not of one that may be null. */
function shapesOrNull(shapes: JsonObject[]): JsonObject[] {
  const index = shapes.findIndex(({ type }) => type !== undefined);
  if (index < 0) return [...shapes, { type: 'null' }];
  return shapes.with(index, orNull(shapes[index]));
}

function oneOf(shapes: JsonObject[]): JsonObject {
  return shapes.length === 1 ? shapes[0] : { oneOf: shapes };
}
