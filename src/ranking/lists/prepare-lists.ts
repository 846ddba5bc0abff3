/** Prepares the lists of a request: what is known about the subject and the page, excluded items, candidates. */

import type { Purpose } from '../../deployment/deployment.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { BoundPreference } from '../rules/bind-configuration.ts';
import type { CandidateRequest, Candidates } from './candidates.ts';
import type { ListIngredients } from './list-ingredients.ts';
import { continuationsOf, type PurposeSeeds, purposeOf, seedsOf } from './list-purpose.ts';
import { tooOldFor } from './list-settings.ts';
import { isMixed } from './mix-similar.ts';
import { contextIndexesOf, segmentsOf } from './page-context.ts';
import type { Exclusions } from './person/exclusions.ts';
import { buryValues } from './person/feedback.ts';
import { createNextInGroup, type NextInGroup, noteReached } from './person/next-in-group.ts';
import { describePerson, findBought, findIgnored, type Person, sharesAfter } from './person/person.ts';
import type { ListRequest } from './recommendation-request.ts';

export type PreparedRequest = {
  next: NextInGroup;
  /** Ranks items with values of which the subject wants less behind others. */
  lessOf: BoundPreference[];
  /**
   * Scores the candidates of a list, unless the list scored before has the same; `isKnown` tells whether
   * they depend on anything besides the page.
   */
  score(listIndex: number): { isKnown: boolean };
};

export function prepareLists(
  ingredients: ListIngredients,
  candidates: Candidates,
  exclusions: Exclusions,
): PreparedRequest {
  const { request, environment, identity, history, active } = ingredients;
  const about = aboutOf(ingredients);
  const { catalog, categoryOf } = about;
  const person = describePerson(history?.entries ?? [], request.histories, {
    ...about,
    impressions: history?.impressions,
    consumed: history?.consumed,
  });
  const [contextItem] = contextIndexesOf(request, environment);
  const purposes = request.lists.map((list, i) => purposeOf(list, active[i].settings, ingredients));
  const { next, mayCome } = exclude(person, purposes, exclusions, ingredients);
  const impersonal = history === undefined || identity.lists !== 'recommended';
  const findContinuations = () => (impersonal ? [] : continuationsOf(person, catalog, next));
  const seeds = oncePerPurpose(purposes, (purpose) =>
    seedsOf(purpose, ingredients, contextItem, findContinuations),
  );
  for (const own of seeds) exclusions.forbidAll(own?.items ?? []);
  const bought = history ? findBought(history, about) : [];
  const shares = sharesAfter(person, bought, about);
  /** Consumed items of a series count as interest in the next one. */
  const admits = (itemIndex: number) =>
    mayCome(itemIndex) || (catalog.groups.isOrdered(itemIndex) && next.of(itemIndex) !== undefined);
  const page = pageOf(ingredients, { person, contextItem, impersonal, bought, admits });
  const { similar } = request;
  /** The thread may not know the newest items yet. */
  const isKnown = (itemIndex: number) => itemIndex < catalog.itemCount;
  const similarItems = similar?.items.filter(isKnown);
  exclusions.forbidAll(similar?.named.filter(isKnown) ?? []);
  let begun: unknown = page;
  const score: PreparedRequest['score'] = (listIndex) => {
    const own = seeds[listIndex];
    const order = request.lists[listIndex].row?.order;
    const mixes = isMixed(similar) && !impersonal && !order;
    const lead =
      leadOf(request.lists[listIndex], catalog) ?? (mixes ? own?.lead : (similarItems ?? own?.lead));
    const recents = own?.recents ?? person.recents;
    const isOptional = contextItem !== undefined || own?.recents !== undefined;
    const calibration = { shares, isOptional, categoryOf };
    if (begun !== (order ?? own) || request.lists[listIndex].lead) {
      const ordered = order && { impersonal: true, fallbacks: [order] };
      candidates.begin({ ...page, recents, purpose: own?.purpose, lead, similar, calibration, ...ordered });
    }
    begun = order ?? own;
    return { isKnown: recents.length + (lead?.length ?? 0) > 0 };
  };
  return { next, lessOf: buryValues(person.feedback.lessOf, catalog, ingredients.nowMs), score };
}

function leadOf({ lead }: ListRequest, catalog: Catalog): number[] | undefined {
  return lead?.flatMap(({ itemId, itemType }) => catalog.indexOfId(itemId, itemType) ?? []);
}

function aboutOf({ environment, nowMs }: ListIngredients) {
  const { catalog, models, settings, trends } = environment;
  const { itemTypes, eventWeights } = settings;
  const { categoryOf } = trends.view;
  return { catalog, models, itemTypes, eventWeights, categoryOf, nowSeconds: nowMs / 1000 };
}

/** Excludes the items that no list may have; returns the next items of series, and what may come. */
function exclude(
  { consumed, feedback, reached }: Person,
  purposes: readonly Purpose[],
  exclusions: Exclusions,
  ingredients: ListIngredients,
) {
  const { request, environment, active, nowMs } = ingredients;
  const { catalog, settings } = environment;
  const onDisplay = contextIndexesOf(request, environment);
  const continues = purposes.includes('continue');
  exclusions.begin(catalog, settings.itemTypes, nowMs);
  exclusions.forbidAll(consumed.filter((item) => !continues || !feedback.unfinished.has(item)));
  exclusions.forbidDisliked(feedback.removed);
  const tooOld = active.map(({ settings: ofList }) => tooOldFor(ofList, exclusions, ingredients));
  const mayCome = (itemIndex: number) =>
    catalog.servable(itemIndex, nowMs) &&
    !exclusions.forbids(itemIndex) &&
    tooOld.some((isTooOld) => !isTooOld(itemIndex));
  const next = createNextInGroup({ catalog, reached, mayCome });
  for (const itemIndex of onDisplay)
    noteReached(reached, catalog, { itemIndex, atSeconds: Number.POSITIVE_INFINITY });
  exclusions.forbidAll(onDisplay);
  return { next, mayCome };
}

type PageParts = Pick<CandidateRequest, 'contextItem' | 'impersonal' | 'bought'> & {
  person: Person;
  admits(itemIndex: number): boolean;
};

/** Returns what the candidates of all lists have in common. */
function pageOf(
  ingredients: ListIngredients,
  { person, contextItem, impersonal, bought, admits }: PageParts,
) {
  const { request, environment, identity, history, nowMs } = ingredients;
  const { catalog, models, settings } = environment;
  const segments = segmentsOf(request, environment, { contextItem, interests: person.categories });
  return {
    models,
    catalog,
    weighting: identity,
    impersonal,
    disliked: person.feedback.disliked,
    isReturning: contextItem === undefined && person.isReturning,
    ignored: history && models.readsImpressions ? findIgnored(history, aboutOf(ingredients)) : [],
    bought,
    contextItem,
    segments: segments.ofModels,
    listSize: Math.max(...request.lists.map(({ listSize }) => listSize)),
    fallbacks: settings.fallbacks.steps,
    fallbackSegments: segments.ofFallbacks,
    admits,
    nowMs,
  };
}

/** Returns the seeds of each list; the same object for equal purposes. */
function oncePerPurpose(
  purposes: readonly Purpose[],
  find: (purpose: Purpose) => PurposeSeeds | undefined,
): (PurposeSeeds | undefined)[] {
  const known = new Map(Array.from(new Set(purposes), (purpose) => [purpose, find(purpose)]));
  return purposes.map((purpose) => known.get(purpose));
}
