/**
 * Caches bound rules for all subjects on the same page until the next item write. Conditions that
 * depend on the current time or the subject's history are bound for each request.
 */

import type { ListEnvironment } from '../environment/serving-environment.ts';
import type { ActiveConfiguration } from '../rules/active-configuration.ts';
import type { ItemSet } from '../rules/match-sets.ts';
import { type Cache, createCache } from '../runtime/cache.ts';
import { type BoundList, bindList } from './bind-list.ts';
import { createConfigurationReads, valuesRead } from './configuration-reads.ts';
import type { ListIngredients } from './list-ingredients.ts';
import { contextIndexOf } from './page-context.ts';
import type { ListRequest } from './recommendation-request.ts';

/** Limit for each environment and thread. */
const mostBytes = 16 * 1024 * 1024;

/** Estimated size of a binding, and of each condition without its item set. */
const bytesOfObject = 300;

/** Bindings of one environment, valid until the catalogue changes. */
type Shelf = { position: number; bindings: Cache<BoundList> };

export type Binder = typeof bindList;

export function createKeptBindings(): Binder {
  const shelves = new WeakMap<ListEnvironment, Shelf>();
  const readsOf = createConfigurationReads();

  const bindingsOf = (environment: ListEnvironment): Shelf['bindings'] => {
    const { position } = environment.catalog.changes;
    const known = shelves.get(environment);
    if (known?.position === position) return known.bindings;
    const bindings = known?.bindings ?? createCache<BoundList>({ maxBytes: mostBytes, bytesOf });
    bindings.clear();
    shelves.set(environment, { position, bindings });
    return bindings;
  };

  const keyOf = (
    { variables }: ListRequest,
    { rules }: ActiveConfiguration,
    { request, environment }: ListIngredients,
  ): string => {
    const reads = readsOf(rules);
    const item = reads.item ? contextIndexOf(request, environment) : undefined;
    const plain = item === undefined ? `${reads.number}` : `${reads.number} ${item}`;
    return reads.names.length === 0 ? plain : `${plain} ${JSON.stringify(valuesRead(reads, variables))}`;
  };

  return (list, active, ingredients) => {
    if (readsOf(active.rules).ofHistory.length > 0) return bindList(list, active, ingredients);
    const bindings = bindingsOf(ingredients.environment);
    const key = keyOf(list, active, ingredients);
    const known = bindings.get(key);
    if (known) return { ...known, settings: active.settings };
    const bound = bindList(list, active, ingredients);
    if (!bound.dependsOnNow) bindings.set(key, bound);
    return bound;
  };
}

/** Counts the item sets (12.5 kB each at 100,000 items): a binding outlives the match set cache. */
function bytesOf({ rules, preferences }: BoundList): number {
  const sets = [...rules, ...preferences].map((one) => ('set' in one ? bytesOfSet(one.set) : 0));
  return sets.reduce((sum, bytes) => sum + bytesOfObject + bytes, bytesOfObject);
}

const bytesOfSet = ({ words }: ItemSet): number => words?.byteLength ?? 0;
