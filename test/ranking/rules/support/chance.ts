/**
 * Seeded chance for generated instances: the same seed gives the same instances on every machine.
 */
export type Chance = {
  /** At least 0 and below 1. */
  next(): number;
  /** A whole number of `min` … `max`. */
  between(min: number, max: number): number;
  pick<T>(from: readonly T[]): T;
  /** True in this share of cases. */
  happens(share: number): boolean;
};

/** Mulberry32. */
export function createChance(seed: number): Chance {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1));
  return {
    next,
    between,
    pick: (from) => from[between(0, from.length - 1)],
    happens: (share) => next() < share,
  };
}
