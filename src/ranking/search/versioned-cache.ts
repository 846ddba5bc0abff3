/** Results of recent work, for equal requests while nothing that they depend on has changed. */
import { createCache } from '../runtime/cache.ts';

export type VersionedKey = {
  /** Equal for equal requests. */
  key: string;
  /** Number of changes of what the result depends on; of several sources their sum, as no count goes back. */
  version: number;
};

export function createVersionedCache<Value extends object>(
  maxBytes: number,
  bytesOf: (value: Value) => number,
) {
  const entries = createCache<{ version: number; value: Value }>({
    maxBytes,
    bytesOf: ({ value }) => bytesOf(value),
  });

  return {
    get({ key, version }: VersionedKey, make: () => Value): Value {
      const known = entries.get(key);
      if (known?.version === version) return known.value;
      const value = make();
      entries.set(key, { version, value });
      return value;
    },
  };
}
