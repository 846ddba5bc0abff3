/** Reproducible chance: the same seed gives the same choices. */

export type Chance = {
  /** 0 up to, not including, 1. */
  next(): number;
  /** Returns true with this probability, 0 to 1. */
  happens(share: number): boolean;
  /** 0 up to, not including, `end`. */
  below(end: number): number;
  pick<T>(values: readonly T[]): T;
};

/** Mulberry32: https://gist.github.com/tommyettinger/46a874533244883189143505d203312c */
export function createChance(seed: number): Chance {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (end: number) => Math.floor(next() * end);
  return { next, below, happens: (share) => next() < share, pick: (values) => values[below(values.length)] };
}
