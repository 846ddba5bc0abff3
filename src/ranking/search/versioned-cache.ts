/** Results of recent work, for equal requests while nothing that they depend on has changed. */
import { createCache } from '../runtime/cache.ts';

export type VersionedKey = {
  /** Equal for equal requests. */
  key: string;
  /** Number of changes of what the result depends on; of several sources their sum, as no count goes back. */
  version: number;
};

export type VersionedCache<Value> = {
  find(key: VersionedKey): Value | undefined;
  set(key: VersionedKey, value: Value): void;
  get(key: VersionedKey, make: () => Value): Value;
};

/** Longer keys are rare; their results are made anew each time. */
const longestKey = 2_000;

export function createVersionedCache<Value extends object>(
  maxBytes: number,
  bytesOf: (value: Value) => number,
): VersionedCache<Value> {
  const entries = createCache<{ version: number; value: Value }>({
    maxBytes,
    bytesOf: ({ value }) => bytesOf(value),
  });

  const find = ({ key, version }: VersionedKey): Value | undefined => {
    const known = entries.get(key);
    return known?.version === version ? known.value : undefined;
  };
  const set = ({ key, version }: VersionedKey, value: Value): void => {
    if (key.length <= longestKey) entries.set(key, { version, value });
  };

  return {
    find,
    set,
    get(key, make) {
      const known = find(key);
      if (known !== undefined) return known;
      const value = make();
      set(key, value);
      return value;
    },
  };
}
