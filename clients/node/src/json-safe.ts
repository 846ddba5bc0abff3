/** Lets `JSON.stringify` read answers, whose times and 64-bit integers are BigInts. */

import { isMessage } from '@bufbuild/protobuf';
import { type Timestamp, TimestampSchema, timestampDate } from '@bufbuild/protobuf/wkt';

/**
 * Gives the message, and the messages and maps in it, a `toJSON` that is not enumerable, so that
 * types, copies and comparisons stay the same. Times become RFC 3339; integers become numbers,
 * beyond 2^53 texts.
 */
export function jsonSafe<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  const parts = Object.values(value);
  for (const part of parts) jsonSafe(part);
  if (isMessage(value, TimestampSchema))
    defineJson(value, () => timestampDate(value as Timestamp).toISOString());
  else if (parts.some((part) => typeof part === 'bigint')) defineJson(value, () => withNumbers(value));
  return value;
}

function defineJson(value: object, toJSON: () => unknown): void {
  Object.defineProperty(value, 'toJSON', { value: toJSON, configurable: true });
}

function withNumbers(value: object): object {
  const entries = Object.entries(value).map(([name, value]) => [name, withoutBigInt(value)]);
  return Object.fromEntries(entries);
}

function withoutBigInt(value: unknown): unknown {
  if (typeof value !== 'bigint') return value;
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
}
