/**
 * What this very person was shown again and again and left alone, lowered among what others propose:
 *
 *   score(i) = -m² / (m² + h²), with m = Σ 2^(-age of the showing / half-life) over the showings since the last contact with i
 *
 * One showing hardly counts, h of them half, and however many there are no more than 1 (Hill, "The possible effects of the
 * aggregation of the molecules of haemoglobin", 1910, has the curve). Showings fade, so nothing stays down for ever. What all
 * people together leave alone is another matter, see click-through.ts.
 */

import { isTouched } from './arrays/accumulator.ts';
import {
  type Algorithm,
  type IndexMapping,
  type Model,
  type NoOptions,
  type Query,
  sumIndexOf,
} from './model.ts';
import type { Sightings } from './sightings.ts';

export type IgnoredTables = {
  /** [h] */
  half: Float64Array;
};

/** An item that somebody was shown since they last turned to it. */
export type Ignored = {
  itemIndex: number;
  /** m */
  times: number;
};

/** h, in showings: so many count half. */
// A linear count would lower an item as soon as it is in view, and a reload would reverse the list.
const halfCount = 3;

/** After so long a showing counts half. */
const halfLifeSeconds = 7 * 86_400;

/** Items that one person can have left alone; further ones are not lowered. */
export const maxIgnored = 200;

export const ignored: Algorithm<{ sightings?: Sightings }, NoOptions, IgnoredTables> = {
  name: 'ignored',
  train: () => ({ half: Float64Array.of(halfCount) }),
  serve: ({ half: [half] }, mapping) => createIgnoredModel(half, mapping),
};

/** One showing of an item to the person in question. */
export type Showing = { itemIndex: number; atSeconds: number };

/**
 * @param contactedAt When the person last turned to an item, Unix seconds; undefined for never.
 */
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
