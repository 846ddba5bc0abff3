/** A request with one field at the contract's maximum. */

import { ScalarType } from '@bufbuild/protobuf';
import { shapeOf } from '../../../src/formats/codec/field-plan.ts';
import type { Dimension } from './dimensions.ts';
import type { Json, PublicRequest } from './largest-requests.ts';

/** The request with the dimension at its maximum; undefined if no row defines it. */
export function largest({ full, rows }: PublicRequest, { path, field }: Dimension): Json | undefined {
  const row = rows[path];
  if (row) return row(full);
  const value = largestValue({ path, field });
  return value === undefined || field.fieldKind === 'list'
    ? undefined
    : replaced(full, path.split('.'), value);
}

function largestValue({ field }: Dimension): unknown {
  const { maxLength, maximum } = shapeOf(field);
  if (field.scalar === ScalarType.STRING) return 'x'.repeat(maxLength);
  if (field.scalar === ScalarType.BOOL) return true;
  return field.scalar === undefined ? undefined : (maximum ?? 1e9);
}

/** The path leads through the first element of lists and the first value of maps. */
function replaced(within: unknown, [name, ...rest]: string[], value: unknown): Json {
  const object = within as Json;
  if (rest.length === 0) return { ...object, [name]: value };
  const inner = object[name];
  if (Array.isArray(inner))
    return { ...object, [name]: [replaced(inner[0], rest, value), ...inner.slice(1)] };
  const [key, held] = Object.entries(inner as Json)[0];
  const [first, ...others] = held as unknown[];
  const beyond = rest[0] === 'entries' ? rest.slice(1) : rest;
  return { ...object, [name]: { ...(inner as Json), [key]: [replaced(first, beyond, value), ...others] } };
}
