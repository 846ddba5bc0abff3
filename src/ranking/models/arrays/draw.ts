/**
 * Draws the sums of an accumulator one at a time, best first.
 *
 * Whoever reads a list of candidates seldom reads it to its end: a heap of n is built in n steps and each draw takes log n,
 * so the order of what nobody asks for is never found. The heap begins with the best few hundred, which are most of what is
 * read; the others join when a draw could come to them. Where leaders were chosen, those are found among them.
 */

import { type Accumulator, isLed } from './accumulator.ts';
import { floorOfBest, type Sums } from './score-floor.ts';

/** Twice of what composing a usual list reads. */
const firstCount = 256;

export type Draw = {
  /** A heap whose root is the best; the first `size` entries count. */
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

/**
 * Takes over all sums of an accumulator but those of minus infinity; it stays as it is while they are drawn. What was left from
 * before is forgotten.
 */
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

/** As if nobody else had a sum. */
function leadersOf({ scores, bits, leaders, leaderCount }: Accumulator): Sums {
  return { scores, bits, touched: leaders, touchedCount: leaderCount };
}

/** Takes the best entry out, of equals the one with the smaller index, and returns its index; -1 when there is none. */
export function drawBest(draw: Draw): number {
  if (draw.size === 0 && !takeOthers(draw)) return -1;
  const best = draw.items[0];
  draw.size -= 1;
  sink(draw, 0, draw.items[draw.size], draw.scores[draw.size]);
  return best;
}

/** All entries of the heap are above the floor, so the others are wanted when it is empty; false when there are none. */
function takeOthers(draw: Draw): boolean {
  if (draw.floor === Number.NEGATIVE_INFINITY) return false;
  take(draw, draw.source!, Number.NEGATIVE_INFINITY, draw.floor);
  draw.floor = Number.NEGATIVE_INFINITY;
  return draw.size > 0;
}

/** Makes a heap of the sums from `floor` to below `ceiling`. */
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

/** Places an entry at or below the place `from`, which is free. */
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
