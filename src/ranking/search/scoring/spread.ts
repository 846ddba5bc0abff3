/** Several lists of best items filled by one scan: an item goes to each list that takes it. */
import type { Offers, Top } from './top.ts';

export type Part = { top: Top; takes: (itemIndex: number) => boolean };

/** The threshold is the lowest of all, so a scan skips only what no list would keep. */
export function createSpread(parts: readonly Part[]): Offers {
  const thresholds = new Float64Array(parts.length).fill(Number.NEGATIVE_INFINITY);
  let lowest = Number.NEGATIVE_INFINITY;
  return {
    get threshold() {
      return lowest;
    },
    offer(itemIndex, key) {
      let isRaised = false;
      for (let i = 0; i < parts.length; i++) {
        if (key < thresholds[i] || !parts[i].takes(itemIndex)) continue;
        parts[i].top.offer(itemIndex, key);
        thresholds[i] = parts[i].top.threshold;
        isRaised ||= thresholds[i] > lowest;
      }
      if (isRaised) lowest = thresholds.reduce((least, one) => Math.min(least, one));
    },
  };
}
