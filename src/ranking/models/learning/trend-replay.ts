/** Replays trends at any time of a log, so that learning sees live models as served. */

import type { Interactions } from '../interactions.ts';
import type { IndexMapping, Model } from '../model.ts';
import type { Recent } from '../query.ts';
import { createTrendModels, type TrendView } from '../trends/trend-models.ts';
import { createTrends, emptyTrends, interestCategories, type Trends } from '../trends/trends.ts';

export type TrendReplay = {
  /** Moves to a time (Unix seconds): earlier events count. Only trends in the categories of `seeds` are ranked. */
  moveTo(atSeconds: number, seeds: readonly Recent[]): void;
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
  const { sightings } = source;
  const contacts = inOrderOfTime(source, source.subjectOffsets, (trends, event, subject) => {
    if (source.fullWeight[event] > 0) trends.add(source.item[event], source.timeSeconds[event], 1, subject);
  });
  const impressions = sightings
    ? inOrderOfTime(sightings, sightings.subjectOffsets, (trends, row, subject) =>
        trends.show(sightings.item[row], sightings.timeSeconds[row], subject),
      )
    : undefined;
  let trends: Trends = createTrends(traits);
  let reachedSeconds = Number.NEGATIVE_INFINITY;
  let snapshot = emptyTrends;
  const view: TrendView = { current: () => snapshot, categoryOf, itemCount: source.itemCount };
  return {
    modelsFor: (mapping) => createTrendModels(view, mapping),
    moveTo(atSeconds, seeds) {
      if (atSeconds < reachedSeconds) {
        trends = createTrends(traits);
        contacts.restart();
        impressions?.restart();
      }
      if (atSeconds < reachedSeconds || atSeconds >= reachedSeconds + staleSeconds)
        reachedSeconds = atSeconds;
      contacts.countBefore(reachedSeconds, trends);
      impressions?.countBefore(reachedSeconds, trends);
      const wanted = seeds.map(({ itemIndex = -1 }) => categoryOf(itemIndex));
      snapshot = trends.snapshot(reachedSeconds, new Set(wanted));
    },
  };
}

/** Counts rows of subjects in the order of time. */
function inOrderOfTime(
  { timeSeconds }: { timeSeconds: Float64Array },
  subjectOffsets: Int32Array,
  count: (trends: Trends, row: number, subject: number) => void,
) {
  const order = Uint32Array.from(timeSeconds.keys()).sort((a, b) => timeSeconds[a] - timeSeconds[b]);
  const subjectOf = new Int32Array(timeSeconds.length);
  for (let subject = 0; subject + 1 < subjectOffsets.length; subject++)
    subjectOf.fill(subject, subjectOffsets[subject], subjectOffsets[subject + 1]);
  let next = 0;
  return {
    restart: () => {
      next = 0;
    },
    countBefore(atSeconds: number, trends: Trends) {
      for (; next < order.length && timeSeconds[order[next]] < atSeconds; next++)
        count(trends, order[next], subjectOf[order[next]]);
    },
  };
}
