/** Sessions: distinct items that a subject met without a long pause. */

import type { Interactions } from './interactions.ts';
import { runsOf } from './visits.ts';

export type Sessions = {
  /** Length: sessions + 1; sessions ordered by their end. */
  offsets: Int32Array;
  /** Distinct items of each session in order of last contact. */
  item: Int32Array;
};

/** Tried in turn until most events have company; the last makes one session per subject. */
const gapsSeconds = [1_800, 43_200, 7 * 86_400, Number.POSITIVE_INFINITY];
const companyShare = 0.5;

/** Items kept per session: longer ones are robots, imports or a whole history. */
export const maxSessionItems = 200;

/** Returns sessions of at least two items, without items taken back. */
export function createSessions(interactions: Interactions): Sessions {
  const gap = gapsSeconds.find((one) => shareInCompany(interactions, one) >= companyShare);
  const found: { start: number; end: number; endSeconds: number }[] = [];
  const items = new Int32Array(interactions.item.length);
  let used = 0;
  const lastMet = new Int32Array(interactions.itemCount).fill(-1);
  for (const [start, end] of runsOf(interactions, gap ?? Number.POSITIVE_INFINITY)) {
    const first = used;
    for (let event = end - 1; event >= start && used - first < maxSessionItems; event--) {
      const item = interactions.item[event];
      if (interactions.weight[event] <= 0 || lastMet[item] === start) continue;
      lastMet[item] = start;
      items[used++] = item;
    }
    if (used - first < 2) used = first;
    else {
      items.subarray(first, used).reverse();
      found.push({ start: first, end: used, endSeconds: interactions.timeSeconds[end - 1] });
    }
  }
  found.sort((a, b) => a.endSeconds - b.endSeconds || a.start - b.start);
  return copyInOrder(items, found, used);
}

function copyInOrder(items: Int32Array, found: { start: number; end: number }[], length: number): Sessions {
  const offsets = new Int32Array(found.length + 1);
  const ordered = new Int32Array(length);
  found.forEach(({ start, end }, session) => {
    ordered.set(items.subarray(start, end), offsets[session]);
    offsets[session + 1] = offsets[session] + end - start;
  });
  return { offsets, item: ordered };
}

function shareInCompany(interactions: Interactions, gapSeconds: number): number {
  let inCompany = 0;
  for (const [start, end] of runsOf(interactions, gapSeconds)) {
    const first = interactions.item[start];
    for (let event = start + 1; event < end; event++) {
      if (interactions.item[event] === first) continue;
      inCompany += end - start;
      break;
    }
  }
  return inCompany / Math.max(1, interactions.item.length);
}
