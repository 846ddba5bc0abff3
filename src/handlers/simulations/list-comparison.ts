/** Compares lists of two sides, such as without and with a draft. */

import type { ServingEnvironment } from '../../ranking/environment/serving-environment.ts';
import type { ListItem } from '../../ranking/lists/recommendation-request.ts';

const mostReported = 100;
const mostSharesPerKey = 50;

export type ComparedList = {
  items: readonly Pick<ListItem, 'itemId' | 'itemType'>[];
  unmet: readonly { constraintIndex: number; wanted: number; found: number }[];
};

export type SimulatedSide = {
  version: number;
  fillRate: number;
  failedListCount: number;
  unmetQuotas: { constraintIndex: number; listCount: number; missingCount: number }[];
  shares: ValueShare[];
  ages: ValueShare[];
};

export type ValueShare = { key: string; value: string; share: number };

export type ItemChange = {
  itemId: string;
  itemType: string;
  title: string;
  beforeCount: number;
  afterCount: number;
};

/** Effect of a draft. `before` is undefined if it replaces no served version. */
export type Comparison = {
  requestCount: number;
  listCount: number;
  before: SimulatedSide | undefined;
  after: SimulatedSide;
  itemsIn: ItemChange[];
  itemsOut: ItemChange[];
  changedListCount: number;
};

export function createTally({ catalog }: ServingEnvironment, shareKeys: readonly string[], nowMs: number) {
  const itemCounts = new Map<number, number>();
  const unmet = new Map<number, { listCount: number; missingCount: number }>();
  let listCount = 0;
  let failedListCount = 0;
  let askedCount = 0;
  let shownCount = 0;
  return {
    itemCounts,
    get listCount() {
      return listCount;
    },
    add(list: ComparedList | undefined, listSize: number) {
      listCount += 1;
      askedCount += listSize;
      if (!list) {
        failedListCount += 1;
        return;
      }
      shownCount += list.items.length;
      for (const { itemType, itemId } of list.items) {
        const itemIndex = catalog.indexOf(itemType, itemId);
        if (itemIndex !== undefined) itemCounts.set(itemIndex, (itemCounts.get(itemIndex) ?? 0) + 1);
      }
      for (const { constraintIndex, wanted, found } of list.unmet) {
        const known = unmet.get(constraintIndex) ?? { listCount: 0, missingCount: 0 };
        unmet.set(constraintIndex, {
          listCount: known.listCount + 1,
          missingCount: known.missingCount + wanted - found,
        });
      }
    },
    finish: (version: number): SimulatedSide => ({
      version,
      fillRate: askedCount === 0 ? 0 : shownCount / askedCount,
      failedListCount,
      unmetQuotas: Array.from(unmet, ([constraintIndex, counts]) => ({ constraintIndex, ...counts })),
      shares: shareKeys.flatMap((key) =>
        sharesOf(key, itemCounts, (i) => catalog.column(key)?.valuesAt(i).map(String) ?? []),
      ),
      ages: sharesOf('age', itemCounts, (i) => [ageOf(catalog.publishedAt(i), nowMs)]),
    }),
  };
}

function sharesOf(
  key: string,
  itemCounts: ReadonlyMap<number, number>,
  valuesOf: (itemIndex: number) => string[],
): ValueShare[] {
  const counts = new Map<string, number>();
  let total = 0;
  for (const [itemIndex, count] of itemCounts) {
    total += count;
    for (const value of valuesOf(itemIndex)) counts.set(value, (counts.get(value) ?? 0) + count);
  }
  const shares = Array.from(counts, ([value, count]) => ({ key, value, share: count / total }));
  return shares.sort((a, b) => b.share - a.share || (a.value < b.value ? -1 : 1)).slice(0, mostSharesPerKey);
}

const dayMs = 86_400_000;
const ageBounds: [name: string, belowMs: number][] = [
  ['under a day', dayMs],
  ['under a week', 7 * dayMs],
  ['under a month', 30 * dayMs],
  ['under a year', 365 * dayMs],
  ['older', Number.POSITIVE_INFINITY],
];

function ageOf(publishedMs: number, nowMs: number): string {
  return ageBounds.find(([, belowMs]) => nowMs - publishedMs < belowMs)?.[0] ?? 'unknown';
}

export function compareItems(
  before: ReadonlyMap<number, number>,
  after: ReadonlyMap<number, number>,
  { catalog }: ServingEnvironment,
): { itemsIn: ItemChange[]; itemsOut: ItemChange[] } {
  const changes = Array.from(new Set([...before.keys(), ...after.keys()]), (itemIndex) => ({
    itemId: catalog.itemIdAt(itemIndex),
    itemType: catalog.itemTypeAt(itemIndex),
    title: catalog.titleAt(itemIndex) ?? '',
    beforeCount: before.get(itemIndex) ?? 0,
    afterCount: after.get(itemIndex) ?? 0,
  }));
  const gain = ({ beforeCount, afterCount }: ItemChange) => afterCount - beforeCount;
  return {
    itemsIn: changes
      .filter((change) => gain(change) > 0)
      .sort((a, b) => gain(b) - gain(a))
      .slice(0, mostReported),
    itemsOut: changes
      .filter((change) => gain(change) < 0)
      .sort((a, b) => gain(a) - gain(b))
      .slice(0, mostReported),
  };
}
