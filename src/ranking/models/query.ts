/** A request's history and context as weighted seeds, in arrays that are allocated once and reused. */

import { type Ignored, maxIgnored } from './ignored.ts';
import type { IndexMapping, Query } from './model.ts';

/** A recent interest of the user. Either `itemIndex` (an item) or `local` (an interest that is no item). */
export type Recent = {
  itemIndex?: number;
  local?: number;
  ageSeconds: number;
  /** In detail views, as in training; above 0. */
  weight: number;
  /** How often somebody turned to it [once]. */
  contacts?: number;
};

export type QueryInput = {
  /** Newest first; as many count as the query has room for. */
  recents: readonly Recent[];
  /** Item index of the item on display. */
  contextItem?: number;
  /** Rows of the trending model; the first maxSegments count. */
  segments?: readonly number[];
  /** What the user was shown and left alone; the first maxIgnored count. */
  ignored?: readonly Ignored[];
};

/** As many as a request's history may hold; more would cost time without saying much. */
export const mostRecents = 50;
/** Page type, channel, category, and one to spare. */
const maxSegments = 4;

/** How a model weighs the seeds of a query: what a session asks for differs from what a year of purchases does. */
export type SeedProfile = {
  /** Per step back in the history; 1 treats all alike. */
  stepDecay: number;
  /** Interest fades by half in this time even when nothing came after it. */
  halfLifeSeconds: number;
  /** Share of the context item beside a history: the page says what the visit is about now. */
  contextShare: number;
  /** A purchase counts as much as this many views, so that one strong event does not drown a session. */
  maxWeight: number;
};

/** The last three items carry half of the weight. Sessions gain from less, long histories from more. */
export const defaultSeedProfile: SeedProfile = {
  stepDecay: 0.8,
  halfLifeSeconds: 30 * 86_400,
  contextShare: 0.6,
  maxWeight: 3,
};

/** Of the interests that count, for the most frequent of those that are not among the newest: a staple of last month is one still. */
const frequentShare = 0.3;

/**
 * The interests that count when there are more: the newest, and of the older ones those with most contacts.
 * @param recents Newest first; so is the answer.
 */
export function keepRecents(recents: Recent[], most: number): Recent[] {
  if (recents.length <= most) return recents;
  const newestCount = most - Math.floor(most * frequentShare);
  const contactsAt = (place: number) => recents[place].contacts ?? 1;
  const counts = new Float64Array(recents.length - newestCount);
  for (let at = 0; at < counts.length; at++) counts[at] = contactsAt(newestCount + at);
  counts.sort();
  /** What the rarest of those that stay has; of those that have as many, the newest stay. */
  const least = counts[counts.length - (most - newestCount)];
  let equalLeft = counts.lastIndexOf(least) + 1 - (counts.length - (most - newestCount));
  const kept = recents.slice(0, newestCount);
  for (let place = newestCount; place < recents.length; place++) {
    const contacts = contactsAt(place);
    if (contacts > least || (contacts === least && equalLeft-- > 0)) kept.push(recents[place]);
  }
  return kept;
}

export function createQuery(maxRecents = mostRecents): Query {
  const capacity = maxRecents + 1;
  return {
    seedCount: 0,
    seedItemIndex: new Int32Array(capacity),
    seedLocal: new Int32Array(capacity),
    seedStrength: new Float32Array(capacity),
    seedContacts: new Float32Array(capacity),
    seedAgeSeconds: new Float64Array(capacity),
    seedWeight: new Float32Array(capacity),
    hasContext: false,
    segmentCount: 0,
    segments: new Int32Array(maxSegments),
    ignoredCount: 0,
    ignoredItemIndex: new Int32Array(maxIgnored),
    ignoredTimes: new Float32Array(maxIgnored),
  };
}

/** Overwrites a query with a request; the seeds are weighed by `weighSeeds`. */
export function fillQuery(
  query: Query,
  { recents, contextItem, segments, ignored = [] }: QueryInput,
  mapping: IndexMapping,
): void {
  query.seedCount = 0;
  const room = query.seedItemIndex.length - 1;
  for (let place = 0; place < recents.length && place < room; place++) {
    addRecent(query, recents[place], mapping);
  }
  query.hasContext = contextItem !== undefined;
  if (contextItem !== undefined) {
    addRecent(query, { itemIndex: contextItem, ageSeconds: 0, weight: 1 }, mapping);
  }
  query.segmentCount = Math.min(maxSegments, segments?.length ?? 0);
  for (let place = 0; place < query.segmentCount; place++) query.segments[place] = segments![place];
  query.ignoredCount = Math.min(maxIgnored, ignored.length);
  for (let place = 0; place < query.ignoredCount; place++) {
    query.ignoredItemIndex[place] = ignored[place].itemIndex;
    query.ignoredTimes[place] = ignored[place].times;
  }
}

function addRecent(query: Query, recent: Recent, mapping: IndexMapping): void {
  const {
    itemIndex = -1,
    local = mapping.localOf[itemIndex] ?? -1,
    ageSeconds,
    weight,
    contacts = 1,
  } = recent;
  if (!(weight > 0)) return;
  query.seedItemIndex[query.seedCount] = itemIndex;
  query.seedLocal[query.seedCount] = local;
  query.seedStrength[query.seedCount] = weight;
  query.seedContacts[query.seedCount] = contacts;
  query.seedAgeSeconds[query.seedCount++] = Math.max(0, ageSeconds);
}

/** Weighs the seeds by a profile; the weights add up to 1. */
export function weighSeeds(query: Query, profile: SeedProfile): void {
  const { seedWeight, seedStrength, seedAgeSeconds, seedCount, hasContext } = query;
  const recentCount = hasContext ? seedCount - 1 : seedCount;
  let total = 0;
  let step = 1;
  for (let seed = 0; seed < recentCount; seed++) {
    const age = 2 ** (-seedAgeSeconds[seed] / profile.halfLifeSeconds);
    seedWeight[seed] = step * age * Math.min(profile.maxWeight, seedStrength[seed]);
    total += seedWeight[seed];
    step *= profile.stepDecay;
  }
  const share = hasContext ? 1 - profile.contextShare : 1;
  for (let seed = 0; seed < recentCount && total > 0; seed++) seedWeight[seed] *= share / total;
  if (hasContext) seedWeight[recentCount] = total > 0 ? profile.contextShare : 1;
}
