/** JSON Schemas of tool inputs; models read the descriptions. */

import type { JsonObject } from '@bufbuild/protobuf';

export function text(description: string): JsonObject {
  return { type: 'string', maxLength: 1_024, description };
}

export function oneOf(values: readonly string[]): JsonObject {
  return { type: 'string', enum: [...values] };
}

export function integer(description: string, minimum: number, maximum = Number.MAX_SAFE_INTEGER): JsonObject {
  return { type: 'integer', minimum, maximum, description };
}

export function arrayOf(items: JsonObject, maxItems: number): JsonObject {
  return { type: 'array', items, maxItems };
}

/** By name, which ends in `?` if the field is optional. */
export type Fields = Record<string, JsonObject>;

export function object(fields: Fields): JsonObject {
  return { ...openObject(fields), additionalProperties: false };
}

/** Objects of the Universal Commerce Protocol are open: unknown members are ignored. */
export function openObject(fields: Fields): JsonObject {
  const names = Object.keys(fields);
  const properties = Object.fromEntries(names.map((name) => [name.replace(/\?$/, ''), fields[name]]));
  return { type: 'object', properties, required: names.filter((name) => !name.endsWith('?')) };
}
