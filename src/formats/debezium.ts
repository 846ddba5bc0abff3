/** Changes of database rows as Debezium writes them: with or without schema, alone or in a CloudEvent. */

import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import { isObject } from './codec/values.ts';
import type { Fault } from './records/outgoing.ts';

export type RowChange = {
  op: 'c' | 'r' | 'u' | 'd';
  /** Table or collection of the row, without its schema; empty if the change names none. */
  table: string;
  /** The row after the change; before it, if it was deleted. */
  row: JsonObject;
};

const names: Readonly<Record<string, string>> = { c: 'after', r: 'after', u: 'after', d: 'before' };

/** Returns undefined for a tombstone, which follows a deletion. */
export function readChange(json: JsonValue): RowChange | Fault | undefined {
  const { envelope, attributes } = unwrap(json);
  if (envelope === null) return undefined;
  if (!isObject(envelope)) return { pointer: '', detail: 'Must be an object.' };
  const op = String(envelope.op ?? attributes.iodebeziumop ?? '');
  const side = Object.hasOwn(names, op) ? names[op] : undefined;
  if (side === undefined) return { pointer: '/op', detail: 'Must be c, r, u or d.' };
  const row = envelope[side];
  if (row == null || !isObject(row)) return { pointer: `/${side}`, detail: 'Must be an object, the row.' };
  const source = isObject(envelope.source ?? null) ? (envelope.source as JsonObject) : {};
  const table = source.table ?? source.collection ?? attributes.iodebeziumtable ?? '';
  return { op: op as RowChange['op'], table: String(table), row };
}

/** Takes a change out of a CloudEvent and of its schema. */
function unwrap(json: JsonValue): { envelope: JsonValue; attributes: JsonObject } {
  const isEvent = isObject(json) && json.specversion !== undefined;
  const attributes = isEvent ? json : {};
  const data = isEvent ? (json.data ?? null) : json;
  const isWrapped = isObject(data) && data.payload !== undefined && data.op === undefined;
  return { envelope: isWrapped ? (data.payload ?? null) : data, attributes };
}
