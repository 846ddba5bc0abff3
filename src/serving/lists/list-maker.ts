/** Makes the lists of one request, synchronously: scores once, then composes each list within its rules. */

import type { BoundPreference } from '../../rules/bind-configuration.ts';
import { type ComposedList, createComposer, type InjectedItem } from '../../rules/compose.ts';
import { createExclusions, type Exclusions } from '../person/exclusions.ts';
import { describePerson, findIgnored } from '../person/person.ts';
import type { ListExplanation, ListItem, ListRequest, UnmetMinimum } from '../recommendation-request.ts';
import { type BoundList, bindList } from './bind-list.ts';
import { type Candidates, createCandidates } from './candidates.ts';
import { explainList } from './explain-list.ts';
import type { ListIngredients } from './list-ingredients.ts';
import { exclusionReasons, forbiddenBy, mayRepeat, orderOf } from './list-settings.ts';
import { contextIndexOf, segmentsOf } from './page-context.ts';

export type MadeList = {
  items: ListItem[];
  unmet: UnmetMinimum[];
  configurationVersion: number;
  explanation?: ListExplanation;
};

/** Outweighs all preferences that a configuration can declare together. */
const repetitionWeight = -1e12;

/** Keeps its memory between requests; one per thread. */
export function createListMaker(): (ingredients: ListIngredients) => MadeList[] {
  const candidates = createCandidates();
  const composer = createComposer();
  const exclusions = createExclusions();
  /** Items of the request's other lists come last, so that a list repeats only what the catalogue lacks. */
  const againstRepetition: BoundPreference = {
    preferenceIndex: -1,
    set: { has: exclusions.isUsed, count: Number.POSITIVE_INFINITY, isExact: false },
    weight: repetitionWeight,
  };

  const compose = (
    list: ListRequest,
    { rules, preferences: declared, settings }: BoundList,
    ingredients: ListIngredients,
  ): ComposedList => {
    const { environment, nowMs } = ingredients;
    const { catalog } = environment;
    const order = orderOf(list, settings, ingredients);
    const forbids = forbiddenBy(settings, exclusions, ingredients);
    const composed = (excluded: (itemIndex: number) => boolean, preferences = declared) =>
      composer.compose({
        explain: ingredients.request.explain !== undefined,
        catalog,
        size: list.listSize,
        stream: candidates.stream(order),
        rules,
        preferences,
        injected: injectedOf(list, catalog.indexOfId),
        excluded,
        nowMs,
      });
    if (mayRepeat(list, settings)) return composed(forbids);
    const unused = (itemIndex: number) => forbids(itemIndex) || exclusions.isUsed(itemIndex);
    const distinct = composed(unused);
    if (isSatisfied(distinct, list) || !exclusions.anyUsed) return distinct;
    const repeating = composed(forbids, [...declared, againstRepetition]);
    if (isBetter(repeating, distinct)) return repeating;
    /** Facts are good until the next list is composed. */
    return distinct.facts ? composed(unused) : distinct;
  };

  const explain = (
    list: ListRequest,
    { composed, made, bound }: { composed: ComposedList; made: MadeList; bound: BoundList },
    ingredients: ListIngredients,
  ): ListExplanation => {
    const { request, environment, nowMs } = ingredients;
    return explainList({
      environment,
      nowMs,
      composed,
      items: made.items,
      bound: bound.rules,
      rules: bound.declared.rules,
      preferences: bound.declared.preferences,
      whyNot: request.explain!.whyNot,
      scoredCount: candidates.scoredCount,
      scoreOf: candidates.explain,
      exclusionOf: exclusionReasons(list, bound.settings, exclusions, ingredients),
    });
  };

  return (ingredients) => {
    const { request, environment, identity, active } = ingredients;
    const bound = request.lists.map((list, i) => bindList(list, active[i], ingredients));
    if (identity.lists === 'empty') {
      return active.map(({ version }) => ({ items: [], unmet: [], configurationVersion: version }));
    }
    prepare(ingredients, candidates, exclusions);
    for (const list of request.lists) exclusions.useAll(injectedOf(list, environment.catalog.indexOfId));
    return request.lists.map((list, i) => {
      const composed = compose(list, bound[i], ingredients);
      const made = toMadeList(composed, list, ingredients, active[i].version);
      if (request.explain) made.explanation = explain(list, { composed, made, bound: bound[i] }, ingredients);
      for (const { itemIndex } of composed.items) exclusions.use(itemIndex);
      return made;
    });
  };
}

/** Gathers what is known of the person and the page, and scores the candidates. */
function prepare(
  { request, environment, identity, history, nowMs }: ListIngredients,
  candidates: Candidates,
  exclusions: Exclusions,
): void {
  const { catalog, models, settings } = environment;
  const { itemTypes, eventWeights } = settings;
  const about = { catalog, models, itemTypes, eventWeights, nowSeconds: nowMs / 1000 };
  const person = describePerson(history?.entries ?? [], request.histories, about);
  const contextItem = contextIndexOf(request, environment);
  exclusions.begin(catalog, itemTypes, nowMs);
  exclusions.forbidAll(person.consumed);
  if (contextItem !== undefined) exclusions.forbid(contextItem);
  candidates.begin({
    models,
    catalog,
    version: identity.version,
    impersonal: history === undefined || identity.lists !== 'recommended',
    recents: person.recents,
    ignored: history && models.readsImpressions ? findIgnored(history, about) : [],
    contextItem,
    segments: segmentsOf(request, environment, contextItem, person.categories),
    admits: (itemIndex) => catalog.servable(itemIndex, nowMs) && !exclusions.forbids(itemIndex),
    nowMs,
  });
}

function injectedOf(
  { injected }: ListRequest,
  indexOfId: (itemId: string, itemType?: string) => number | undefined,
): InjectedItem[] {
  return injected.map(({ rank, itemId, itemType }) => ({ rank, itemIndex: indexOfId(itemId, itemType) }));
}

function isSatisfied({ items, unmet }: ComposedList, { listSize }: ListRequest): boolean {
  return items.length === listSize && unmet.length === 0;
}

function isBetter(one: ComposedList, other: ComposedList): boolean {
  if (one.unmet.length !== other.unmet.length) return one.unmet.length < other.unmet.length;
  return one.items.length > other.items.length;
}

function toMadeList(
  { items, unmet }: ComposedList,
  list: ListRequest,
  { environment }: ListIngredients,
  configurationVersion: number,
): MadeList {
  const { catalog } = environment;
  const givenAt = new Map(list.injected.map((one) => [one.rank, one]));
  return {
    configurationVersion,
    items: items.map(({ rank, itemIndex }) => ({
      rank,
      itemId: itemIndex === undefined ? givenAt.get(rank)!.itemId : catalog.itemIdAt(itemIndex),
      itemType: itemIndex === undefined ? '' : catalog.itemTypeAt(itemIndex),
    })),
    unmet: unmet.map(({ ruleIndex, wanted, got, reason }) => ({
      constraintIndex: ruleIndex,
      wanted,
      found: got,
      reason: reason.kind === 'in_conflict_with' ? 'in_conflict' : reason.kind,
      conflictingIndex: reason.kind === 'in_conflict_with' ? reason.ruleIndex : undefined,
    })),
  };
}
