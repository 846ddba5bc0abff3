/** Parses JSON without loss: finds numbers that a double cannot hold, such as `1e999`. */

import type { JsonValue } from '@bufbuild/protobuf';

/** Few texts match; a reviver makes parsing several times slower. */
const likely = /(?:^|[:,[\s])-?(?:\d{16}|\d[\d.]*[eE]\+?\d{3})/;

type Reviver = (key: string, value: unknown, context?: { source?: string }) => unknown;

/** Returns the value, with infinity for numbers that a double cannot hold; no field takes it. @throws SyntaxError */
export function parseExact(text: string): JsonValue {
  return parseJson(text, () => Number.POSITIVE_INFINITY).value as JsonValue;
}

/** Returns the value, and the numbers that became text, or what `replace` returns. @throws SyntaxError */
export function parseJson(
  text: string,
  replace: (source: string) => unknown = String,
): { value: unknown; long: string[] } {
  if (!likely.test(text)) return { value: JSON.parse(text), long: [] };
  const long: string[] = [];
  const keepLong: Reviver = (_, value, { source = String(value) } = {}) => {
    if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
    if (Number.isFinite(value) && !/^-?\d+$/.test(source)) return value;
    long.push(source);
    return replace(source);
  };
  return { value: JSON.parse(text, keepLong as Parameters<typeof JSON.parse>[1]), long };
}
