/** Weighs the entries of a history as interests. */

import type { HistoryEntry } from '../../history.ts';
import { completeWeights, type EventWeights, eventWeight } from '../../models/event-weights.ts';

/**
 * A view of a group is an interest in its members, effective at once. Models ignore groups unless
 * the environment weights these events: as answers, they would train the blend to recommend groups.
 */
const groupWeights: EventWeights = { group_pageview: 1, group_interaction: 2 };

const noneConfigured: EventWeights = {};

export type Weigher = (entry: HistoryEntry) => number;

/** Caches weights: every entry reads them, and the settings objects never change. */
const weighers = new WeakMap<EventWeights, Weigher>();

export function weigherOf(configured: EventWeights = noneConfigured): Weigher {
  const known =
    weighers.get(configured) ?? createWeigher(completeWeights({ ...groupWeights, ...configured }));
  weighers.set(configured, known);
  return known;
}

function createWeigher(weights: EventWeights): Weigher {
  const byKind = new Map<string, number>();
  return ({ eventType, qualifier }) => {
    const kind = qualifier === undefined ? eventType : `${eventType}:${qualifier}`;
    const weight = byKind.get(kind) ?? eventWeight(weights, eventType, qualifier);
    byKind.set(kind, weight);
    return weight;
  };
}
