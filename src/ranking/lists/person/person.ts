/**
 * Who is asking: the stored history and the request's own histories as weighted recent interests, and as the items that
 * must not be recommended again.
 */

import type { ItemTypeSettings } from '../../../deployment/deployment.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import type { ServingModels } from '../../environment/serving-models.ts';
import type { History, HistoryEntry } from '../../history.ts';
import { completeWeights, type EventWeights, eventWeight, isImpression } from '../../models/event-weights.ts';
import { gatherIgnored, type Ignored, type Showing } from '../../models/ignored.ts';
import { visitGapSeconds } from '../../models/learning/questions.ts';
import { keepRecents, mostRecents, type Recent } from '../../models/query.ts';
import type { HistoryInput } from '../recommendation-request.ts';
import { noteReached, type Reached } from './next-in-group.ts';
import { findStandIns } from './stand-ins.ts';

/** An entry of the caller's histories counts as much as an interaction: somebody chose to pass it on. */
const requestHistoryWeight = 2;

export type PersonOptions = {
  catalog: Catalog;
  models: ServingModels;
  itemTypes: ReadonlyMap<string, ItemTypeSettings>;
  /** What the environment sets; what is absent keeps its default. */
  eventWeights?: EventWeights;
  nowSeconds: number;
  /** What the person was shown, where that may consume; it is no interest [nothing]. */
  impressions?: readonly HistoryEntry[];
  /** What they consumed before; it is no interest [nothing]. */
  consumed?: readonly HistoryEntry[];
  /** Category of an item, as far as interests go [none]. */
  categoryOf?(itemIndex: number): string | undefined;
};

/** Interests fade by half in this time, or in a visit by so much a step. */
const shareHalfLifeSeconds = 30 * 86_400;
const shareStepDecay = 0.9;

/** Interests that are known as well as none. */
const unknownInterests = 2;

/** Fewer interests say nothing of a mix. */
const fewestInterests = 4;

function sharesOf(
  recents: readonly Recent[],
  isReturning: boolean,
  categoryOf: PersonOptions['categoryOf'],
): ReadonlyMap<string, number> {
  const shares = new Map<string, number>();
  if (!categoryOf || recents.length < fewestInterests) return shares;
  let total = unknownInterests;
  let step = 1;
  for (const { itemIndex, ageSeconds, contacts = 1 } of recents) {
    const worth = step * contacts * 2 ** (-ageSeconds / shareHalfLifeSeconds);
    if (!isReturning) step *= shareStepDecay;
    total += worth;
    const category = itemIndex === undefined ? undefined : categoryOf(itemIndex);
    if (category !== undefined) shares.set(category, (shares.get(category) ?? 0) + worth);
  }
  for (const [category, sum] of shares) shares.set(category, sum / total);
  return shares;
}

const defaultWeights = completeWeights();

/**
 * A look at a group is an interest in what it holds, at once. Models are not trained on groups unless the environment weighs these
 * events: as answers they would teach the blend to ask for what cannot be recommended.
 */
const groupWeights = new Map([
  ['group_pageview', 1],
  ['group_interaction', 2],
]);

export type Person = {
  /** Whether nothing is known of the visit at hand: the newest interest is older than a break between visits. */
  isReturning: boolean;
  /** Interests of a person in categories, by weight and age: what a calibrated list follows. */
  shares: ReadonlyMap<string, number>;
  /** Newest first, each interest once, at most mostRecents; see keepRecents. */
  recents: Recent[];
  /** Categories and groups among the interests that the caller named, for the trending segments. */
  categories: string[];
  /** Positions of consumed items. */
  consumed: number[];
  /** How far they have come in groups that have an order. */
  reached: Reached;
};

/**
 * What the catalogue says of an entry's item: its position times four, plus two marks. The entry remembers it: an item keeps
 * its position for ever, and a history serves many requests. Finding seventy items by their ids anew takes some 50 µs. It
 * is a number, as an object for each of a hundred thousand entries would be one more for the garbage collector.
 */
type Place = number;
const positions = 4;
/** So that it must not come again. */
const consumes = 2;
/** Whether it may come again or not. */
const finishes = 1;

type Interest = {
  itemIndex?: number;
  local?: number;
  atSeconds: number;
  weight: number;
  /** The item is there for its category: nobody turned to itself. */
  standsIn?: boolean;
};

/** An interest in a category or group by name; the items that stand in for it are found for all names at once. */
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
  for (const history of histories)
    readHistory(history, options, { interests, consumed, reached, categories });
  const weights = weightsOf(options.eventWeights);
  const findings = { interests, consumed, reached };
  for (const entry of entries) readEntry(entry, weights.get(entry.eventType) ?? 0, options, findings);
  const seen = isConsumedByShowing(options) ? (options.impressions ?? []) : [];
  for (const entry of [...seen, ...(options.consumed ?? [])])
    noteConsumption(entry, placeOf(entry, options), options, { consumed, reached });
  const found = withStandIns(interests, options);
  found.sort((a, b) => b.atSeconds - a.atSeconds);
  const isReturning = found.length > 0 && options.nowSeconds - found[0].atSeconds > visitGapSeconds;
  const recents = toRecents(found);
  const shares = sharesOf(recents, isReturning, options.categoryOf);
  return { recents, shares, isReturning, categories, consumed, reached };
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

type Findings = { interests: (Interest | NamedInterest)[]; consumed: number[]; reached: Reached };

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

function noteConsumption(
  { occurredAtSeconds }: HistoryEntry,
  place: Place | undefined,
  { catalog }: Pick<PersonOptions, 'catalog'>,
  { consumed, reached }: Pick<Findings, 'consumed' | 'reached'>,
): void {
  if (place === undefined) return;
  if (place & consumes) consumed.push(itemIndexAt(place));
  if (place & finishes) noteReached(reached, catalog, itemIndexAt(place), occurredAtSeconds);
}

/** Whether there are items that somebody has consumed as soon as they were shown them. */
export function isConsumedByShowing({ itemTypes }: Pick<PersonOptions, 'itemTypes'>): boolean {
  for (const { consumedBy } of itemTypes.values())
    for (const eventType of consumedBy) if (isImpression(eventType)) return true;
  return false;
}

/** An interest in something that is not an item: as the models know it, otherwise by name. */
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

const noneConfigured: EventWeights = {};

/** By type, of what an environment sets: found for every entry of every history, from objects that stay as they are. */
const weightsByType = new WeakMap<EventWeights, ReadonlyMap<string, number>>();

function weightsOf(configured: EventWeights = noneConfigured): ReadonlyMap<string, number> {
  const known = weightsByType.get(configured);
  if (known) return known;
  const eventTypes = Object.keys({ ...defaultWeights, ...configured });
  const weights = new Map(
    [...groupWeights.keys(), ...eventTypes].map((one) => [one, weightOf(one, configured)]),
  );
  weightsByType.set(configured, weights);
  return weights;
}

/** A history does not keep how far a checkpoint was; it counts as one whose progress nobody told. */
function weightOf(eventType: string, configured: EventWeights): number {
  if (Object.hasOwn(configured, eventType)) return eventWeight(configured, eventType);
  return groupWeights.get(eventType) ?? eventWeight(defaultWeights, eventType);
}

function placeOf(
  entry: HistoryEntry,
  options: Pick<PersonOptions, 'catalog' | 'itemTypes'>,
): Place | undefined {
  entry.place ??= findPlace(entry, options);
  return entry.place;
}

function findPlace(
  { eventType, itemType, itemId }: HistoryEntry,
  { catalog, itemTypes }: Pick<PersonOptions, 'catalog' | 'itemTypes'>,
): Place | undefined {
  const itemIndex = catalog.indexOfId(itemId, itemType || undefined);
  if (itemIndex === undefined) return undefined;
  const declared = itemTypes.get(catalog.itemTypeAt(itemIndex));
  if (!declared?.consumedBy.has(eventType)) return itemIndex * positions;
  return itemIndex * positions + finishes + (declared.reconsumable ? 0 : consumes);
}

function itemIndexAt(place: Place): number {
  return Math.floor(place / positions);
}

/** Without a timestamp an entry is as recent as now, a later one more recent than those before it. */
function readHistory(
  history: readonly HistoryInput[],
  options: PersonOptions,
  { interests, consumed, reached, categories }: Findings & { categories: string[] },
): void {
  const { catalog, nowSeconds } = options;
  for (const [place, { id, itemType, reconsumable, timestampSeconds }] of history.entries()) {
    const itemIndex = catalog.indexOfId(id, itemType);
    if (itemIndex !== undefined && !reconsumable) consumed.push(itemIndex);
    const atSeconds = timestampSeconds ?? nowSeconds + (place - history.length) / 1000;
    if (itemIndex !== undefined) noteReached(reached, catalog, itemIndex, atSeconds);
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
 * Repeated interests add their weights up at the latest moment. What takes back more than it gave leaves none. Ages count from
 * the newest interest: who comes back after a year is the same person.
 */
function toRecents(interests: readonly Interest[]): Recent[] {
  const places = new Map<number, number>();
  const merged: Merged[] = [];
  for (const { itemIndex, local, atSeconds, weight, standsIn } of interests) {
    const key = itemIndex ?? -1 - local!;
    const contacts = weight > 0 && !standsIn ? 1 : 0;
    const place = places.get(key);
    if (place !== undefined) {
      merged[place].weight += weight;
      merged[place].contacts += contacts;
    } else {
      places.set(key, merged.length);
      merged.push({ itemIndex, local, atSeconds, ageSeconds: 0, weight, contacts });
    }
  }
  const recents = merged.filter(({ weight }) => weight > 0);
  for (const recent of recents) recent.ageSeconds = recents[0].atSeconds - recent.atSeconds;
  return keepRecents(recents, mostRecents);
}

/** What the person was shown since they last turned to it, by the stored history; the latest showings first. */
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

/** The entries about items of the catalogue. */
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
