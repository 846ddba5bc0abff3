/** Computes the lists of one request, synchronously: scores once per purpose, then composes each list. */

import type { ActiveConfiguration } from '../rules/active-configuration.ts';
import type { BoundPreference, BoundRule } from '../rules/bind-configuration.ts';
import { type ComposedList, createComposer, type InjectedItem, isPlaced } from '../rules/compose.ts';
import type { BoundList } from './bind-list.ts';
import { type Candidates, createCandidates, type ListedAs } from './candidates.ts';
import { explainList } from './explain-list.ts';
import { explorationOf, toExplored } from './exploration.ts';
import { withoutOthers } from './guarantees.ts';
import { createKeptBindings } from './kept-bindings.ts';
import { createKeptLists, type KeptLists, type MakeLists } from './kept-lists.ts';
import type { ListIngredients } from './list-ingredients.ts';
import { exclusionReasons, forbiddenBy, mayRepeat, orderOf } from './list-settings.ts';
import { countSteps, stepOf } from './list-steps.ts';
import { type OneOfGroup, oneOfGroup } from './one-of-group.ts';
import { makePage } from './page-rows.ts';
import { createExclusions, type Exclusions } from './person/exclusions.ts';
import { placePins } from './pins.ts';
import { prepareLists } from './prepare-lists.ts';
import type {
  List,
  ListExplanation,
  ListItem,
  ListRequest,
  ListStep,
  UnmetMinimum,
} from './recommendation-request.ts';
import { explainVariables } from './variables.ts';

/** Outweighs the sum of all preferences that a configuration can declare. */
const repetitionWeight = -1e12;

/** Ranks items of the request's other lists last, so a list repeats them only to fill up. */
function against(isTaken: (itemIndex: number) => boolean): BoundPreference {
  return {
    preferenceIndex: -1,
    set: { has: isTaken, count: Number.POSITIVE_INFINITY, isExact: false },
    weight: repetitionWeight,
  };
}

export type ListMaker = (ingredients: ListIngredients) => List[];

/** A list maker that may run in another thread; aborting the signal ends it early. */
export type RemoteListMaker = (
  ingredients: ListIngredients,
  signal?: AbortSignal,
) => List[] | Promise<List[]>;

/** Reuses buffers between requests and caches cold-start lists; one per thread. */
export function createListMaker(): ListMaker {
  const { of } = createKeepingListMaker();
  return (ingredients) => of(ingredients).lists;
}

/** A list maker that shares its cached lists with other threads. */
export function createKeepingListMaker(): KeptLists {
  return createKeptLists(createUnkeptListMaker());
}

/** Computes every list without a cache. */
function createUnkeptListMaker(): MakeLists {
  const candidates = createCandidates();
  const exclusions = createExclusions();
  const compose = createDistinctComposer(candidates, exclusions);
  const bindList = createKeptBindings();

  const make = (
    place: number,
    prepared: PreparedList,
    isKnown: boolean,
    ingredients: ListIngredients,
  ): List => {
    const { request, environment, active } = ingredients;
    const list = request.lists[place];
    const { bound, one } = prepared;
    const composed = compose(list, prepared, ingredients);
    const origin = { groups: environment.catalog.groups, sourceOf: candidates.sourceOf, isKnown };
    const steps = composed.items.map((item) => stepOf(item, origin));
    const made: List = {
      items: toListItems(composed, list, ingredients),
      unmet: toUnmet(composed, bound),
      steps: countSteps(steps, environment.settings.fallbacks.steps),
      configurationVersion: active[place].version,
      ...signalsOf(composed, list, { catalog: environment.catalog, scoreOf: candidates.scoreOf }),
    };
    if (composed.drawn) made.explored = toExplored(composed.drawn, environment.catalog);
    if (request.explain) {
      const reasons = exclusionReasons(list, bound.settings, exclusions, ingredients);
      const exclusionOf = (itemIndex: number) =>
        reasons(itemIndex) ?? one?.exclusionOf(itemIndex, composed, exclusions);
      made.explanation = explain({ composed, made, steps, prepared, candidates, exclusionOf }, ingredients);
    }
    for (const { itemIndex } of composed.items) exclusions.use(itemIndex);
    return made;
  };

  return (ingredients) => {
    const { request, environment, identity, active, nowMs } = ingredients;
    environment.trends.renew(nowMs / 1000);
    const bound = request.lists.map((list, i) => withoutOthers(bindList(list, active[i], ingredients), list));
    if (identity.lists === 'empty')
      return { lists: request.page ? [] : active.map(emptyList), dependsOnNow: false };
    const { next, lessOf, score } = prepareLists(ingredients, candidates, exclusions);
    for (const { itemIndex } of request.lists.flatMap((list) => placedIn(list, ingredients)))
      exclusions.use(itemIndex);
    const groupOf = (place: number) => oneOfGroup(bound[place], environment, next);
    const pinsAt = (place: number, one: BoundList) =>
      usePins(request.lists[place], { ...one, one: groupOf(place) }, exclusions, ingredients);
    /** Reserved for their lists before any is composed; a page does not show all rows. */
    const reserved = request.page ? undefined : bound.map((one, place) => pinsAt(place, one));
    const makeAt = (place: number, rule?: BoundRule) => {
      if (ingredients.isCancelled?.()) throw new Error('The request was abandoned.');
      const { isKnown } = score(place);
      const one = rule ? { ...bound[place], rules: [...bound[place].rules, rule] } : bound[place];
      const steered = lessOf.length > 0 ? { ...one, preferences: [...one.preferences, ...lessOf] } : one;
      const pins = reserved?.[place] ?? pinsAt(place, one);
      return make(place, { bound: steered, one: groupOf(place), pins }, isKnown, ingredients);
    };
    const lists = request.page
      ? makePage({ bound, score, candidates, makeAt }, request.page, ingredients)
      : bound.map((_, place) => makeAt(place));
    return { lists, dependsOnNow: bound.some(({ dependsOnNow }) => dependsOnNow) };
  };
}

/** Composes a list without items of the request's earlier lists, as far as its rules can be met. */
function createDistinctComposer(candidates: Candidates, exclusions: Exclusions) {
  const composer = createComposer();
  return (
    list: ListRequest,
    { bound: { rules, preferences: declared, settings }, one, pins }: PreparedList,
    ingredients: ListIngredients,
  ): ComposedList => {
    const { environment, nowMs } = ingredients;
    const { catalog } = environment;
    const order = orderOf(list, settings, ingredients);
    const forbids = forbidding(list, { settings, one }, exclusions, ingredients);
    const listIndex = ingredients.request.lists.indexOf(list);
    const scoreOf = (itemIndex: number) =>
      candidates.scoreOf(one?.placerOf(itemIndex, candidates.scoreOf) ?? itemIndex);
    /** A draft has its order already. */
    const own = list.lead ? [] : declared;
    const explores = list.lead ? undefined : settings.exploration;
    const composed = (excluded: (itemIndex: number) => boolean, preferences = own) => {
      const stream = candidates.stream(order, listingOf({ rules, one, excluded }, ingredients));
      return composer.compose({
        explain: ingredients.request.explain !== undefined,
        catalog,
        size: list.listSize,
        stream: one ? one.stream(stream) : stream,
        rules: one ? [...rules, one.rule] : rules,
        preferences,
        injected: [...injectedOf(list, catalog.indexOfId), ...pins],
        excluded,
        exploration: explorationOf(explores, ingredients, { listIndex, scoreOf }),
        nowMs,
      });
    };
    if (mayRepeat(list, settings)) return composed(forbids);
    const isTaken = takenBy(exclusions, one);
    const unused = (itemIndex: number) => forbids(itemIndex) || isTaken(itemIndex);
    const distinct = composed(unused);
    if (isSatisfied(distinct, list) || !exclusions.anyUsed) return distinct;
    const repeating = composed(forbids, [...own, against(isTaken)]);
    if (isBetter(repeating, distinct)) return repeating;
    /** Facts are valid only until the next list is composed. */
    return distinct.facts ? composed(unused) : distinct;
  };
}

/** Returns what alerts watch over time. */
function signalsOf(
  { items }: ComposedList,
  { injected, limit }: ListRequest,
  { catalog, scoreOf }: Pick<ListIngredients['environment'], 'catalog'> & Pick<Candidates, 'scoreOf'>,
): Pick<List, 'newestAtMs' | 'firstScore'> {
  const signals: Pick<List, 'newestAtMs' | 'firstScore'> = {};
  let newestAtMs = Number.NEGATIVE_INFINITY;
  for (const { rank, itemIndex } of items) {
    if (rank > limit) break;
    const at = itemIndex === undefined ? Number.NaN : catalog.publishedAt(itemIndex);
    if (at > newestAtMs) newestAtMs = at;
  }
  if (Number.isFinite(newestAtMs)) signals.newestAtMs = newestAtMs;
  const first = items.find(({ rank }) => !injected.some((one) => one.rank === rank))?.itemIndex;
  const firstScore = first === undefined ? 0 : scoreOf(first);
  if (firstScore > 0) signals.firstScore = firstScore;
  return signals;
}

/** Returns the exclusions of the subject, the settings and ordered groups. */
function forbidding(
  list: ListRequest,
  { settings, one }: Pick<BoundList, 'settings'> & Pick<PreparedList, 'one'>,
  exclusions: Exclusions,
  ingredients: ListIngredients,
): (itemIndex: number) => boolean {
  const forbids = forbiddenBy(list, settings, exclusions, ingredients);
  return one ? (itemIndex) => forbids(itemIndex) || one.isPassedOver(itemIndex) : forbids;
}

/** Tells whether another list of the request has the item or, where groups collapse, one of its group. */
const takenBy =
  (exclusions: Exclusions, one: OneOfGroup | undefined) =>
  (itemIndex: number): boolean =>
    exclusions.isUsed(itemIndex) || (one !== undefined && exclusions.isGroupUsed(itemIndex));

/** Returns the pins of a list's configuration that it shows; later lists then lack them. */
function usePins(
  list: ListRequest,
  { rules, settings, one }: Pick<BoundList, 'rules' | 'settings'> & Pick<PreparedList, 'one'>,
  exclusions: Exclusions,
  ingredients: ListIngredients,
): InjectedItem[] {
  if (settings.pins.length === 0) return [];
  const { catalog } = ingredients.environment;
  const forbids = forbidding(list, { settings, one }, exclusions, ingredients);
  const isTaken = takenBy(exclusions, one);
  const pins = placePins(settings.pins, {
    ...{ catalog, nowMs: ingredients.nowMs, listSize: list.listSize },
    rules: one ? [...rules, one.rule] : rules,
    injected: placedIn(list, ingredients),
    excluded: (item) => forbids(item) || (!mayRepeat(list, settings) && isTaken(item)),
  });
  for (const { itemIndex } of pins) exclusions.use(itemIndex);
  return pins;
}

function emptyList({ version }: ActiveConfiguration): List {
  return { items: [], unmet: [], steps: [], configurationVersion: version };
}

type PreparedList = { bound: BoundList; one: OneOfGroup | undefined; pins: readonly InjectedItem[] };

type Listing = Pick<PreparedList, 'one'> & {
  rules: readonly BoundRule[];
  excluded(itemIndex: number): boolean;
};

function listingOf(
  { rules, one, excluded }: Listing,
  { environment: { catalog }, nowMs }: ListIngredients,
): ListedAs {
  const musts = rules.flatMap((rule) => (rule.kind === 'must' ? [rule.set] : []));
  return (itemIndex) => {
    const listed = one?.standInOf(itemIndex) ?? itemIndex;
    /** Cheapest checks first: thousands of items may fail them. */
    for (const must of musts) if (!must.has(listed)) return undefined;
    if (!catalog.servable(listed, nowMs) || excluded(listed)) return undefined;
    return one?.firstOf(listed) ?? listed;
  };
}

type Explained = {
  composed: ComposedList;
  made: List;
  /** Steps that supplied the items. */
  steps: ListStep[];
  prepared: PreparedList;
  candidates: Candidates;
  exclusionOf: ReturnType<typeof exclusionReasons>;
};

function explain(
  { composed, made, steps, prepared: { bound, one }, candidates, exclusionOf }: Explained,
  { request, environment, history, nowMs }: ListIngredients,
): ListExplanation {
  return explainList({
    environment,
    nowMs,
    historyVariables: explainVariables(bound.declared, { catalog: environment.catalog, history, nowMs }),
    composed,
    items: made.items,
    explored: made.explored,
    steps,
    bound: bound.rules,
    rules: bound.declared.rules,
    preferences: bound.declared.preferences,
    whyNot: request.explain!.whyNot,
    scoredCount: candidates.scoredCount,
    scoreOf: candidates.explain,
    placedBy: (itemIndex) => one?.placerOf(itemIndex, candidates.scoreOf) ?? itemIndex,
    exclusionOf,
  });
}

function injectedOf(
  { injected }: ListRequest,
  indexOfId: (itemId: string, itemType?: string) => number | undefined,
): InjectedItem[] {
  return injected.map(({ rank, itemId, itemType }) => ({ rank, itemIndex: indexOfId(itemId, itemType) }));
}

/** Returns the injected items that can be placed. */
function placedIn(list: ListRequest, { environment: { catalog }, nowMs }: ListIngredients): InjectedItem[] {
  return injectedOf(list, catalog.indexOfId).filter((one) => isPlaced(one, catalog, nowMs));
}

function isSatisfied({ items, unmet }: ComposedList, { listSize }: ListRequest): boolean {
  return items.length === listSize && unmet.length === 0;
}

function isBetter(one: ComposedList, other: ComposedList): boolean {
  if (one.unmet.length !== other.unmet.length) return one.unmet.length < other.unmet.length;
  return one.items.length > other.items.length;
}

function toListItems(
  { items }: ComposedList,
  { injected }: ListRequest,
  { environment: { catalog }, nowMs }: ListIngredients,
): ListItem[] {
  const givenAt = new Map(injected.map((one) => [one.rank, one]));
  return items.map(({ rank, itemIndex }) => {
    if (itemIndex === undefined) return { rank, itemId: givenAt.get(rank)!.itemId, itemType: '' };
    const groupSize = catalog.groupSizeAt(itemIndex, nowMs);
    const name = { itemId: catalog.itemIdAt(itemIndex), itemType: catalog.itemTypeAt(itemIndex) };
    return groupSize === undefined ? { rank, ...name } : { rank, ...name, groupSize };
  });
}

/** Omits the implicit collapse rule, which is not in the configuration, from conflicts. */
function toUnmet({ unmet }: ComposedList, { rules }: BoundList): UnmetMinimum[] {
  const declaredOnly = (ruleIndex: number) => (ruleIndex < rules.length ? ruleIndex : undefined);
  return unmet.map(({ ruleIndex, wanted, got, reason }) => ({
    constraintIndex: ruleIndex,
    wanted,
    found: got,
    reason: reason.kind === 'in_conflict_with' ? 'in_conflict' : reason.kind,
    conflictingIndex: reason.kind === 'in_conflict_with' ? declaredOnly(reason.ruleIndex) : undefined,
  }));
}
