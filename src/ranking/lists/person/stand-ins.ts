/**
 * Stand-ins represent a category or group as an interest until the models know it themselves: its
 * first few members in fallback order.
 */

import type { Catalog } from '../../catalog/catalog.ts';
import { normalisePath } from '../../catalog/category-column.ts';
import type { ServingModels } from '../../environment/serving-models.ts';

/** Stand-ins for each interest; more add little. */
const mostStandIns = 4;

/** Items examined from each end of the order for one request. Bounds the time. */
const mostExamined = 2_000;

export type StandInOptions = {
  catalog: Catalog;
  models: Pick<ServingModels, 'fallbackOrder'>;
  nowSeconds: number;
};

/**
 * Finds the stand-ins of all names in one pass over the catalogue.
 *
 * @returns Catalogue positions by name, without names that are no category or group.
 */
export function findStandIns(
  names: Iterable<string>,
  { catalog, models, nowSeconds }: StandInOptions,
): Map<string, number[]> {
  const found = new Map<string, number[]>();
  const searches = openSearches(names, catalog, found);
  let openCount = new Set(found.values()).size;
  if (openCount === 0) return found;
  for (const itemIndex of candidates(models.fallbackOrder, catalog.itemCount)) {
    let isServable: boolean | undefined;
    for (const { codesAt, codes, members } of searches) {
      const count = codesAt(itemIndex, codes);
      for (let place = 0; place < count; place++) {
        const list = members.get(codes[place]);
        if (list === undefined || list.length === mostStandIns || list.includes(itemIndex)) continue;
        isServable ??= catalog.servable(itemIndex, nowSeconds * 1_000);
        if (isServable && list.push(itemIndex) === mostStandIns && --openCount === 0) return found;
      }
    }
  }
  return found;
}

/** A column with values that names of interests can match. */
type Search = {
  codesAt(itemIndex: number, codes: number[]): number;
  /** Returns undefined when no item has the value. */
  keyOf(value: string): number | undefined;
  /** Reused buffer for the codes of one item. */
  codes: number[];
  /** Stand-ins found so far, by code. */
  members: Map<number, number[]>;
};

/** Shares one list between a category and a group of equal name, and between spellings. */
function openSearches(names: Iterable<string>, catalog: Catalog, found: Map<string, number[]>): Search[] {
  const categories = searchOf(catalog, 'categories');
  const groups = catalog.groups.count > 0 ? searchOf(catalog, 'group_id') : undefined;
  for (const name of names) {
    const path = normalisePath(name);
    const category = path === undefined ? undefined : categories.keyOf(path);
    const group = groups?.keyOf(name);
    if (category === undefined && group === undefined) continue;
    const list = categories.members.get(category!) ?? groups?.members.get(group!) ?? [];
    if (category !== undefined) categories.members.set(category, list);
    if (group !== undefined) groups!.members.set(group, list);
    found.set(name, list);
  }
  return [categories, groups].filter((one) => one !== undefined && one.members.size > 0) as Search[];
}

function searchOf(catalog: Catalog, key: string): Search {
  const { coded, keyOf } = catalog.column(key)!;
  return {
    codesAt: coded!.codesAt,
    keyOf: (value) => keyOf!(value) as number | undefined,
    codes: [],
    members: new Map(),
  };
}

/** Yields trending items, then the newest, which the models may not know yet. */
function* candidates(fallbackOrder: Int32Array, itemCount: number): Generator<number> {
  const count = Math.min(mostExamined, fallbackOrder.length);
  for (let place = 0; place < count; place++) yield fallbackOrder[place];
  for (let itemIndex = itemCount - 1; itemIndex >= Math.max(0, itemCount - mostExamined); itemIndex--)
    yield itemIndex;
}
