/**
 * A map with keys of an environment, a part of it and an ID. Thousands of entries share the text of
 * their environment.
 */

export type Grouped<Part, Value> = {
  get(environment: string, part: Part, id: string): Value | undefined;
  set(environment: string, part: Part, id: string, value: Value): void;
  /** Yields values part by part, in the order of insertion. */
  values(): Iterable<Value>;
};

export function createGrouped<Part, Value>(): Grouped<Part, Value> {
  const environments = new Map<string, Map<Part, Map<string, Value>>>();
  return {
    get: (environment, part, id) => environments.get(environment)?.get(part)?.get(id),
    set(environment, part, id, value) {
      const parts = getOrMake(environments, environment, () => new Map<Part, Map<string, Value>>());
      getOrMake(parts, part, () => new Map<string, Value>()).set(id, value);
    },
    *values() {
      for (const parts of environments.values()) for (const values of parts.values()) yield* values.values();
    },
  };
}

function getOrMake<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
