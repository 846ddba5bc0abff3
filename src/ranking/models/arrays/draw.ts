/**
 * Draws the sums of an accumulator one at a time, best first.
 *
 * Candidates are seldom read to the end: building a heap of n takes n steps and a draw log n, so
 * unread entries are never ordered. The heap begins with the best few hundred, usually all that is
 * read; the others join when needed. Chosen leaders, if any, provide the first ones.
 */

import { type Accumulator, isLed } from './accumulator.ts';
import { floorOfBest, type Sums } from './score-floor.ts';

/** Twice the entries read for a usual list. */
const firstCount = 256;

export type Draw = {
  /** Heap with the best entry at its root; the first `size` entries count. */
  items: Int32Array;
  scores: Float32Array;
  size: number;
  /** Sums below it are not in the heap yet; minus infinity when all are. */
  floor: number;
  source: Accumulator | undefined;
};

export function createDraw(): Draw {
  return {
    items: new Int32Array(0),
    scores: new Float32Array(0),
    size: 0,
    floor: Number.NEGATIVE_INFINITY,
    source: undefined,
  };
}

/** Starts drawing all sums except minus infinity; the accumulator must not change meanwhile. */
export function beginDraw(draw: Draw, accumulator: Accumulator): void {
  if (draw.items.length < accumulator.touchedCount) {
    draw.items = new Int32Array(accumulator.touched.length);
    draw.scores = new Float32Array(accumulator.touched.length);
  }
  const best = isLed(accumulator) ? leadersOf(accumulator) : accumulator;
  const outside = isLed(accumulator) ? accumulator.leaderFloor : Number.NEGATIVE_INFINITY;
  draw.source = accumulator;
  draw.floor = Math.max(outside, floorOfBest(best, firstCount));
  draw.size = 0;
  take(draw, best, draw.floor, Number.POSITIVE_INFINITY);
}

/** Views the leaders as if they were all sums. */
function leadersOf({ scores, bits, leaders, leaderCount }: Accumulator): Sums {
  return { scores, bits, touched: leaders, touchedCount: leaderCount };
}

/** Removes the best entry, on ties the smallest index, and returns its index; -1 when empty. */
export function drawBest(draw: Draw): number {
  if (draw.size === 0 && !takeOthers(draw)) return -1;
  const best = draw.items[0];
  draw.size -= 1;
  sink(draw, 0, draw.items[draw.size], draw.scores[draw.size]);
  return best;
}

/** Adds the sums below the floor once the heap is empty; returns false without any. */
function takeOthers(draw: Draw): boolean {
  if (draw.floor === Number.NEGATIVE_INFINITY) return false;
  take(draw, draw.source!, Number.NEGATIVE_INFINITY, draw.floor);
  draw.floor = Number.NEGATIVE_INFINITY;
  return draw.size > 0;
}

/** Builds a heap of the sums from `floor` to below `ceiling`. */
function take(draw: Draw, { touched, touchedCount, scores }: Sums, floor: number, ceiling: number): void {
  const least = Math.max(floor, -Number.MAX_VALUE);
  for (let place = 0; place < touchedCount; place++) {
    const score = scores[touched[place]];
    if (!(score >= least && score < ceiling)) continue;
    draw.items[draw.size] = touched[place];
    draw.scores[draw.size++] = score;
  }
  for (let place = (draw.size >> 1) - 1; place >= 0; place--) {
    sink(draw, place, draw.items[place], draw.scores[place]);
  }
}

/** Places an entry at or below the free place `from`. */
function sink({ items, scores, size }: Draw, from: number, index: number, score: number): void {
  let place = from;
  for (let child = from * 2 + 1; child < size; child = place * 2 + 1) {
    const right = child + 1;
    if (right < size && scores[right] >= scores[child]) {
      if (scores[right] > scores[child] || items[right] < items[child]) child = right;
    }
    if (scores[child] < score || (scores[child] === score && items[child] > index)) break;
    items[place] = items[child];
    scores[place] = scores[child];
    place = child;
  }
  items[place] = index;
  scores[place] = score;
}
