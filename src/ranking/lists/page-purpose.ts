/** Seeds lists of basket pages with the basket instead of the subject's history. */

import type { PagePurpose } from '../../deployment/deployment.ts';
import { mostRecents, type Recent } from '../models/query.ts';
import type { ListIngredients } from './list-ingredients.ts';
import { basketOf } from './person/basket.ts';

export type BasketSeeds = {
  purpose: PagePurpose;
  recents: Recent[];
  items: number[];
};

/** Returns undefined if the page has another purpose or the basket is empty. */
export function basketSeedsOf(
  { request, environment, history, nowMs }: ListIngredients,
  contextItem: number | undefined,
): BasketSeeds | undefined {
  const { catalog, settings } = environment;
  const purpose = settings.pagePurposes.get(request.pageType);
  if (purpose === undefined) return undefined;
  const about = { catalog, nowSeconds: nowMs / 1000 };
  const items =
    purpose === 'bought_together' ? [] : basketOf(history?.entries ?? [], request.histories, about);
  if (items.length === 0 && contextItem === undefined) return undefined;
  const seeds = items.slice(0, mostRecents);
  return { purpose, items, recents: seeds.map((itemIndex) => ({ itemIndex, ageSeconds: 0, weight: 1 })) };
}
