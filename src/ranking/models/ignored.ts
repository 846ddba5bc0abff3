/**
 * Lowers proposed items that this subject was shown repeatedly without contact:
 *
 *   score(i) = -m² / (m² + h²)
 *   m = Σ 2^(-age of the impression / half-life) over the impressions since the last contact with i
 *
 * One impression hardly counts, h of them half, and any number at most 1 (curve: Hill, "The
 * possible effects of the aggregation of the molecules of haemoglobin", 1910). Impressions fade, so
 * items recover. For items that all subjects ignore see click-through.ts.
 */

import { isTouched } from './arrays/accumulator.ts';
import type { Sightings } from './exposures.ts';
import {
  type Algorithm,
  type IndexMapping,
  type Model,
  type NoOptions,
  type Query,
  sumIndexOf,
} from './model.ts';

export type IgnoredTables = {
  /** [h] */
  half: Float64Array;
};

/** An item shown to the subject since their last contact with it. */
export type Ignored = {
  itemIndex: number;
  /** m */
  times: number;
};

/** h: impressions that halve the effect. */
// A linear count would lower an item on its first view, so a reload would reverse the list.
const halfCount = 3;

/** Time after which an impression counts half. */
const halfLifeSeconds = 7 * 86_400;

/** Ignored items tracked per subject; further ones are not lowered. */
export const maxIgnored = 200;

export const ignored: Algorithm<{ sightings?: Sightings }, NoOptions, IgnoredTables> = {
  name: 'ignored',
  train: () => ({ half: Float64Array.of(halfCount) }),
  serve: ({ half: [half] }, mapping) => createIgnoredModel(half, mapping),
};

/** One impression of an item to the subject. */
export type Showing = { itemIndex: number; atSeconds: number };

/** @param contactedAt Unix seconds of the subject's last contact with an item, or undefined. */
export function gatherIgnored(
  showings: Iterable<Showing>,
  contactedAt: (itemIndex: number) => number | undefined,
  nowSeconds: number,
): Ignored[] {
  const byItem = new Map<number, Ignored>();
  for (const { itemIndex, atSeconds } of showings) {
    if (atSeconds <= (contactedAt(itemIndex) ?? Number.NEGATIVE_INFINITY)) continue;
    const times = 2 ** (-Math.max(0, nowSeconds - atSeconds) / halfLifeSeconds);
    const known = byItem.get(itemIndex);
    if (known !== undefined) known.times += times;
    else if (byItem.size < maxIgnored) byItem.set(itemIndex, { itemIndex, times });
  }
  return [...byItem.values()];
}

function createIgnoredModel(half: number, mapping: IndexMapping): Model {
  const scoreAt = (query: Query, place: number): number => {
    const square = query.ignoredTimes[place] ** 2;
    return -square / (square + half ** 2);
  };
  return {
    name: 'ignored',
    role: 'lifts',
    accumulate(query, weight, accumulator) {
      for (let place = 0; place < query.ignoredCount; place++) {
        const index = sumIndexOf(mapping, query.ignoredItemIndex[place]);
        if (isTouched(accumulator, index)) accumulator.scores[index] += weight * scoreAt(query, place);
      }
    },
    explain(query, weight, itemIndex) {
      const place = query.ignoredItemIndex.subarray(0, query.ignoredCount).indexOf(itemIndex);
      return place < 0 ? [] : [{ score: weight * scoreAt(query, place) }];
    },
  };
}
