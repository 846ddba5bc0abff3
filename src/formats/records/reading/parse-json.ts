/** Parses JSON without loss: numbers that a double cannot hold, such as `1e999`, become text. */

/** Few texts match; a reviver makes parsing several times slower. */
const likely = /(?:^|[:,[\s])-?(?:\d{16}|\d[\d.]*[eE]\+?\d{3})/;

type Reviver = (key: string, value: unknown, context?: { source?: string }) => unknown;

/** Returns the value, and the numbers that became text. @throws SyntaxError */
export function parseJson(text: string): { value: unknown; long: string[] } {
  if (!likely.test(text)) return { value: JSON.parse(text), long: [] };
  const long: string[] = [];
  const keepLong: Reviver = (_, value, { source = String(value) } = {}) => {
    if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
    if (Number.isFinite(value) && !/^-?\d+$/.test(source)) return value;
    long.push(source);
    return source;
  };
  return { value: JSON.parse(text, keepLong as Parameters<typeof JSON.parse>[1]), long };
}
