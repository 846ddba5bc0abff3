/** A request's history and context as weighted seeds, in arrays that are allocated once and reused. */

import type { IndexMapping, Query } from './model.ts';

/** A recent interest of the user. Either `itemIndex` (an item) or `local` (an interest that is no item). */
export type Recent = {
  itemIndex?: number;
  local?: number;
  ageSeconds: number;
  /** In detail views, as in training; above 0. */
  weight: number;
};

export type QueryInput = {
  /** Newest first; the first MAX_RECENTS count. */
  recents: readonly Recent[];
  /** Item index of the item on display. */
  contextItem?: number;
  /** Rows of the trending model; the first MAX_SEGMENTS count. */
  segments?: readonly number[];
};

/** As many as a history may hold in a request; older ones would weigh under a thousandth. */
export const MAX_RECENTS = 50;
/** Page type, channel, category, and one to spare. */
export const MAX_SEGMENTS = 4;

/** How history and context become weights. */
export const seedWeights = {
  /** Per step back in the history: the last three items carry half of the weight. Sessions gain from less, long histories from more. */
  stepDecay: 0.8,
  /** Interest fades by half in a month even when nothing came after it. */
  halfLifeSeconds: 30 * 86_400,
  /** Share of the context item beside a history: the page says what the visit is about now. */
  contextShare: 0.6,
  /** A purchase counts as much as this many views, so that one strong event does not drown a session. */
  maxWeight: 3,
};

export function createQuery(): Query {
  return {
    seedCount: 0,
    seedItemIndex: new Int32Array(MAX_RECENTS + 1),
    seedLocal: new Int32Array(MAX_RECENTS + 1),
    seedWeight: new Float32Array(MAX_RECENTS + 1),
    segmentCount: 0,
    segments: new Int32Array(MAX_SEGMENTS),
  };
}

/** Overwrites a query with a request. */
export function fillQuery(
  query: Query,
  { recents, contextItem, segments }: QueryInput,
  mapping: IndexMapping,
): void {
  query.seedCount = 0;
  const recentsTotal = addRecents(query, recents, mapping);
  const recentsShare = contextItem === undefined ? 1 : 1 - seedWeights.contextShare;
  for (let seed = 0; seed < query.seedCount; seed++) query.seedWeight[seed] *= recentsShare / recentsTotal;
  if (contextItem !== undefined) {
    addSeed(
      query,
      contextItem,
      mapping.localOf[contextItem] ?? -1,
      query.seedCount === 0 ? 1 : seedWeights.contextShare,
    );
  }
  query.segmentCount = Math.min(MAX_SEGMENTS, segments?.length ?? 0);
  for (let place = 0; place < query.segmentCount; place++) query.segments[place] = segments![place];
}

function addRecents(query: Query, recents: readonly Recent[], mapping: IndexMapping): number {
  let total = 0;
  let step = 1;
  for (let place = 0; place < recents.length && place < MAX_RECENTS; place++) {
    const { itemIndex = -1, local = mapping.localOf[itemIndex] ?? -1, ageSeconds, weight } = recents[place];
    const age = 2 ** (-Math.max(0, ageSeconds) / seedWeights.halfLifeSeconds);
    const seedWeight = Math.fround(step * age * Math.min(seedWeights.maxWeight, Math.max(0, weight)));
    step *= seedWeights.stepDecay;
    if (!(seedWeight > 0)) continue;
    addSeed(query, itemIndex, local, seedWeight);
    total += seedWeight;
  }
  return total;
}

function addSeed(query: Query, itemIndex: number, local: number, weight: number): void {
  query.seedItemIndex[query.seedCount] = itemIndex;
  query.seedLocal[query.seedCount] = local;
  query.seedWeight[query.seedCount++] = weight;
}
