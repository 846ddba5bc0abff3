/**
 * Lists of strangers, kept and given again: most visitors of a site are unknown, and most come to the same few hundred pages.
 *
 * A list is given again only where making it anew would bring the same, item by item: what the person did is nothing, and
 * models, items, configuration, page and all that conditions read are the same. A write of an item, or a moment at which one is
 * published or expires, makes all lists of an environment anew. What depends on the clock in any other way is never kept:
 * conditions that speak of now, freshness, ages, rotation.
 *
 * A write drops every list: the item may enter any of them, and limits and groups move its neighbours.
 */

import type { EnvironmentSettings } from '../../deployment/deployment.ts';
import { createServableItems, itemsPerAnswer, type ServableItems } from '../catalog/servable-items.ts';
import type { ListEnvironment } from '../environment/serving-environment.ts';
import type { ServingModels } from '../environment/serving-models.ts';
import { type Cache, createCache } from '../runtime/cache.ts';
import { createConfigurationReads, type Reads, valuesRead } from './configuration-reads.ts';
import type { ListIngredients } from './list-ingredients.ts';
import type { List, ListRequest } from './recommendation-request.ts';

/** `dependsOnNow`: a condition speaks of now, so a moment later the lists may be others. */
export type MakeLists = (ingredients: ListIngredients) => { lists: List[]; dependsOnNow: boolean };

/** Of one environment in one thread: some thousand pages. */
const mostBytes = 8 * 1024 * 1024;

/** Of an item of a list, estimated. */
const bytesPerItem = 160;

type ReadsOf = ReturnType<typeof createConfigurationReads>;

export type KeptLists = {
  /** Given again, or made: then `isKept` tells whether they may be given again. */
  of(ingredients: ListIngredients): { lists: List[]; isKept: boolean };
  /** Where lists stand that may be given again; undefined where they must be made anew. */
  placeOf(ingredients: ListIngredients): KeptPlace | undefined;
};

/** Of one request at the moment at which it was asked for. */
export type KeptPlace = {
  readonly lists: List[] | undefined;
  /** Lists that were made as things stood when the place was asked for; nothing where things have changed since. */
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
 * The lists of one environment: others as soon as those of before may no longer be right, so that what comes late to those of
 * before is of no consequence. None while a large catalogue is looked at first.
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

/** All that the lists are made from besides what the shelf looks at; undefined where they must not be kept. */
function keyOf(
  { request, environment, identity, active, history }: ListIngredients,
  readsOf: ReadsOf,
): string | undefined {
  if (request.explain || request.histories.some((entries) => entries.length > 0)) return undefined;
  if (history && history.entries.length + history.impressions.length > 0) return undefined;
  if (agesItems(environment.settings)) return undefined;
  if (active.some(({ settings }) => settings.freshness || settings.rotation?.rate)) return undefined;
  const { pageType, channel, contextItem, properties } = request;
  return JSON.stringify([
    [identity.lists, identity.version, history === undefined],
    [pageType, channel, contextItem?.itemId, contextItem?.itemType, properties],
    active.map(({ version, rules, settings }, i) => [
      ...[version, settings.allowDuplicates],
      ...askedOf(request.lists[i], readsOf(rules)),
    ]),
  ]);
}

function askedOf({ listSize, allowDuplicates, injected, variables }: ListRequest, reads: Reads) {
  return [
    ...[reads.number, listSize, allowDuplicates],
    injected.map(({ rank, itemId, itemType }) => [rank, itemId, itemType]),
    valuesRead(reads, variables),
  ];
}

/** The item types that lose worth with age, or are left out from an age on. */
function agesItems({ itemTypes }: EnvironmentSettings): boolean {
  for (const { halfLifeHours, maximumAgeHours } of itemTypes.values())
    if (halfLifeHours !== undefined || maximumAgeHours !== undefined) return true;
  return false;
}
