/** Replays trends at any time of a log, so that learning sees live models as served. */

import type { Interactions } from '../interactions.ts';
import type { IndexMapping, Model } from '../model.ts';
import { createTrendModels, type TrendView } from '../trends/trend-models.ts';
import { createTrends, emptyTrends, interestCategories, type Trends } from '../trends/trends.ts';

export type TrendReplay = {
  /** Moves to a time (Unix seconds): earlier events count. */
  moveTo(atSeconds: number): void;
  modelsFor(mapping: IndexMapping): Model[];
};

export type TrendFacts = {
  categories?: { keys: readonly string[]; ofItem: Int32Array };
  publishedAt?: Float64Array;
};

/** Largest age of a trend snapshot. */
const staleSeconds = 60;

export function createTrendReplay(
  source: Interactions,
  { categories, publishedAt }: TrendFacts,
): TrendReplay {
  const categoryOf = categories ? interestCategories(categories) : () => undefined;
  const traits = {
    itemCount: source.itemCount,
    categoryOf,
    publishedAt: (item: number) => publishedAt?.[item] ?? Number.NaN,
    isPresent: () => true,
  };
  const order = orderByTime(source);
  const subjectOf = subjectsOf(source);
  let trends: Trends = createTrends(traits);
  let next = 0;
  let reachedSeconds = Number.NEGATIVE_INFINITY;
  let snapshot = emptyTrends;
  const view: TrendView = { current: () => snapshot, categoryOf, itemCount: source.itemCount };
  return {
    modelsFor: (mapping) => createTrendModels(view, mapping),
    moveTo(atSeconds) {
      if (atSeconds >= reachedSeconds && atSeconds < reachedSeconds + staleSeconds) return;
      if (atSeconds < reachedSeconds) {
        trends = createTrends(traits);
        next = 0;
      }
      reachedSeconds = atSeconds;
      for (; next < order.length && source.timeSeconds[order[next]] < atSeconds; next++) {
        const event = order[next];
        if (source.fullWeight[event] > 0)
          trends.add(source.item[event], source.timeSeconds[event], 1, subjectOf[event]);
      }
      snapshot = trends.snapshot(atSeconds);
    },
  };
}

function orderByTime({ timeSeconds }: Interactions): Uint32Array {
  return Uint32Array.from(timeSeconds.keys()).sort((a, b) => timeSeconds[a] - timeSeconds[b]);
}

function subjectsOf({ subjectCount, subjectOffsets, item }: Interactions): Int32Array {
  const subjects = new Int32Array(item.length);
  for (let subject = 0; subject < subjectCount; subject++)
    subjects.fill(subject, subjectOffsets[subject], subjectOffsets[subject + 1]);
  return subjects;
}
