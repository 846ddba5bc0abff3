/**
 * Documents of a snapshot by fingerprint, waiting for the items they speak of: a chained hash table in two arrays, as a map of
 * a million numbers would take hundreds of bytes for each.
 */

export type Claims = {
  /** Lets each of the fingerprints be taken once, in slices; its number is its place in the row. */
  offer(fingerprints: Float64Array): Generator<void>;
  /** A document with the fingerprint that nobody took yet. */
  take(fingerprint: number): number | undefined;
  /** Documents that nobody took. */
  readonly left: number;
  clear(): void;
};

/** Fingerprints entered between two yields: about 2 ms. */
const printsPerSlice = 50_000;

export function createClaims(): Claims {
  let prints: Float64Array = new Float64Array(0);
  /** First document of each chain, plus 1. */
  let heads = new Int32Array(1);
  let next = new Int32Array(0);
  let left = 0;

  const slotOf = (print: number): number => (print % 2 ** 32) & (heads.length - 1);

  return {
    get left() {
      return left;
    },
    *offer(fingerprints) {
      prints = fingerprints;
      next = new Int32Array(prints.length);
      heads = new Int32Array(2 ** Math.ceil(Math.log2(prints.length + 1)));
      left = prints.length;
      for (let i = 0; i < prints.length; i++) {
        const slot = slotOf(prints[i]);
        next[i] = heads[slot];
        heads[slot] = i + 1;
        if (i % printsPerSlice === printsPerSlice - 1) yield;
      }
    },
    take(fingerprint) {
      if (left === 0) return undefined;
      const slot = slotOf(fingerprint);
      let before = 0;
      for (let at = heads[slot]; at > 0; before = at, at = next[at - 1]) {
        if (prints[at - 1] !== fingerprint) continue;
        if (before === 0) heads[slot] = next[at - 1];
        else next[before - 1] = next[at - 1];
        left -= 1;
        return at - 1;
      }
      return undefined;
    },
    clear() {
      prints = new Float64Array(0);
      next = new Int32Array(0);
      heads = new Int32Array(1);
      left = 0;
    },
  };
}
