/** Documents of a snapshot, each claimed once by an item with the same fingerprint. */
import { inSlices } from '../slices.ts';
import { createHashChains } from './hash-chains.ts';

/** Fingerprints added between two yields: about 2 ms. */
const printsPerSlice = 50_000;

export function createClaims() {
  let prints: Float64Array = new Float64Array(0);
  let chains = createHashChains();
  let left = 0;

  return {
    /** Number of unclaimed documents. */
    get left() {
      return left;
    },
    /** Offers documents by their fingerprints, in the order of their ordinals. In slices. */
    *offer(fingerprints: Float64Array): Generator<void> {
      prints = fingerprints;
      left = prints.length;
      yield* inSlices(prints.length, printsPerSlice, (i) => chains.add(i, prints[i] % 2 ** 32));
    },
    /** Returns the ordinal of an unclaimed document with the fingerprint, which is claimed from then on. */
    take(fingerprint: number): number | undefined {
      let taken: number | undefined;
      chains.visit(fingerprint % 2 ** 32, (i) => {
        if (prints[i] === fingerprint) taken = i;
        return taken === undefined;
      });
      if (taken === undefined) return undefined;
      chains.remove(taken);
      left -= 1;
      return taken;
    },
    clear(): void {
      prints = new Float64Array(0);
      chains = createHashChains();
      left = 0;
    },
  };
}
