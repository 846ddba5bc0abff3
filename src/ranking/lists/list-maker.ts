/** Computes the lists of one request, synchronously: scores once per purpose, then composes each list. */

import type { Purpose } from '../../deployment/deployment.ts';
import type { ActiveConfiguration } from '../rules/active-configuration.ts';
import type { BoundPreference, BoundRule } from '../rules/bind-configuration.ts';
import { type ComposedList, createComposer, type InjectedItem, isPlaced } from '../rules/compose.ts';
import type { BoundList } from './bind-list.ts';
import { type Candidates, createCandidates, type ListedAs } from './candidates.ts';
import { explainList } from './explain-list.ts';
import { createKeptBindings } from './kept-bindings.ts';
import { createKeptLists, type KeptLists, type MakeLists } from './kept-lists.ts';
import type { ListIngredients } from './list-ingredients.ts';
import { continuationsOf, type PurposeSeeds, purposeOf, seedsOf } from './list-purpose.ts';
import { exclusionReasons, forbiddenBy, mayRepeat, orderOf, tooOldFor } from './list-settings.ts';
import { countSteps, stepOf } from './list-steps.ts';
import { type OneOfGroup, oneOfGroup } from './one-of-group.ts';
import { contextIndexesOf, segmentsOf } from './page-context.ts';
import { createExclusions, type Exclusions } from './person/exclusions.ts';
import { createNextInGroup, type NextInGroup, noteReached } from './person/next-in-group.ts';
import { describePerson, findBought, findIgnored, sharesAfter } from './person/person.ts';
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
  const composer = createComposer();
  const exclusions = createExclusions();
  const bindList = createKeptBindings();
  const isGroupTaken = (itemIndex: number) =>
    exclusions.isUsed(itemIndex) || exclusions.isGroupUsed(itemIndex);

  const compose = (
    list: ListRequest,
    { bound: { rules, preferences: declared, settings }, one }: PreparedList,
    ingredients: ListIngredients,
  ): ComposedList => {
    const { environment, nowMs } = ingredients;
    const { catalog } = environment;
    const order = orderOf(list, settings, ingredients);
    const forbiddenToPerson = forbiddenBy(settings, exclusions, ingredients);
    const forbids = one
      ? (itemIndex: number) => forbiddenToPerson(itemIndex) || one.isPassedOver(itemIndex)
      : forbiddenToPerson;
    const composed = (excluded: (itemIndex: number) => boolean, preferences = declared) => {
      const stream = candidates.stream(order, listingOf({ rules, one, excluded }, ingredients));
      return composer.compose({
        explain: ingredients.request.explain !== undefined,
        catalog,
        size: list.listSize,
        stream: one ? one.stream(stream) : stream,
        rules: one ? [...rules, one.rule] : rules,
        preferences,
        injected: injectedOf(list, catalog.indexOfId),
        excluded,
        nowMs,
      });
    };
    if (mayRepeat(list, settings)) return composed(forbids);
    const isTaken = one ? isGroupTaken : exclusions.isUsed;
    const unused = (itemIndex: number) => forbids(itemIndex) || isTaken(itemIndex);
    const distinct = composed(unused);
    if (isSatisfied(distinct, list) || !exclusions.anyUsed) return distinct;
    const repeating = composed(forbids, [...declared, against(isTaken)]);
    if (isBetter(repeating, distinct)) return repeating;
    /** Facts are valid only until the next list is composed. */
    return distinct.facts ? composed(unused) : distinct;
  };

  return (ingredients) => {
    const { request, environment, identity, active, nowMs } = ingredients;
    environment.trends.renew(nowMs / 1000);
    const bound = request.lists.map((list, i) => bindList(list, active[i], ingredients));
    if (identity.lists === 'empty') return { lists: active.map(emptyList), dependsOnNow: false };
    const { next, score } = prepare(ingredients, candidates, exclusions);
    const { groups } = environment.catalog;
    for (const list of request.lists) exclusions.useAll(placedIn(list, ingredients));
    const lists = request.lists.map((list, i) => {
      if (ingredients.isCancelled?.()) throw new Error('The request was abandoned.');
      const { isKnown } = score(i);
      const origin = { groups, sourceOf: candidates.sourceOf, isKnown };
      const prepared = { bound: bound[i], one: oneOfGroup(bound[i], environment, next) };
      const composed = compose(list, prepared, ingredients);
      const { version: configurationVersion } = active[i];
      const steps = composed.items.map((item) => stepOf(item, origin));
      const made: List = {
        items: toListItems(composed, list, ingredients),
        unmet: toUnmet(composed, bound[i]),
        steps: countSteps(steps, environment.settings.fallbacks.steps),
        configurationVersion,
      };
      if (request.explain) {
        const reasons = exclusionReasons(list, bound[i].settings, exclusions, ingredients);
        const exclusionOf = (itemIndex: number) =>
          reasons(itemIndex) ?? prepared.one?.exclusionOf(itemIndex, composed, exclusions);
        made.explanation = explain({ composed, made, steps, prepared, candidates, exclusionOf }, ingredients);
      }
      for (const { itemIndex } of composed.items) exclusions.use(itemIndex);
      return made;
    });
    return { lists, dependsOnNow: bound.some(({ dependsOnNow }) => dependsOnNow) };
  };
}

function emptyList({ version }: ActiveConfiguration): List {
  return { items: [], unmet: [], steps: [], configurationVersion: version };
}

type PreparedList = { bound: BoundList; one: OneOfGroup | undefined };

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

type Prepared = {
  next: NextInGroup;
  /**
   * Scores the candidates of a list, unless the list before has the same; `isKnown` tells whether
   * they depend on anything besides the page.
   */
  score(listIndex: number): { isKnown: boolean };
};

/** Collects what is known about the subject and the page. */
function prepare(ingredients: ListIngredients, candidates: Candidates, exclusions: Exclusions): Prepared {
  const { request, environment, identity, history, active, nowMs } = ingredients;
  const { catalog, models, settings } = environment;
  const { itemTypes, eventWeights } = settings;
  const { categoryOf } = environment.trends.view;
  const about = { catalog, models, itemTypes, eventWeights, categoryOf, nowSeconds: nowMs / 1000 };
  const person = describePerson(history?.entries ?? [], request.histories, {
    ...about,
    impressions: history?.impressions,
    consumed: history?.consumed,
  });
  const { feedback } = person;
  const onDisplay = contextIndexesOf(request, environment);
  const [contextItem] = onDisplay;
  const purposes = request.lists.map((list, i) => purposeOf(list, active[i].settings, ingredients));
  const continues = purposes.includes('continue');
  exclusions.begin(catalog, itemTypes, nowMs);
  exclusions.forbidAll(person.consumed.filter((item) => !continues || !feedback.unfinished.has(item)));
  exclusions.forbidDisliked(feedback.removed);
  const tooOld = active.map(({ settings: ofList }) => tooOldFor(ofList, exclusions, ingredients));
  const mayCome = (itemIndex: number) =>
    catalog.servable(itemIndex, nowMs) &&
    !exclusions.forbids(itemIndex) &&
    tooOld.some((isTooOld) => !isTooOld(itemIndex));
  const next = createNextInGroup({ catalog, reached: person.reached, mayCome });
  for (const itemIndex of onDisplay)
    noteReached(person.reached, catalog, { itemIndex, atSeconds: Number.POSITIVE_INFINITY });
  exclusions.forbidAll(onDisplay);
  const impersonal = history === undefined || identity.lists !== 'recommended';
  const findContinuations = () => (impersonal ? [] : continuationsOf(person, catalog, next));
  const seeds = oncePerPurpose(purposes, (purpose) =>
    seedsOf(purpose, ingredients, contextItem, findContinuations),
  );
  for (const own of seeds) exclusions.forbidAll(own?.items ?? []);
  const segments = segmentsOf(request, environment, { contextItem, interests: person.categories });
  const bought = history ? findBought(history, about) : [];
  const shares = sharesAfter(person, bought, about);
  const page = {
    models,
    catalog,
    version: identity.version,
    impersonal,
    disliked: feedback.disliked,
    isReturning: contextItem === undefined && person.isReturning,
    ignored: history && models.readsImpressions ? findIgnored(history, about) : [],
    bought,
    contextItem,
    segments: segments.ofModels,
    listSize: Math.max(...request.lists.map(({ listSize }) => listSize)),
    fallbacks: settings.fallbacks.steps,
    fallbackSegments: segments.ofFallbacks,
    /** Consumed items of a series count as interest in the next one. */
    admits: (itemIndex: number) =>
      mayCome(itemIndex) || (catalog.groups.isOrdered(itemIndex) && next.of(itemIndex) !== undefined),
    nowMs,
  };
  const score: Prepared['score'] = (listIndex) => {
    const own = seeds[listIndex];
    const recents = own?.recents ?? person.recents;
    if (listIndex === 0 || own !== seeds[listIndex - 1])
      candidates.begin({
        ...page,
        recents,
        purpose: own?.purpose,
        lead: own?.lead,
        calibration: {
          shares,
          isOptional: contextItem !== undefined || own?.recents !== undefined,
          categoryOf,
        },
      });
    return { isKnown: recents.length + (own?.lead?.length ?? 0) > 0 };
  };
  return { next, score };
}

/** Returns the seeds of each list; the same object for equal purposes. */
function oncePerPurpose(
  purposes: readonly Purpose[],
  find: (purpose: Purpose) => PurposeSeeds | undefined,
): (PurposeSeeds | undefined)[] {
  const known = new Map(Array.from(new Set(purposes), (purpose) => [purpose, find(purpose)]));
  return purposes.map((purpose) => known.get(purpose));
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
