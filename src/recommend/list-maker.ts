/** Makes the lists of one request, synchronously: scores once, then composes each list within its rules. */

import type { ActiveConfiguration } from '../configurations/configuration-replica.ts';
import type { ConfigurationSettings } from '../configurations/settings.ts';
import { DomainError } from '../errors.ts';
import type { History } from '../repository/histories.ts';
import { type BoundPreference, type BoundRule, bindConfiguration } from '../rules/bind-configuration.ts';
import { type ComposedList, createComposer, type InjectedItem } from '../rules/compose.ts';
import { createCandidates, type ListOrder } from './candidates.ts';
import { createExclusions, type Exclusions } from './exclusions.ts';
import { findTired } from './fatigue.ts';
import { halfLivesOf } from './freshness.ts';
import type { Identity } from './identify.ts';
import { describePerson } from './person.ts';
import type { ListItem, ListRequest, RecommendationRequest, UnmetMinimum } from './request.ts';
import type { ServingEnvironment } from './serving-environment.ts';
import { createVariableLookup } from './variables.ts';

export type ListMaking = {
  request: RecommendationRequest;
  environment: ServingEnvironment;
  identity: Identity;
  /** The configuration of each list. */
  active: ActiveConfiguration[];
  /** Undefined when it could not be read: the lists are then not personal. */
  history: Pick<History, 'entries' | 'impressions'> | undefined;
  /** Another one for every request. */
  requestId: string;
  nowMs: number;
};

export type MadeList = { items: ListItem[]; unmet: UnmetMinimum[]; configurationVersion: number };

/** Outweighs all preferences that a configuration can declare together. */
const repetitionWeight = -1e12;

/** Keeps its memory between requests; one per thread. */
export function createListMaker(): (making: ListMaking) => MadeList[] {
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
    making: ListMaking,
  ): ComposedList => {
    const { environment, nowMs } = making;
    const { catalog } = environment;
    const order = orderOf(list, settings, making);
    const forbids = forbiddenBy(settings, exclusions, making);
    const composed = (excluded: (itemIndex: number) => boolean, preferences = declared) =>
      composer.compose({
        catalog,
        size: list.listSize,
        stream: candidates.stream(order),
        rules,
        preferences,
        injected: injectedOf(list, catalog.indexOfId),
        excluded,
        nowMs,
      });
    if (list.allowDuplicates || settings.allowDuplicates) return composed(forbids);
    const distinct = composed((itemIndex) => forbids(itemIndex) || exclusions.isUsed(itemIndex));
    if (isSatisfied(distinct, list) || !exclusions.anyUsed) return distinct;
    const repeating = composed(forbids, [...declared, againstRepetition]);
    return isBetter(repeating, distinct) ? repeating : distinct;
  };

  return (making) => {
    const { request, environment, identity, active } = making;
    const bound = request.lists.map((list, i) => bindList(list, active[i], making));
    if (identity.lists === 'empty') {
      return active.map(({ version }) => ({ items: [], unmet: [], configurationVersion: version }));
    }
    prepare(making, candidates, exclusions);
    for (const list of request.lists) exclusions.useAll(injectedOf(list, environment.catalog.indexOfId));
    return request.lists.map((list, i) => {
      const made = toMadeList(compose(list, bound[i], making), list, making, active[i].version);
      for (const { itemId, itemType } of made.items)
        exclusions.use(environment.catalog.indexOf(itemType, itemId));
      return made;
    });
  };
}

/** Gathers what is known of the person and the page, and scores the candidates. */
function prepare(
  { request, environment, identity, history, nowMs }: ListMaking,
  candidates: ReturnType<typeof createCandidates>,
  exclusions: ReturnType<typeof createExclusions>,
): void {
  const { catalog, models, settings } = environment;
  const person = describePerson(history?.entries ?? [], request.histories, {
    catalog,
    models,
    itemTypes: settings.itemTypes,
    nowSeconds: nowMs / 1000,
  });
  const contextItem = contextIndexOf(request, environment);
  exclusions.begin(catalog, settings.itemTypes, nowMs);
  exclusions.forbidAll(person.consumed);
  if (contextItem !== undefined) exclusions.forbid(contextItem);
  candidates.begin({
    models,
    catalog,
    version: identity.version,
    impersonal: history === undefined || identity.lists !== 'recommended',
    recents: person.recents,
    contextItem,
    segments: segmentsOf(request, environment, contextItem, person.categories),
    admits: (itemIndex) => catalog.servable(itemIndex, nowMs) && !exclusions.forbids(itemIndex),
    nowMs,
  });
}

function contextIndexOf(
  { contextItem }: RecommendationRequest,
  { catalog }: ServingEnvironment,
): number | undefined {
  return contextItem && catalog.indexOfId(contextItem.itemId, contextItem.itemType);
}

/** Nearest first: what the page or the person is about, then the page's type and the channel. */
function segmentsOf(
  { pageType, channel }: RecommendationRequest,
  { models, catalog }: ServingEnvironment,
  contextItem: number | undefined,
  interests: readonly string[],
): number[] {
  const [contextCategory] =
    contextItem === undefined ? [] : catalog.column('categories')!.valuesAt(contextItem);
  const rows = [
    contextCategory === undefined ? undefined : models.segmentOf('category', String(contextCategory)),
    ...interests.slice(-2).map((interest) => models.segmentOf('category', interest)),
    models.segmentOf('page_type', pageType),
    channel === undefined ? undefined : models.segmentOf('channel', channel),
  ];
  return rows.filter((row) => row !== undefined);
}

/** What the list's settings do to the order of its candidates. */
function orderOf(
  { listSize, listName }: ListRequest,
  { freshness, rotation }: ConfigurationSettings,
  { request, environment, requestId, nowMs }: ListMaking,
): ListOrder {
  const halfLives = halfLivesOf(environment.settings, freshness?.halfLifeMs);
  if (!rotation?.rate) return { halfLives };
  const period = rotation.periodMs === 0 ? requestId : Math.floor(nowMs / rotation.periodMs);
  const seed = [request.userId ?? request.deviceId, listName, period].join('\u0000');
  return { halfLives, rotation: { rate: rotation.rate, listSize, seed } };
}

/** What the person and the list's settings keep out of it. */
function forbiddenBy(
  { freshness, fatigue }: ConfigurationSettings,
  exclusions: Exclusions,
  { environment: { catalog }, history, nowMs }: ListMaking,
): (itemIndex: number) => boolean {
  const oldest = freshness?.maximumAgeMs === undefined ? undefined : nowMs - freshness.maximumAgeMs;
  const tired = fatigue && history && findTired(history, fatigue, { catalog, nowMs });
  if (oldest === undefined && !tired?.size) return exclusions.forbids;
  return (itemIndex) =>
    exclusions.forbids(itemIndex) ||
    (oldest !== undefined && catalog.publishedAt(itemIndex) < oldest) ||
    tired?.has(itemIndex) === true;
}

type BoundList = { rules: BoundRule[]; preferences: BoundPreference[]; settings: ConfigurationSettings };

function bindList(
  list: ListRequest,
  { rules, settings }: ActiveConfiguration,
  { request, environment, nowMs }: ListMaking,
): BoundList {
  const { catalog, matchSets } = environment;
  const variables = createVariableLookup(list.variables, catalog, contextIndexOf(request, environment));
  const binding = bindConfiguration(rules, { catalog, matchSets, variables, nowMs });
  if (binding.outcome === 'bound') return { ...binding, settings };
  const [variable] = binding.variables;
  throw new DomainError(
    'VARIABLE_MISSING',
    `List ${JSON.stringify(list.listName)} needs the variable ${JSON.stringify(variable)} of configuration ${JSON.stringify(list.configurationId)}.`,
    {
      metadata: { configuration_id: list.configurationId, list_name: list.listName, variable },
      violations: binding.variables.map((name) => ({
        pointer: `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
        detail: `Is a variable without default in configuration ${list.configurationId}, list ${list.listName}.`,
      })),
    },
  );
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
  { environment }: ListMaking,
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
    unmet: unmet.map(({ ruleIndex, wanted, got }) => ({ constraintIndex: ruleIndex, wanted, found: got })),
  };
}
