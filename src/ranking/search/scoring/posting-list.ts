/** Reading posting lists: forward by steps of doubling length, slot by slot. */
import type { PostingRange } from '../index/segment.ts';
import { impactMask } from '../index/weights.ts';

/** The documents docs[start] … docs[end - 1], ascending. */
export type PostingDocs = {
  docs: Int32Array;
  start: number;
  end: number;
  /** Next entry to read. */
  cursor: number;
};

export type ScanList = PostingRange & {
  /** Score of the highest possible impact. */
  weight: number;
  /** What one step of impact is worth, in parts of 1/1024. */
  scale: number;
  /** Next entry to read. */
  cursor: number;
};

/** The lists that fill one word of a query, the better ones first; of those that have a document the first counts. */
export type ScanSlot = {
  lists: ScanList[];
  /** No document gets more from the slot, in parts of 1/1024. */
  maxScore: number;
  postingCount: number;
};

/** Scores are counted in parts of 1/1024, so that a sum does not depend on the order of its parts. */
export const scoreUnits = 1_024;

export function scaleOf(weight: number): number {
  return (weight * scoreUnits) / impactMask;
}

/** What an impact adds to the score, in parts of 1/1024; never nothing, so that a sum says whether there was a match. */
export function scoreOfImpact(impact: number, weight: number): number {
  return (impact * scaleOf(weight) + 1) | 0;
}

/** First entry from `from` on whose document is not below `target`; looks ahead in doubling steps. */
export function seek(docs: Int32Array, from: number, end: number, target: number): number {
  if (from >= end || docs[from] >= target) return from;
  let step = 1;
  let low = from;
  while (low + step < end && docs[low + step] < target) {
    low += step;
    step *= 2;
  }
  let high = Math.min(end, low + step);
  while (low + 1 < high) {
    const middle = (low + high) >>> 1;
    if (docs[middle] < target) low = middle;
    else high = middle;
  }
  return high;
}

export function rewind(slots: readonly ScanSlot[]): void {
  for (const { lists } of slots) for (const list of lists) list.cursor = list.start;
}

/** Entry i: the most that the slots from i on can add. */
export function restsOf(slots: readonly ScanSlot[]): Float64Array {
  const rests = new Float64Array(slots.length + 1);
  for (let i = slots.length - 1; i >= 0; i--) rests[i] = rests[i + 1] + slots[i].maxScore;
  return rests;
}
