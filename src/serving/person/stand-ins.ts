/**
 * Items that stand for an interest that is no item, such as a category or a group of the catalogue,
 * until the models have met it themselves: the first few of it in the order that fills lists. The
 * models then find what is like them.
 */

import type { Catalog } from '../../catalog/catalog.ts';
import type { ServingModels } from '../environment/serving-models.ts';

/** More would say little more about it. */
const mostStandIns = 4;

/** Items looked at in search of them from either end, which bounds the time: some 30 µs. */
const mostLookedAt = 2_000;

export type StandInOptions = {
  catalog: Catalog;
  models: Pick<ServingModels, 'fallbackOrder'>;
  nowSeconds: number;
};

/** Catalogue positions; none when no category and no group of the catalogue is called so. */
export function findStandIns(name: string, { catalog, models, nowSeconds }: StandInOptions): number[] {
  const isMember = memberTest(name, catalog);
  const found: number[] = [];
  for (const itemIndex of candidates(models.fallbackOrder, catalog.itemCount)) {
    if (!isMember(itemIndex) || found.includes(itemIndex)) continue;
    if (!catalog.servable(itemIndex, nowSeconds * 1_000)) continue;
    found.push(itemIndex);
    if (found.length === mostStandIns) break;
  }
  return found;
}

function memberTest(name: string, { column, groups }: Catalog): (itemIndex: number) => boolean {
  const isInCategory = column('categories')!.matcher({ oneOf: [name] });
  if (groups.count === 0) return isInCategory;
  const isInGroup = column('group_id')!.matcher({ oneOf: [name] });
  return (itemIndex) => isInCategory(itemIndex) || isInGroup(itemIndex);
}

/** What is trending, then what came last, which the models may not have met. */
function* candidates(fallbackOrder: Int32Array, itemCount: number): Generator<number> {
  const count = Math.min(mostLookedAt, fallbackOrder.length);
  for (let place = 0; place < count; place++) yield fallbackOrder[place];
  for (let itemIndex = itemCount - 1; itemIndex >= Math.max(0, itemCount - mostLookedAt); itemIndex--)
    yield itemIndex;
}
