/**
 * The candidates of one list in an order of its own: its head is ordered by the list's freshness and rotated, the rest follows as
 * it is. For the lists whose configuration asks for it; all others read the request's candidates directly.
 */

import { hash } from 'node:crypto';
import { grown } from '../catalog/growth.ts';
import type { CandidateStream } from '../rules/candidate-stream.ts';

/** Rotation exchanges places of the list with candidates up to so many lists further down. */
export const rotationDepth = 3;

/** Of what follows the head, taken at a time: far more may have been read for the head than the list looks at. */
const partLength = 1_024;

/** Of the head of `stream`, which is in the order of `scores`, descending. */
export type HeadOrder = {
  /** How many candidates are ordered anew. */
  length: number;
  /** Places of the head, in their new order. */
  places: ArrayLike<number>;
};

/** The head in its new order, then everything; what comes again is ignored by the reader. */
export function reorderStream(stream: CandidateStream, { length, places }: HeadOrder): CandidateStream {
  let items = new Int32Array(Math.max(64, length * 2));
  let count = 0;
  let read = 0;
  for (let k = 0; k < length; k++) items[count++] = stream.items[places[k]];
  return {
    get items() {
      return items;
    },
    get count() {
      return count;
    },
    more() {
      if (read >= stream.count && !stream.more?.()) return false;
      const { items: source } = stream;
      const end = Math.min(stream.count, read + partLength);
      items = grown(items, count + end - read, 0);
      while (read < end) items[count++] = source[read++];
      return true;
    },
    positionOf: stream.positionOf && ((itemIndex) => length + stream.positionOf!(itemIndex)),
  };
}

export type Rotation = {
  /** Share of the list that changes, 0 to 1. */
  rate: number;
  listSize: number;
  /** The same seed makes the same choice. */
  seed: string;
};

/**
 * Exchanges places of the list with candidates below it; in place. No candidate is exchanged twice: what gave way would come back,
 * and less than the rate would change.
 */
export function rotate(places: Int32Array, { rate, listSize, seed }: Rotation): void {
  const depth = Math.min(places.length, listSize * rotationDepth);
  if (depth <= listSize) return;
  const chance = createChance(seed);
  const leaving = range(0, listSize).filter(() => chance() < rate);
  const coming = range(listSize, depth);
  const count = Math.min(leaving.length, coming.length);
  drawToFront(leaving, count, chance);
  drawToFront(coming, count, chance);
  for (let k = 0; k < count; k++) swap(places, leaving[k], coming[k]);
}

const range = (start: number, end: number): Int32Array =>
  Int32Array.from({ length: end - start }, (_, k) => start + k);

/** The first `count` are drawn from all, each with the same chance (Fisher and Yates). */
function drawToFront(values: Int32Array, count: number, chance: () => number): void {
  for (let k = 0; k < count; k++) swap(values, k, k + Math.floor(chance() * (values.length - k)));
}

function swap(values: Int32Array, one: number, other: number): void {
  [values[one], values[other]] = [values[other], values[one]];
}

/** Numbers in [0, 1), the same for the same seed (xorshift32 on a hashed seed). */
function createChance(seed: string): () => number {
  let state = hash('sha1', seed, 'buffer').readUInt32BE(0) || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
