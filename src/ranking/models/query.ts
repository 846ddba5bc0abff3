/** A request's history and context as weighted seeds, in reusable arrays. */

import { type Ignored, maxIgnored } from './ignored.ts';
import type { Bought, IndexMapping, Query } from './model.ts';
import type { Rhythm } from './visits.ts';

/** A recent interest of the subject: `itemIndex` (an item) or `local` (not an item). */
export type Recent = {
  itemIndex?: number;
  local?: number;
  ageSeconds: number;
  /** In detail views, as in training; above 0. */
  weight: number;
  /** Number of contacts [once]. */
  contacts?: number;
  /** Similarity of the last contact's time of day with the request's, 0 to 1 [0]. */
  sameTime?: number;
  /** Earlier visits with contacts [none]. */
  rhythm?: Rhythm;
};

export type QueryInput = {
  /** Newest first; limited by the query's capacity. */
  recents: readonly Recent[];
  /** Item index of the item on display. */
  contextItem?: number;
  /** Rows of the trending model; the first maxSegments count. */
  segments?: readonly number[];
  /** Items the subject ignored; the first maxIgnored count. */
  ignored?: readonly Ignored[];
  /** Purchases, the newest first; at most maxBought [none]. */
  bought?: readonly Bought[];
  /** Size of the longest list to be made of the candidates [the usual size]. */
  listSize?: number;
};

/** Purchases per request. */
export const maxBought = 20;

/** Recent interests per request; more would cost time and add little. */
export const mostRecents = 50;
/** Page type, channel, category, and one to spare. */
const maxSegments = 4;

/** Seed weighting of a model: a session differs from a year of purchases. */
export type SeedProfile = {
  /** Factor per step back in the history; 1 weighs all equally. */
  stepDecay: number;
  /** Time in which interest halves, with or without later events. */
  halfLifeSeconds: number;
  /** Share of the context item beside a history: the page tells what the visit is about. */
  contextShare: number;
  /** Largest weight, in views, so that a purchase does not outweigh a session. */
  maxWeight: number;
  /** Weigh interests by the number of contacts, whatever their kind [false]. */
  byContacts?: boolean;
  /** Additional share of a contact at the request's time of day [0]. */
  timeOfDay?: number;
};

/** The last three items carry half of the weight. Sessions prefer fewer, long histories more. */
export const defaultSeedProfile: SeedProfile = {
  stepDecay: 0.8,
  halfLifeSeconds: 30 * 86_400,
  contextShare: 0.3,
  maxWeight: 3,
};

/** Share of the frequent older interests: last month's staple still counts. */
const frequentShare = 0.3;

/**
 * Limits the interests: keeps the newest, and of the older ones those with most contacts.
 * @param recents Newest first; so is the result.
 */
export function keepRecents(recents: Recent[], most: number): Recent[] {
  if (recents.length <= most) return recents;
  const newestCount = most - Math.floor(most * frequentShare);
  const contactsAt = (place: number) => recents[place].contacts ?? 1;
  const counts = new Float64Array(recents.length - newestCount);
  for (let at = 0; at < counts.length; at++) counts[at] = contactsAt(newestCount + at);
  counts.sort();
  /** Fewest contacts of the kept interests; the newest win ties. */
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
    seedSameTime: new Float32Array(capacity),
    seedRhythm: new Array(capacity).fill(undefined),
    seedWeight: new Float32Array(capacity),
    hasContext: false,
    segmentCount: 0,
    segments: new Int32Array(maxSegments),
    ignoredCount: 0,
    ignoredItemIndex: new Int32Array(maxIgnored),
    ignoredTimes: new Float32Array(maxIgnored),
    bought: [],
    listSize: 0,
  };
}

/** Overwrites a query with a request; `weighSeeds` then weighs the seeds. */
export function fillQuery(
  query: Query,
  { recents, contextItem, segments, ignored = [], bought = [], listSize = 0 }: QueryInput,
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
  query.bought = bought;
  query.listSize = listSize;
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
    sameTime = 0,
    rhythm,
  } = recent;
  if (!(weight > 0)) return;
  query.seedRhythm[query.seedCount] = rhythm;
  query.seedItemIndex[query.seedCount] = itemIndex;
  query.seedLocal[query.seedCount] = local;
  query.seedStrength[query.seedCount] = weight;
  query.seedContacts[query.seedCount] = contacts;
  query.seedSameTime[query.seedCount] = sameTime;
  query.seedAgeSeconds[query.seedCount++] = Math.max(0, ageSeconds);
}

/** Weighs the seeds by a profile; the weights add up to 1. */
export function weighSeeds(query: Query, profile: SeedProfile): void {
  const { seedWeight, seedAgeSeconds, seedSameTime, seedCount, hasContext } = query;
  const { timeOfDay = 0 } = profile;
  const strengths = profile.byContacts ? query.seedContacts : query.seedStrength;
  const recentCount = hasContext ? seedCount - 1 : seedCount;
  let total = 0;
  let step = 1;
  for (let seed = 0; seed < recentCount; seed++) {
    const age = 2 ** (-seedAgeSeconds[seed] / profile.halfLifeSeconds);
    const strength = Math.min(profile.maxWeight, strengths[seed]);
    seedWeight[seed] = step * age * strength * (1 + timeOfDay * seedSameTime[seed]);
    total += seedWeight[seed];
    step *= profile.stepDecay;
  }
  const share = hasContext ? 1 - profile.contextShare : 1;
  for (let seed = 0; seed < recentCount && total > 0; seed++) seedWeight[seed] *= share / total;
  if (hasContext) seedWeight[recentCount] = total > 0 ? profile.contextShare : 1;
}
