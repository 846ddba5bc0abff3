/**
 * Reorders the candidates of one list: freshness and rotation change its head, the rest follows
 * unchanged. Only lists with these settings use it; others read the request's candidates directly.
 */

import { hash } from 'node:crypto';
import { grown } from '../catalog/growth.ts';
import type { CandidateStream } from '../rules/candidate-stream.ts';

/** Rotation reaches candidates down to this many list lengths. */
export const rotationDepth = 3;

/** Candidates read at a time after the head; the head may have read more than the list needs. */
const partLength = 1_024;

/** Streams the head, then everything; the reader ignores repetitions. */
export function leadStream(stream: CandidateStream, head: readonly number[]): CandidateStream {
  const { length } = head;
  let items = new Int32Array(Math.max(64, length * 2));
  items.set(head);
  let count = length;
  let read = 0;
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
  /** Share of the list to exchange, 0 to 1. */
  rate: number;
  /** Equal seeds make equal choices. */
  seed: string;
};

/**
 * Exchanges places of the list with candidates below it, in place. Each candidate moves at most
 * once: a displaced one could otherwise return, and less than the rate would change.
 */
export function rotate(places: Int32Array, { rate, seed }: Rotation, listSize: number): void {
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

/** Moves the places of tired items behind the others. */
export function tiredLast(
  places: Int32Array,
  items: ArrayLike<number>,
  tired: ReadonlySet<number>,
): Int32Array {
  const isTired = (place: number) => tired.has(items[place]);
  return Int32Array.from([...places.filter((place) => !isTired(place)), ...places.filter(isTired)]);
}

const range = (start: number, end: number): Int32Array =>
  Int32Array.from({ length: end - start }, (_, k) => start + k);

/** Draws the first `count` values uniformly from all (Fisher and Yates). */
function drawToFront(values: Int32Array, count: number, chance: () => number): void {
  for (let k = 0; k < count; k++) swap(values, k, k + Math.floor(chance() * (values.length - k)));
}

function swap(values: Int32Array, one: number, other: number): void {
  [values[one], values[other]] = [values[other], values[one]];
}

/** Returns a generator of numbers in [0, 1), seeded (xorshift32 on a hashed seed). */
export function createChance(seed: string): () => number {
  let state = hash('sha1', seed, 'buffer').readUInt32BE(0) || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
