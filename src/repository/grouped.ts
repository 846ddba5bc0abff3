/** Values by a group and an id in it, without a text of both for each: values that wait in thousands are small. */

export type Grouped<Value> = {
  get(group: string, id: string): Value | undefined;
  set(group: string, id: string, value: Value): void;
  /** Group by group, in the order of their first values. */
  values(): Iterable<Value>;
};

export function createGrouped<Value>(): Grouped<Value> {
  const groups = new Map<string, Map<string, Value>>();
  return {
    get: (group, id) => groups.get(group)?.get(id),
    set(group, id, value) {
      const known = groups.get(group);
      if (known) known.set(id, value);
      else groups.set(group, new Map([[id, value]]));
    },
    *values() {
      for (const values of groups.values()) yield* values.values();
    },
  };
}
