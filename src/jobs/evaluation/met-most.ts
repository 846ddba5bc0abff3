/**
 * Baseline for repeated consumption: the subject's most frequent items, ties by overall frequency.
 *
 * The service does not use it, but a blend must beat it where items are consumed repeatedly. It
 * counts all known events of a subject, without decay or limit.
 */

import type { Interactions } from '../../ranking/models/interactions.ts';
import { listDepth } from './metrics.ts';
import type { Ranker } from './rank.ts';

/** @param train Provides the overall frequencies. */
export function createMetMost(source: Interactions, train: Interactions): Ranker {
  const { subjectOffsets, item, weight, itemCount } = source;
  const met = new Int32Array(itemCount);
  const popularity = new Int32Array(itemCount);
  for (const one of train.item) popularity[one] += 1;
  return {
    rank({ question: { subject, event }, admits }) {
      const own: number[] = [];
      for (let at = subjectOffsets[subject]; at < event; at++) {
        if (weight[at] > 0 && met[item[at]]++ === 0) own.push(item[at]);
      }
      const order = (a: number, b: number) => met[b] - met[a] || popularity[b] - popularity[a] || a - b;
      const best = own.filter(admits).sort(order).slice(0, listDepth);
      for (const one of own) met[one] = 0;
      return Int32Array.from(best);
    },
  };
}
