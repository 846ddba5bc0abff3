/**
 * Caches cold-start lists: most visitors are unknown and open the same few hundred pages.
 *
 * A cached list is served only if computing it would give the same items: no history, and the same
 * models, items, configuration, page and condition inputs. Anything else that depends on the clock
 * (conditions on the current time, freshness, ages, rotation) is never cached.
 *
 * An item write drops all lists of the environment, because the item may enter any of them and
 * limits and groups shift its neighbours. So does an item's publication or expiry.
 */

import type { EnvironmentSettings } from '../../deployment/deployment.ts';
import { createServableItems, itemsPerAnswer, type ServableItems } from '../catalog/servable-items.ts';
import type { ListEnvironment } from '../environment/serving-environment.ts';
import type { ServingModels } from '../environment/serving-models.ts';
import { type Cache, createCache } from '../runtime/cache.ts';
import { createConfigurationReads, type Reads, valuesRead } from './configuration-reads.ts';
import { isExplored } from './exploration.ts';
import type { ListIngredients } from './list-ingredients.ts';
import type { List, ListRequest } from './recommendation-request.ts';

/** `dependsOnNow`: a condition depends on the current time, so the lists must not be cached. */
export type MakeLists = (ingredients: ListIngredients) => { lists: List[]; dependsOnNow: boolean };

/** Limit for each environment and thread: some thousand pages. */
const mostBytes = 8 * 1024 * 1024;

/** Estimated size of a listed item. */
const bytesPerItem = 160;

type ReadsOf = ReturnType<typeof createConfigurationReads>;

export type KeptLists = {
  /** Returns cached or new lists; `isKept` tells whether the cache holds them. */
  of(ingredients: ListIngredients): { lists: List[]; isKept: boolean };
  /** Returns the cache entry for the lists; undefined if they must not be cached. */
  placeOf(ingredients: ListIngredients): KeptPlace | undefined;
};

/** The cache entry of one request, as of the lookup. */
export type KeptPlace = {
  readonly lists: List[] | undefined;
  /** Stores lists computed from the state at lookup; has no effect if that state has changed. */
  keep(lists: List[]): void;
};

export function createKeptLists(make: MakeLists): KeptLists {
  const byEnvironment = new WeakMap<ListEnvironment, Shelf>();
  const readsOf = createConfigurationReads();

  const shelfOf = (environment: ListEnvironment): Shelf => {
    const known = byEnvironment.get(environment) ?? createShelf(environment);
    byEnvironment.set(environment, known);
    return known;
  };
  const placeOf = (ingredients: ListIngredients): KeptPlace | undefined => {
    const key = keyOf(ingredients, readsOf);
    if (key === undefined) return undefined;
    const lists = shelfOf(ingredients.environment).at(ingredients.nowMs);
    return lists && { lists: lists.get(key), keep: (made) => lists.set(key, made) };
  };

  return {
    of(ingredients) {
      const place = placeOf(ingredients);
      if (place?.lists) return { lists: place.lists, isKept: true };
      const { lists, dependsOnNow } = make(ingredients);
      const isKept = place !== undefined && !dependsOnNow;
      if (isKept) place.keep(lists);
      return { lists, isKept };
    },
    placeOf,
  };
}

/**
 * The current cache of one environment. An invalidation replaces it, so late writes to the old one
 * do no harm. Undefined during the first scan of a large catalogue.
 */
type Shelf = { at(nowMs: number): Cache<List[]> | undefined };

function createShelf(environment: ListEnvironment): Shelf {
  const servable: ServableItems = createServableItems(environment.catalog);
  let lists = createLists();
  let models: ServingModels | undefined;
  let newItems: number | undefined;
  let version = -1;
  let trendsVersion = -1;
  return {
    at(nowMs) {
      if (!servable.moveTo(nowMs, itemsPerAnswer)) return undefined;
      const { newItems: arrived } = environment.models;
      const isSame = models === environment.models && trendsVersion === environment.trends.version;
      if (isSame && newItems === arrived?.version && version === servable.version) return lists;
      lists = createLists();
      models = environment.models;
      trendsVersion = environment.trends.version;
      newItems = arrived?.version;
      version = servable.version;
      return lists;
    },
  };
}

const createLists = () => createCache<List[]>({ maxBytes: mostBytes, bytesOf });

function bytesOf(lists: List[]): number {
  return lists.reduce((sum, { items }) => sum + items.length * bytesPerItem, 500);
}

/** Returns the inputs that the shelf does not track; undefined if the lists must not be cached. */
function keyOf(ingredients: ListIngredients, readsOf: ReadsOf): string | undefined {
  const { request, environment, identity, active, history } = ingredients;
  if (request.explain || request.page || request.similar || request.lists.some(({ lead }) => lead))
    return undefined;
  if (request.histories.some((entries) => entries.length > 0)) return undefined;
  if (history && history.entries.length + history.impressions.length > 0) return undefined;
  if (agesItems(environment.settings)) return undefined;
  if (active.some(({ settings }) => settings.freshness || settings.rotation?.rate)) return undefined;
  if (active.some(({ settings }, i) => isExplored(settings.exploration, ingredients, i))) return undefined;
  const { pageType, channel, contextItem, properties } = request;
  return JSON.stringify([
    [identity.lists, identity.version, identity.factors, history === undefined],
    [pageType, channel, contextItem?.itemId, contextItem?.itemType, properties],
    active.map(({ version, rules, settings }, i) => [
      ...[version, settings.allowDuplicates],
      ...askedOf(request.lists[i], readsOf(rules)),
    ]),
  ]);
}

function askedOf(list: ListRequest, reads: Reads) {
  const { listSize, allowDuplicates, purpose, injected, guaranteed, spent, variables } = list;
  return [
    ...[reads.number, listSize, allowDuplicates, purpose, guaranteed, spent?.version],
    injected.map(({ rank, itemId, itemType }) => [rank, itemId, itemType]),
    valuesRead(reads, variables),
  ];
}

/** Whether any item type has a half-life or a maximum age. */
function agesItems({ itemTypes }: EnvironmentSettings): boolean {
  for (const { halfLifeHours, maximumAgeHours } of itemTypes.values())
    if (halfLifeHours !== undefined || maximumAgeHours !== undefined) return true;
  return false;
}
