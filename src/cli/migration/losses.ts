/** Losses of a migration: reasons with their counts and an example each. */

export type Loss = {
  /** Kind of the objects, such as `rules`. */
  part: string;
  reason: string;
  count: number;
  /** An object's ID, or a file and its line. */
  example: string;
};

export type Losses = {
  add(part: string, reason: string, example: string, count?: number): void;
  /** Returns the reasons by part, the most frequent first. */
  list(): Loss[];
};

/** Reasons contain values of the input, so their number is bounded. */
const mostReasons = 1_000;

export function createLosses(): Losses {
  const losses = new Map<string, Loss>();
  return {
    add(part, reason, example, count = 1) {
      const key = JSON.stringify([part, reason]);
      const known = losses.get(key);
      if (known) known.count += count;
      else if (losses.size < mostReasons) losses.set(key, { part, reason, count, example });
    },
    list() {
      const parts = [...new Set(Array.from(losses.values(), ({ part }) => part))];
      return [...losses.values()].sort(
        (a, b) => parts.indexOf(a.part) - parts.indexOf(b.part) || b.count - a.count,
      );
    },
  };
}
