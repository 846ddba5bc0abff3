/**
 * Stock budgets: counts the impressions of each item today and names the items to leave out.
 *
 * An item is left out when its impressions and a reserve reach stock · impressions per unit. The
 * reserve is for lists that are on display but not counted yet: twice the most impressions of a turn
 * of counting today, at most half the budget.
 */

import type { ListEnvironment } from '../../ranking/environment/serving-environment.ts';
import type { SpentItems } from '../../ranking/lists/guarantees.ts';
import { bindQuery } from '../../ranking/rules/bind.ts';
import type { StockBudget } from '../../ranking/rules/settings.ts';
import type { StockCounts } from '../../repository/guarantees/guarantees.ts';

/** Most items that are counted in a day; the first to be shown. */
const mostItems = 20_000;

const turnMs = 5_000;

type Catalog = ListEnvironment['catalog'];

/** Counts the impressions of a turn; `counts` are those before it. */
export function createStockCount(
  catalog: Catalog,
  budgets: readonly StockBudget[],
  { counts, elapsedMs }: { counts: StockCounts; elapsedMs: number },
) {
  const columns = [...new Set(budgets.map(({ property }) => property))].map((key) => catalog.column(key));
  const shown = new Map<number, number>();
  return {
    add(itemIndex: number): void {
      if (columns.some((column) => column && column.valuesAt(itemIndex).length > 0))
        shown.set(itemIndex, (shown.get(itemIndex) ?? 0) + 1);
    },
    finish(): StockCounts {
      const all = { ...counts };
      let itemCount = Object.keys(all).length;
      for (const [itemIndex, number] of shown) {
        const key = `${catalog.itemTypeAt(itemIndex)}\u001f${catalog.itemIdAt(itemIndex)}`;
        if (!all[key] && ++itemCount > mostItems) continue;
        const [count, peak] = all[key] ?? [0, 0];
        const inTurn = Math.ceil((number * turnMs) / Math.max(turnMs, elapsedMs));
        all[key] = [count + number, Math.max(peak, inTurn)];
      }
      return all;
    },
  };
}

/** Returns the items of a budget to leave out; undefined if there are none. */
export function spentItems(
  { catalog, matchSets }: ListEnvironment,
  { property, impressionsPerUnit }: StockBudget,
  counts: StockCounts,
): SpentItems['bits'] | undefined {
  const column = catalog.column(property);
  if (!column) return undefined;
  const bits = new Uint8Array(Math.ceil(catalog.itemCount / 8));
  const leaveOut = (itemIndex: number) => {
    bits[itemIndex >>> 3] |= 1 << (itemIndex & 7);
  };
  const none = { operator: 'lte', operands: [{ value: 0 }], quantifier: 'any', negated: false } as const;
  const query = { key: property, tests: [{ ...none, operands: [...none.operands] }] };
  const binding = bindQuery(query, { catalog, variables: () => undefined, nowMs: 0 });
  if (binding.outcome === 'bound') {
    const empty = matchSets.get(binding.query);
    for (let i = 0; empty.count > 0 && i < catalog.itemCount; i++) if (empty.has(i)) leaveOut(i);
  }
  for (const [key, [count, peak]] of Object.entries(counts)) {
    const [itemType, itemId] = key.split('\u001f');
    const itemIndex = catalog.indexOf(itemType, itemId);
    const [stock] = itemIndex === undefined ? [] : column.valuesAt(itemIndex);
    if (typeof stock !== 'number') continue;
    const budget = stock * impressionsPerUnit;
    if (count + Math.min(2 * peak, budget / 2) >= budget) leaveOut(itemIndex!);
  }
  return bits.some((byte) => byte > 0) ? Buffer.from(bits).toString('base64') : undefined;
}
