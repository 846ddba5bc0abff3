/**
 * Sums of scores over a window of 4,096 documents, in an array that fits the first cache.
 *
 * Functions over one state, as every line of them runs for each entry of a posting list.
 */
import { impactMask } from '../index/weights.ts';
import { type PostingDocs, type ScanList, seek } from './posting-list.ts';

export const windowSize = 4_096;

/** Sum of a document that must not be offered. */
const barred = -(2 ** 29);

export type WindowSums = {
  /** By document, counted from the window's first. */
  readonly sums: Int32Array;
  /** Slot of several lists that added to the sum last, plus 1. */
  readonly lastSlot: Uint8Array;
  /** The documents that have a sum. */
  readonly found: Int32Array;
  foundCount: number;
};

export function createWindowSums(): WindowSums {
  return {
    sums: new Int32Array(windowSize),
    lastSlot: new Uint8Array(windowSize),
    found: new Int32Array(windowSize),
    foundCount: 0,
  };
}

/** @param least what a document found by this list first must get from it to be worth keeping */
export function addList(window: WindowSums, list: ScanList, base: number, least: number): void {
  const { sums, found } = window;
  const { docs, payloads, end, scale } = list;
  const leastImpact = Math.max(0, (least - 1) / scale);
  const windowEnd = base + windowSize;
  let { foundCount } = window;
  let at = list.cursor;
  for (; at < end; at++) {
    const i = docs[at] - base;
    if (i >= windowSize) break;
    const impact = payloads[at] & impactMask;
    const sum = sums[i];
    if (sum === 0) {
      if (impact < leastImpact) continue;
      found[foundCount++] = i;
    }
    sums[i] = sum + ((impact * scale + 1) | 0);
  }
  window.foundCount = foundCount;
  list.cursor = at < end ? at : seek(docs, at, end, windowEnd);
}

/** The same for a list among several of its slot. */
export function addAlternative(window: WindowSums, list: ScanList, slot: number, base: number): void {
  const { sums, lastSlot, found } = window;
  const { docs, payloads, end, scale } = list;
  let at = list.cursor;
  for (; at < end; at++) {
    const i = docs[at] - base;
    if (i >= windowSize) break;
    if (lastSlot[i] === slot + 1) continue;
    lastSlot[i] = slot + 1;
    if (sums[i] === 0) found[window.foundCount++] = i;
    sums[i] += ((payloads[at] & impactMask) * scale + 1) | 0;
  }
  list.cursor = at;
}

/** Adds a list to documents that were found, by reading all of its window. */
export function addToFound(
  { sums }: WindowSums,
  { docs, payloads, end, scale, cursor }: ScanList,
  base: number,
): void {
  for (let at = cursor; at < end; at++) {
    const i = docs[at] - base;
    if (i >= windowSize) break;
    const sum = sums[i];
    if (sum > 0) sums[i] = sum + (((payloads[at] & impactMask) * scale + 1) | 0);
  }
}

/** Leaves the documents that can still win when the slots that are left may add `rest`. */
export function keepHopeful(window: WindowSums, rest: number, least: number): void {
  const { sums, lastSlot, found } = window;
  let kept = 0;
  for (let f = 0; f < window.foundCount; f++) {
    const i = found[f];
    const sum = sums[i];
    if (sum > 0 && sum + rest >= least) {
      found[kept++] = i;
      continue;
    }
    lastSlot[i] = 0;
    if (sum > 0) sums[i] = 0;
  }
  window.foundCount = kept;
}

/** Keeps a list's documents out of this window. */
export function bar({ sums }: WindowSums, list: PostingDocs, base: number): void {
  list.cursor = seek(list.docs, list.cursor, list.end, base);
  for (let at = list.cursor; at < list.end && list.docs[at] < base + windowSize; at++)
    sums[list.docs[at] - base] = barred;
}

export function unbar({ sums }: WindowSums, { docs, cursor, end }: PostingDocs, base: number): void {
  for (let at = cursor; at < end && docs[at] < base + windowSize; at++) sums[docs[at] - base] = 0;
}
