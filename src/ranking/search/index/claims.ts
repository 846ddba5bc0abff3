/** Documents of a snapshot, each claimed once by an item with the same fingerprint. */
import { inSlices } from '../slices.ts';
import { createHashChains } from './hash-chains.ts';

export type Claims = {
  /** Offers documents by their fingerprints, in the order of their ordinals. In slices. */
  offer(fingerprints: Float64Array): Generator<void>;
  /** Returns the ordinal of an unclaimed document with the fingerprint, which is claimed from then on. */
  take(fingerprint: number): number | undefined;
  /** Number of unclaimed documents. */
  readonly left: number;
  clear(): void;
};

/** Fingerprints added between two yields: about 2 ms. */
const printsPerSlice = 50_000;

export function createClaims(): Claims {
  let prints: Float64Array = new Float64Array(0);
  let chains = createHashChains();
  let left = 0;

  return {
    get left() {
      return left;
    },
    *offer(fingerprints) {
      prints = fingerprints;
      left = prints.length;
      yield* inSlices(prints.length, printsPerSlice, (i) => chains.add(i, prints[i] % 2 ** 32));
    },
    take(fingerprint) {
      let taken: number | undefined;
      if (left > 0)
        chains.visit(fingerprint % 2 ** 32, (i) => {
          if (prints[i] === fingerprint) taken = i;
          return taken === undefined;
        });
      if (taken === undefined) return undefined;
      chains.remove(taken);
      left -= 1;
      return taken;
    },
    clear() {
      prints = new Float64Array(0);
      chains = createHashChains();
      left = 0;
    },
  };
}
