/**
 * The best n of a stream of scores: a bounded binary heap with the worst kept entry at its root.
 *
 * Ties go to the smaller index, so results do not depend on the order of offers.
 */

import type { Accumulator } from './accumulator.ts';
import { floorOfBest } from './score-floor.ts';

/** Sums per kept entry from which counting by magnitude pays for its pass. */
const countedFrom = 4;

export type TopN = {
  /** After `finishTopN`: the best `size` indexes and their scores, best first. */
  items: Int32Array;
  scores: Float32Array;
  size: number;
  /** Entries kept in this round, at most `items.length`. */
  limit: number;
};

export function createTopN(capacity: number): TopN {
  return { items: new Int32Array(capacity), scores: new Float32Array(capacity), size: 0, limit: capacity };
}

/** Starts a round that keeps `limit` entries, at most the capacity. */
export function beginTopN(top: TopN, limit = top.items.length): void {
  top.size = 0;
  top.limit = Math.max(0, Math.min(limit, top.items.length));
}

/** Keeps the entry if it is among the best so far. Pass a float32 score, or ties are missed. */
export function offer(top: TopN, index: number, score: number): void {
  const { items, scores, limit } = top;
  if (top.size < limit) {
    siftUp(items, scores, top.size++, index, score);
  } else if (limit > 0 && (score > scores[0] || (score === scores[0] && index < items[0]))) {
    siftDown(items, scores, limit, index, score);
  }
}

/**
 * Offers all sums of an accumulator. The loop skips sums below the worst kept entry; of many sums,
 * a floor excludes nearly all losers beforehand.
 */
export function offerTouched(top: TopN, accumulator: Accumulator): void {
  const { touched, touchedCount, scores } = accumulator;
  const isCounted = top.size === 0 && touchedCount > countedFrom * top.limit;
  let floor = isCounted ? floorOfBest(accumulator, top.limit) : Number.NEGATIVE_INFINITY;
  for (let place = 0; place < touchedCount; place++) {
    const index = touched[place];
    const score = scores[index];
    if (score < floor) continue;
    offer(top, index, score);
    if (top.size > 0 && top.size === top.limit) floor = top.scores[0];
  }
}

/** Sorts the kept entries in place, best first. */
export function finishTopN({ items, scores, size }: TopN): void {
  for (let end = size - 1; end > 0; end--) {
    const index = items[end];
    const score = scores[end];
    items[end] = items[0];
    scores[end] = scores[0];
    siftDown(items, scores, end, index, score);
  }
}

/** Places an entry at or above the free place `from`. */
function siftUp(items: Int32Array, scores: Float32Array, from: number, index: number, score: number): void {
  let place = from;
  while (place > 0) {
    const parent = (place - 1) >> 1;
    if (score > scores[parent] || (score === scores[parent] && index < items[parent])) break;
    items[place] = items[parent];
    scores[place] = scores[parent];
    place = parent;
  }
  items[place] = index;
  scores[place] = score;
}

/** Places an entry at or below the free root, in a heap of `size`. */
function siftDown(items: Int32Array, scores: Float32Array, size: number, index: number, score: number): void {
  let place = 0;
  for (let child = 1; child < size; child = place * 2 + 1) {
    const right = child + 1;
    if (right < size && scores[right] <= scores[child]) {
      if (scores[right] < scores[child] || items[right] > items[child]) child = right;
    }
    if (scores[child] > score || (scores[child] === score && items[child] < index)) break;
    items[place] = items[child];
    scores[place] = scores[child];
    place = child;
  }
  items[place] = index;
  scores[place] = score;
}
