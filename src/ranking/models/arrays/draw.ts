import type { Accumulator } from './accumulator.ts';
import { beginTopN, createTopN, finishTopN, offerTouched } from './top-n.ts';

/** Sums that are ordered at a time: most of what a usual list reads, then four times as many. */
const firstOrdered = 256;
const orderedGrowth = 4;

/** Draws the sums of an accumulator one at a time, best first; it must not change meanwhile. */
export function createDraw(accumulator: Accumulator) {
  let best = createTopN(firstOrdered);
  let ordered = 0;
  let drawn = 0;
  /** Orders more sums; returns false when all are drawn. */
  const orderMore = (): boolean => {
    if (ordered >= accumulator.touchedCount) return false;
    ordered = Math.max(firstOrdered, ordered * orderedGrowth);
    if (best.items.length < ordered) best = createTopN(ordered);
    beginTopN(best, ordered);
    offerTouched(best, accumulator);
    finishTopN(best);
    return true;
  };
  return {
    begin() {
      ordered = 0;
      drawn = 0;
      best.size = 0;
    },
    /** Returns the next index, of equal sums the smallest; -1 after the last above minus infinity. */
    next(): number {
      if (drawn === best.size && !orderMore()) return -1;
      return best.scores[drawn] === Number.NEGATIVE_INFINITY ? -1 : best.items[drawn++];
    },
  };
}
