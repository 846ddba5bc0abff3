/** JSON by a schema of the OpenAPI document, and JSON that the schema forbids. */

import type { Chance } from './chance.ts';
import { numberOf, textOf } from './vocabulary.ts';

export type Schema = {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  oneOf?: Schema[];
  anyOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  minimum?: number;
  maximum?: number;
  format?: string;
};

export type JsonMaker = (schema: Schema, name: string) => unknown;

const deepest = 6;
const optionalShare = 0.4;

/** @param strangeness Probability of an invalid value, 0 to 1. */
export function createJsonMaker(
  chance: Chance,
  schemas: Record<string, Schema>,
  strangeness: number,
): JsonMaker {
  const make = (schema: Schema, name: string, depth: number): unknown => {
    if (chance.happens(strangeness / 3)) return strangeValue(chance, name);
    const { $ref, oneOf, anyOf, allOf } = schema;
    if ($ref) return make(schemas[$ref.split('/').at(-1)!], name, depth);
    const choices = oneOf ?? anyOf;
    if (choices) return make(chance.pick(choices), name, depth);
    if (allOf) return Object.assign({}, ...allOf.map((part) => make(part, name, depth)));
    if ('const' in schema) return schema.const;
    if (schema.enum) return chance.happens(strangeness) ? textOf(chance, name, 1) : chance.pick(schema.enum);
    return makeTyped(schema, name, depth);
  };
  const makeTyped = (schema: Schema, name: string, depth: number): unknown => {
    const type = Array.isArray(schema.type) ? chance.pick(schema.type) : schema.type;
    if (type === 'boolean') return chance.happens(0.5);
    if (type === 'integer' || type === 'number') return numberOf(chance, schema, strangeness);
    if (type === 'array') return makeList(schema.items ?? {}, name, depth);
    if (type === 'object' || schema.properties) return makeObject(schema, depth);
    if (schema.format === 'date-time' && !chance.happens(strangeness)) return '2024-02-29T12:00:00Z';
    return textOf(chance, name, strangeness);
  };
  const makeList = (items: Schema, name: string, depth: number): unknown[] => {
    const length = depth < 3 && chance.happens(strangeness / 5) ? 200 : chance.below(4);
    return depth > deepest ? [] : Array.from({ length }, () => make(items, name, depth + 1));
  };
  const makeObject = ({ properties = {}, required = [], additionalProperties }: Schema, depth: number) => {
    const entries = Object.entries(properties).filter(([name]) =>
      required.includes(name)
        ? !chance.happens(strangeness / 3)
        : depth < deepest && chance.happens(optionalShare),
    );
    const made = Object.fromEntries(entries.map(([name, schema]) => [name, make(schema, name, depth + 1)]));
    if (additionalProperties !== false && chance.happens(strangeness))
      made.strange = strangeValue(chance, 'strange');
    return made;
  };
  return (schema, name) => make(schema, name, 0);
}

/** A value of any shape. */
function strangeValue(chance: Chance, name: string): unknown {
  const deep = (depth: number): unknown => (depth === 0 ? 1 : [deep(depth - 1)]);
  return chance.pick([
    () => null,
    () => [],
    () => ({}),
    () => true,
    () => numberOf(chance, {}, 1),
    () => textOf(chance, name, 1),
    () => [[[]], {}, null],
    () => ({ value: null, [textOf(chance, name, 1)]: {} }),
    () => deep(chance.below(200)),
  ])();
}
