/**
 * Purposes of lists: each names the seeds that replace the subject's interests, or the first items,
 * if any.
 */

import type { Purpose } from '../../deployment/deployment.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { mostRecents, type Recent } from '../models/query.ts';
import type { ConfigurationSettings } from '../rules/settings.ts';
import type { ListIngredients } from './list-ingredients.ts';
import { basketOf } from './person/basket.ts';
import type { NextInGroup } from './person/next-in-group.ts';
import type { Person } from './person/person.ts';
import type { ListRequest } from './recommendation-request.ts';

export type PurposeSeeds = {
  purpose: Purpose;
  /** Items that no list may contain. */
  items: number[];
  /** Seeds [the subject's interests]. */
  recents?: Recent[];
  /** Items before all others [none]. */
  lead?: number[];
};

/** Purposes that start from other items than the subject's interests. */
type SeededPurpose = Exclude<Purpose, 'similar' | 'continue'>;

type Finder = (ingredients: ListIngredients, contextItem: number | undefined) => number[] | undefined;

/** Returns the items to start from beside the context item; undefined for lists as with `similar`. */
const finders: Record<SeededPurpose, Finder> = {
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
  findContinuations: () => number[],
): PurposeSeeds | undefined {
  if (purpose === 'similar') return undefined;
  if (purpose === 'continue') return { purpose, items: [], lead: findContinuations() };
  const items = finders[purpose](ingredients, contextItem);
  if (items === undefined) return undefined;
  const seeds = items.slice(0, mostRecents);
  return { purpose, items, recents: seeds.map((itemIndex) => ({ itemIndex, ageSeconds: 0, weight: 1 })) };
}

/**
 * Returns the first items of a list to continue with: unfinished ones, latest first, then the items
 * that follow in ordered groups, latest group first.
 */
export function continuationsOf(
  { feedback: { unfinished }, reached }: Pick<Person, 'feedback' | 'reached'>,
  { groups }: Catalog,
  next: NextInGroup,
): number[] {
  const latest = [...unfinished].sort(([, a], [, b]) => b - a).map(([itemIndex]) => itemIndex);
  const begun = latest.filter(
    (itemIndex) => !groups.isOrdered(itemIndex) || next.of(itemIndex) === itemIndex,
  );
  const finished = [...reached.values()].filter(({ isUnfinished }) => !isUnfinished);
  finished.sort((a, b) => b.atSeconds - a.atSeconds);
  const following = finished.map(({ itemIndex }) => next.after(itemIndex));
  return [...begun, ...following].filter((itemIndex) => itemIndex !== undefined);
}
