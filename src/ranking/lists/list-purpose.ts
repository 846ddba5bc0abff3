/** Purposes of lists: each names the seeds that replace the subject's interests, if any. */

import type { Purpose } from '../../deployment/deployment.ts';
import { mostRecents, type Recent } from '../models/query.ts';
import type { ConfigurationSettings } from '../rules/settings.ts';
import type { ListIngredients } from './list-ingredients.ts';
import { basketOf } from './person/basket.ts';
import type { ListRequest } from './recommendation-request.ts';

export type PurposeSeeds = { purpose: Purpose; items: number[]; recents: Recent[] };

type Finder = (ingredients: ListIngredients, contextItem: number | undefined) => number[] | undefined;

/** Returns the items to start from beside the context item; undefined for lists as with `similar`. */
const finders: Record<Purpose, Finder> = {
  similar: () => undefined,
  bought_together: (_, contextItem) => (contextItem === undefined ? undefined : []),
  complete_basket({ request, environment: { catalog }, history, nowMs }, contextItem) {
    const about = { catalog, nowSeconds: nowMs / 1000 };
    const items = basketOf(history?.entries ?? [], request.histories, about);
    return items.length === 0 && contextItem === undefined ? undefined : items;
  },
};

/** Returns the purpose that the list names, else its configuration, else the page type. */
export function purposeOf(
  list: ListRequest,
  settings: ConfigurationSettings,
  { request, environment }: Pick<ListIngredients, 'request' | 'environment'>,
): Purpose {
  const { pagePurposes } = environment.settings;
  return list.purpose ?? settings.purpose ?? pagePurposes.get(request.pageType) ?? 'similar';
}

export function seedsOf(
  purpose: Purpose,
  ingredients: ListIngredients,
  contextItem: number | undefined,
): PurposeSeeds | undefined {
  const items = finders[purpose](ingredients, contextItem);
  if (items === undefined) return undefined;
  const seeds = items.slice(0, mostRecents);
  return { purpose, items, recents: seeds.map((itemIndex) => ({ itemIndex, ageSeconds: 0, weight: 1 })) };
}
