/**
 * Values as small integers with reference counts.
 *
 * A code is reused after its last release, so that a property that changes with every write does
 * not grow the dictionary. Codes are therefore valid only until the catalogue's next write.
 */
type Dictionary<V> = {
  /** All codes are below this number. */
  readonly codeLimit: number;
  /** Returns the code of a value in use, or -1. */
  codeOf(value: V): number;
  valueOf(code: number): V;
  /** Adds a reference to the value and returns its code. */
  retain(value: V): number;
  /** Removes a reference; returns true when it was the last one and the code is free. */
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
