/**
 * Stand-ins: items that represent an interest which is not an item, such as a category or a group of the catalogue, until the
 * models know that interest themselves. They are the first few members in the order that fills lists.
 */

import type { Catalog } from '../../catalog/catalog.ts';
import { normalisePath } from '../../catalog/category-column.ts';
import type { ServingModels } from '../../environment/serving-models.ts';

/** Stand-ins of one interest. More would add little. */
const mostStandIns = 4;

/** Items examined from either end of the order, for all interests of a request together. Bounds the time. */
const mostExamined = 2_000;

export type StandInOptions = {
  catalog: Catalog;
  models: Pick<ServingModels, 'fallbackOrder'>;
  nowSeconds: number;
};

/**
 * Finds the stand-ins of all names in one pass over the catalogue, whatever their number.
 *
 * @returns Catalogue positions by name. A name that is neither a category nor a group of the catalogue is absent.
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

/** One column that names of interests may be values of. */
type Search = {
  codesAt(itemIndex: number, codes: number[]): number;
  /** Returns undefined when no item has the value. */
  keyOf(value: string): number | undefined;
  /** Scratch for the codes of one item. */
  codes: number[];
  /** By code: the stand-ins of that name so far. */
  members: Map<number, number[]>;
};

/** A name that is both a category and a group has one list; so have two spellings of one category. */
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

/** Trending items first, then the newest, which the models may not know yet. */
function* candidates(fallbackOrder: Int32Array, itemCount: number): Generator<number> {
  const count = Math.min(mostExamined, fallbackOrder.length);
  for (let place = 0; place < count; place++) yield fallbackOrder[place];
  for (let itemIndex = itemCount - 1; itemIndex >= Math.max(0, itemCount - mostExamined); itemIndex--)
    yield itemIndex;
}
