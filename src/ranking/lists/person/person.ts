/**
 * Describes a subject by stored and request histories: weighted recent interests, and items to
 * exclude because they were consumed.
 */

import type { ItemTypeSettings } from '../../../deployment/deployment.ts';
import { interactionFactor, isImpression, isPurchase } from '../../../events/meaning.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import type { ServingModels } from '../../environment/serving-models.ts';
import type { History, HistoryEntry } from '../../history.ts';
import { interestShares, withoutBought } from '../../models/calibration.ts';
import type { EventWeights } from '../../models/event-weights.ts';
import { gatherIgnored, type Ignored, type Showing } from '../../models/ignored.ts';
import type { Bought } from '../../models/model.ts';
import { keepRecents, maxBought, mostRecents, type Recent } from '../../models/query.ts';
import { similarTime } from '../../models/time-of-day.ts';
import { createRhythms, visitGapSeconds } from '../../models/visits.ts';
import type { HistoryInput } from '../recommendation-request.ts';
import { type Feedback, readFeedback } from './feedback.ts';
import { noteReached, type Reached } from './next-in-group.ts';
import { findStandIns } from './stand-ins.ts';
import { weigherOf } from './weigher.ts';

/** A request history entry counts as an interaction, because the client chose to send it. */
const requestHistoryWeight = 2;

export type PersonOptions = {
  catalog: Catalog;
  models: ServingModels;
  itemTypes: ReadonlyMap<string, ItemTypeSettings>;
  /** The environment's event weights; absent ones keep their default. */
  eventWeights?: EventWeights;
  nowSeconds: number;
  /** Impressions, if they consume items; they are no interests [none]. */
  impressions?: readonly HistoryEntry[];
  /** Earlier consumed items; they are no interests [none]. */
  consumed?: readonly HistoryEntry[];
  /** Returns the category of an item for interests [none]. */
  categoryOf?(itemIndex: number): string | undefined;
};

export type Person = {
  /** Whether the newest interest is from before this visit. */
  isReturning: boolean;
  /** Share of each category in the interests; see interestShares. */
  shares: ReadonlyMap<string, number>;
  /** Distinct interests, newest first, at most mostRecents; see keepRecents. */
  recents: Recent[];
  /** Categories and groups that the request names as interests, for the trending segments. */
  categories: string[];
  /** Catalogue positions of consumed items. */
  consumed: number[];
  /** Progress in ordered groups. */
  reached: Reached;
  feedback: Feedback;
};

/**
 * Catalogue data of an entry's item, cached on the entry: position times four, plus two flags.
 * Positions never change, and a history serves many requests; 70 lookups by ID take about 50 µs. A
 * number avoids an object for each of a hundred thousand entries.
 */
type Place = number;
const positions = 4;
/** Flag: the event consumes the item. */
const consumes = 2;
/** Flag: the event finishes the item, whether it consumes it or not. */
const finishes = 1;

type Interest = {
  itemIndex?: number;
  local?: number;
  atSeconds: number;
  weight: number;
  /** Whether the item represents its category, without events of its own. */
  standsIn?: boolean;
};

/** An interest in a category or group by name; stand-ins for all names are found together. */
type NamedInterest = { name: string; atSeconds: number; weight: number };

export function describePerson(
  entries: readonly HistoryEntry[],
  histories: readonly (readonly HistoryInput[])[],
  options: PersonOptions,
): Person {
  const consumed: number[] = [];
  const categories: string[] = [];
  const interests: (Interest | NamedInterest)[] = [];
  const reached: Reached = new Map();
  const feedback = feedbackOf(entries, options);
  const { removed, unfinished } = feedback;
  const findings = { interests, consumed, reached, unfinished };
  for (const history of histories) readHistory(history, options, { ...findings, categories });
  const weigh = weigherOf(options.eventWeights);
  for (const entry of entries) readEntry(entry, weigh(entry), options, findings);
  const seen = isConsumedByShowing(options) ? (options.impressions ?? []) : [];
  for (const entry of [...seen, ...(options.consumed ?? [])])
    noteConsumption(entry, placeOf(entry, options), options, findings);
  for (const [itemIndex, atSeconds] of unfinished)
    noteReached(reached, options.catalog, { itemIndex, atSeconds, isUnfinished: true });
  const found = withStandIns(interests, options).filter(({ itemIndex }) => !removed.has(itemIndex!));
  found.sort((a, b) => b.atSeconds - a.atSeconds);
  const isReturning = found.length > 0 && options.nowSeconds - found[0].atSeconds > visitGapSeconds;
  const recents = toRecents(found, options.nowSeconds);
  const shares = options.categoryOf ? interestShares(recents, isReturning, options.categoryOf) : new Map();
  return { recents, shares, isReturning, categories, consumed, reached, feedback };
}

function feedbackOf(entries: readonly HistoryEntry[], options: PersonOptions): Feedback {
  const { consumed = [] } = options;
  const itemIndexOf = (entry: HistoryEntry): number | undefined => {
    const place = placeOf(entry, options);
    return place === undefined ? undefined : itemIndexAt(place);
  };
  return readFeedback(consumed.length > 0 ? [...entries, ...consumed] : entries, { ...options, itemIndexOf });
}

function withStandIns(interests: (Interest | NamedInterest)[], options: PersonOptions): Interest[] {
  const named = interests.filter((one) => 'name' in one);
  if (named.length === 0) return interests as Interest[];
  const standIns = findStandIns(new Set(named.map(({ name }) => name)), options);
  return interests.flatMap((one): Interest[] => {
    if (!('name' in one)) return [one];
    const { name, atSeconds, weight } = one;
    const items = standIns.get(name) ?? [];
    return items.map((itemIndex) => ({
      itemIndex,
      atSeconds,
      weight: weight / items.length,
      standsIn: true,
    }));
  });
}

type Findings = Pick<Person, 'consumed' | 'reached'> &
  Pick<Feedback, 'unfinished'> & { interests: (Interest | NamedInterest)[] };

function readEntry(entry: HistoryEntry, weight: number, options: PersonOptions, findings: Findings): void {
  const { itemType, itemId, occurredAtSeconds: atSeconds } = entry;
  const place = placeOf(entry, options);
  if (place === undefined) {
    if (weight === 0) return;
    const interest = otherInterest(itemType, itemId, { atSeconds, weight }, options);
    if (interest !== undefined) findings.interests.push(interest);
    return;
  }
  noteConsumption(entry, place, options, findings);
  if (weight !== 0) findings.interests.push({ itemIndex: itemIndexAt(place), atSeconds, weight });
}

/** Only a purchase consumes an unfinished item. */
function noteConsumption(
  { eventType, occurredAtSeconds: atSeconds }: HistoryEntry,
  place: Place | undefined,
  { catalog }: Pick<PersonOptions, 'catalog'>,
  { consumed, reached, unfinished }: Findings,
): void {
  if (place === undefined) return;
  const itemIndex = itemIndexAt(place);
  const isUnfinished = unfinished.has(itemIndex);
  if (place & consumes && (!isUnfinished || isPurchase(eventType))) consumed.push(itemIndex);
  if (place & finishes && !isUnfinished) noteReached(reached, catalog, { itemIndex, atSeconds });
}

/** Whether an impression consumes items of any type. */
function isConsumedByShowing({ itemTypes }: Pick<PersonOptions, 'itemTypes'>): boolean {
  for (const { consumedBy } of itemTypes.values())
    for (const eventType of consumedBy) if (isImpression(eventType)) return true;
  return false;
}

/** Resolves an interest that is no item: by the models' index if known, else by name. */
function otherInterest(
  itemType: string,
  id: string,
  { atSeconds, weight }: Pick<Interest, 'atSeconds' | 'weight'>,
  options: PersonOptions,
): Interest | NamedInterest | undefined {
  const local = options.models.interestOf(itemType, id);
  if (local !== undefined) return { local, atSeconds, weight };
  if (weight < 0 || options.itemTypes.has(itemType)) return undefined;
  return { name: id, atSeconds, weight };
}

function placeOf(
  entry: HistoryEntry,
  options: Pick<PersonOptions, 'catalog' | 'itemTypes'>,
): Place | undefined {
  entry.place ??= findPlace(entry, options);
  return entry.place;
}

function findPlace(
  { itemType, itemId, ...event }: HistoryEntry,
  { catalog, itemTypes }: Pick<PersonOptions, 'catalog' | 'itemTypes'>,
): Place | undefined {
  const itemIndex = catalog.indexOfId(itemId, itemType || undefined);
  if (itemIndex === undefined) return undefined;
  const declared = itemTypes.get(catalog.itemTypeAt(itemIndex));
  if (!declared?.consumedBy.has(event.eventType) || leavesOpen(event, declared)) return itemIndex * positions;
  return itemIndex * positions + finishes + (declared.reconsumable ? 0 : consumes);
}

/** Whether an event does not consume: an early checkpoint, a dislike, or an interaction taken back. */
function leavesOpen(
  { eventType, qualifier }: Pick<HistoryEntry, 'eventType' | 'qualifier'>,
  { consumedAtPercent }: ItemTypeSettings,
): boolean {
  if (qualifier === undefined) return false;
  if (eventType === 'checkpoint') return Number(qualifier) < consumedAtPercent;
  return interactionFactor(qualifier) <= 0;
}

function itemIndexAt(place: Place): number {
  return Math.floor(place / positions);
}

/** Entries without timestamp count as now; later ones are more recent. */
function readHistory(
  history: readonly HistoryInput[],
  options: PersonOptions,
  { interests, consumed, reached, categories }: Findings & { categories: string[] },
): void {
  const { catalog, nowSeconds } = options;
  for (const [place, { id, itemType, reconsumable, timestampSeconds }] of history.entries()) {
    const itemIndex = catalog.indexOfId(id, itemType);
    if (!reconsumable) consumed.push(...catalog.indexesOfId(id, itemType));
    const atSeconds = timestampSeconds ?? nowSeconds + (place - history.length) / 1000;
    if (itemIndex !== undefined) noteReached(reached, catalog, { itemIndex, atSeconds });
    const interest = { atSeconds, weight: requestHistoryWeight };
    if (itemIndex !== undefined) interests.push({ itemIndex, ...interest });
    else {
      categories.push(id);
      const other = otherInterest(itemType ?? 'group', id, interest, options);
      if (other !== undefined) interests.push(other);
    }
  }
}

type Merged = Recent & { atSeconds: number; contacts: number };

/**
 * Sums weights of repeated interests at their latest time and drops sums that are not positive.
 * Ages are relative to the newest interest, so a long absence does not fade interests.
 */
function toRecents(interests: readonly Interest[], nowSeconds: number): Recent[] {
  const places = new Map<number, number>();
  const merged: Merged[] = [];
  const rhythmAt = createRhythms(nowSeconds);
  for (const { itemIndex, local, atSeconds, weight, standsIn } of interests) {
    const key = itemIndex ?? -1 - local!;
    const contacts = weight > 0 && !standsIn ? 1 : 0;
    const place = places.get(key);
    const rhythm = rhythmAt(atSeconds, contacts, place === undefined ? undefined : merged[place].rhythm);
    if (place !== undefined) {
      merged[place].weight += weight;
      merged[place].contacts += contacts;
      merged[place].rhythm = rhythm;
    } else {
      places.set(key, merged.length);
      const sameTime = similarTime(atSeconds, nowSeconds);
      merged.push({ itemIndex, local, atSeconds, ageSeconds: 0, weight, contacts, sameTime, rhythm });
    }
  }
  const recents = merged.filter(({ weight }) => weight > 0);
  for (const recent of recents) recent.ageSeconds = recents[0].atSeconds - recent.atSeconds;
  return keepRecents(recents, mostRecents);
}

/** Finds the latest purchases, newest first. */
export function findBought(
  { entries, consumed }: Pick<History, 'entries' | 'consumed'>,
  options: Pick<PersonOptions, 'catalog' | 'itemTypes' | 'nowSeconds'>,
): Bought[] {
  const purchases = [...entries, ...consumed].filter(({ eventType }) => isPurchase(eventType));
  const bought = Array.from(placed(purchases, options), ({ itemIndex, atSeconds }) => ({
    itemIndex,
    ageSeconds: Math.max(0, options.nowSeconds - atSeconds),
  }));
  return bought.sort((a, b) => a.ageSeconds - b.ageSeconds).slice(0, maxBought);
}

/** Returns the shares after purchases, except those of reconsumable items; see withoutBought. */
export function sharesAfter(
  { shares, recents }: Person,
  bought: readonly Bought[],
  { catalog, itemTypes, categoryOf }: Pick<PersonOptions, 'catalog' | 'itemTypes' | 'categoryOf'>,
): Person['shares'] {
  if (!categoryOf) return shares;
  const isOnceOnly = ({ itemIndex }: Bought) => !itemTypes.get(catalog.itemTypeAt(itemIndex))?.reconsumable;
  return withoutBought(shares, { recents, bought: bought.filter(isOnceOnly) }, categoryOf);
}

/** Finds items with impressions since their last interaction, latest impressions first. */
export function findIgnored(
  { entries, impressions }: Pick<History, 'entries' | 'impressions'>,
  options: Pick<PersonOptions, 'catalog' | 'itemTypes' | 'nowSeconds'>,
): Ignored[] {
  if (impressions.length === 0) return [];
  const contacts = new Map<number, number>();
  for (const { itemIndex, atSeconds } of placed(entries, options)) {
    contacts.set(itemIndex, Math.max(atSeconds, contacts.get(itemIndex) ?? atSeconds));
  }
  return gatherIgnored(
    placed(impressions, options),
    (itemIndex) => contacts.get(itemIndex),
    options.nowSeconds,
  );
}

/** Yields the entries about catalogue items. */
function* placed(
  entries: readonly HistoryEntry[],
  options: Pick<PersonOptions, 'catalog' | 'itemTypes'>,
): Generator<Showing> {
  for (const entry of entries) {
    const place = placeOf(entry, options);
    if (place === undefined) continue;
    yield { itemIndex: itemIndexAt(place), atSeconds: entry.occurredAtSeconds };
  }
}
