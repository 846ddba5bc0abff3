/**
 * Taste of a subject: what the recommendation models expect it to like, and its next items of
 * ordered groups.
 */
import type { ServingEnvironment } from '../../environment/serving-environment.ts';
import type { Weighting } from '../../environment/weightings.ts';
import type { History } from '../../history.ts';
import { noValues } from '../../lists/person/feedback.ts';
import { createNextInGroup } from '../../lists/person/next-in-group.ts';
import { describePerson, type Person } from '../../lists/person/person.ts';
import { createScorer } from '../../models/blend.ts';
import type { Recent } from '../../models/query.ts';
import type { ItemWorth } from '../search.ts';
import type { SearchSubject } from './served-search.ts';

/** Items with a taste; the best of them has 1. */
const tastedItems = 1_000;

export type SearchingPerson = Pick<Person, 'recents' | 'reached'> & {
  feedback: Pick<Person['feedback'], 'lessOf'>;
};

/** A person without a history. */
export const personWithoutHistory: SearchingPerson = {
  recents: [],
  reached: new Map(),
  feedback: { lessOf: noValues },
};

export function personOf(
  searcher: SearchSubject,
  history: History | undefined,
  { catalog, models, settings }: ServingEnvironment,
  nowMs: number,
): SearchingPerson {
  return describePerson(history?.entries ?? [], searcher.histories, {
    catalog,
    models,
    itemTypes: settings.itemTypes,
    eventWeights: settings.eventWeights,
    nowSeconds: nowMs / 1000,
    consumed: history?.consumed,
  });
}

/** Returns undefined where no item has a group. */
export function nextFor({ reached }: SearchingPerson, { catalog }: ServingEnvironment, nowMs: number) {
  if (catalog.groups.count === 0) return undefined;
  return createNextInGroup({ catalog, reached, mayCome: (itemIndex) => catalog.servable(itemIndex, nowMs) })
    .of;
}

/** Creates the taste of a subject by item, 0 to 1; undefined for a subject without history. */
export function createTaste() {
  const scorer = createScorer({ itemCount: 0 });
  return (recents: Recent[], { models }: ServingEnvironment, weighting: Weighting): ItemWorth | undefined => {
    if (recents.length === 0) return undefined;
    scorer.begin(models.blendFor(weighting), { recents, limit: tastedItems });
    if (scorer.readTo(1) === 0) return undefined;
    const best = scorer.scores[0];
    return best > 0 ? (itemIndex) => Math.max(0, scorer.scoreAt(itemIndex)) / best : undefined;
  };
}
