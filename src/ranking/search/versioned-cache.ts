/**
 * What was worked out a moment ago, for whoever asks the same before anything changed.
 *
 * Versions count changes. Several of them are added up: as none goes back, a sum is the same only where all are.
 */
import { createCache } from '../runtime/cache.ts';

export type VersionedKey = {
  /** Says the same as the question. */
  key: string;
  /** How often anything that the answer depends on has changed. */
  version: number;
};

export type VersionedCache<Value> = {
  find(memory: VersionedKey): Value | undefined;
  keep(memory: VersionedKey, value: Value): void;
  get(memory: VersionedKey, make: () => Value): Value;
};

/** Longer questions are rare, and answered anew each time. */
const longestKey = 2_000;

/** @param mostBytes of all together; what is used least goes first */
export function createVersionedCache<Value extends object>(
  mostBytes: number,
  bytesOf: (value: Value) => number,
): VersionedCache<Value> {
  type Kept = { version: number; value: Value };
  const kept = createCache<Kept>({ maxBytes: mostBytes, bytesOf: ({ value }) => bytesOf(value) });

  const find = ({ key, version }: VersionedKey): Value | undefined => {
    const known = kept.get(key);
    return known?.version === version ? known.value : undefined;
  };
  const keep = ({ key, version }: VersionedKey, value: Value): void => {
    if (key.length <= longestKey) kept.set(key, { version, value });
  };

  return {
    find,
    keep,
    get(memory, make) {
      const known = find(memory);
      if (known !== undefined) return known;
      const value = make();
      keep(memory, value);
      return value;
    },
  };
}
