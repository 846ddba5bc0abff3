/**
 * Values as small integers, counted by use.
 *
 * A code is free again when its last user releases it, so that a property which changes with every write does not
 * grow the dictionary. Codes are therefore good only until the catalogue's next write.
 */
export type Dictionary<V> = {
  /** Every code is below it. */
  readonly codeLimit: number;
  /** The code of a value in use, or -1. */
  codeOf(value: V): number;
  valueOf(code: number): V;
  /** Adds one user of the value and returns its code. */
  retain(value: V): number;
  /** Takes one user away; true when it was the last one and the code is free. */
  release(code: number): boolean;
};

export function createDictionary<V>(): Dictionary<V> {
  const codes = new Map<V, number>();
  const values: (V | undefined)[] = [];
  const users: number[] = [];
  const free: number[] = [];
  const assign = (value: V): number => {
    const code = free.pop() ?? values.length;
    codes.set(value, code);
    values[code] = value;
    users[code] = 0;
    return code;
  };
  return {
    get codeLimit() {
      return values.length;
    },
    codeOf: (value) => codes.get(value) ?? -1,
    valueOf: (code) => values[code]!,
    retain(value) {
      const code = codes.get(value) ?? assign(value);
      users[code] += 1;
      return code;
    },
    release(code) {
      users[code] -= 1;
      if (users[code] > 0) return false;
      codes.delete(values[code]!);
      values[code] = undefined;
      free.push(code);
      return true;
    },
  };
}
