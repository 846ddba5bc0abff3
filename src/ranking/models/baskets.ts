/**
 * Scores items that complete a basket: by how often they are bought, and how much more often with
 * the items in the basket.
 *
 *   score(j) = p_j + Σ_i gain(i → j)       p_j = n_j / (orders + k')
 *   gain(i → j) = (surplus(i, j) + k · gain(c_i → j)) / (n_i + k)
 *   surplus(i, j) = max(0, n_ij − n_i · p_j − √n_ij)
 *
 * over the items i of the basket; n_i are orders with i, n_ij those with both. Only the surplus
 * over chance beyond one standard deviation counts: most pairs of a shop met once or twice, which
 * is noise. For rarely bought items the category c_i decides: this camera is bought with memory
 * cards because cameras are.
 *
 * Used only on pages with this purpose: items bought together are not what subjects look for next.
 * On an item's page (`bought_together`) popularity p_j is left out, so the best-seller does not
 * appear beside every item.
 */

import { add, addRun, begin, createAccumulator } from './arrays/accumulator.ts';
import { createRowsBuilder, groupBy, type Rows } from './arrays/rows.ts';
import { beginTopN, createTopN, finishTopN, offer, offerTouched } from './arrays/top-n.ts';
import type { Algorithm, IndexMapping, Model, NoOptions, Query, Reason } from './model.ts';
import { scoreInRow } from './neighbours.ts';
import type { Orders } from './orders.ts';

export type BasketsInput = {
  orders: Orders;
  itemCount: number;
  /** Category of each local item as a position in `keys`, -1 for none [no categories]. */
  categories?: { keys: readonly string[]; ofItem: Int32Array };
};

export type BasketsTables = {
  /** Per item: gains of other items. */
  gains: Rows;
  /** Local items, most bought first, and their p. */
  popularItems: Int32Array;
  popularShares: Float32Array;
};

/** k: prior weight, in orders. */
const priorOrders = 5;

/** Items kept per row. */
const neighbourCount = 100;

/** Items proposed for their popularity. */
const popularCount = 1_000;

/** k': prior weight of a shop's first orders, which are too few to measure popularity. */
const priorAllOrders = 100;

export const baskets: Algorithm<BasketsInput, NoOptions, BasketsTables> = {
  name: 'baskets',
  train({ orders, itemCount, categories }) {
    const byItem = groupBy(orders.item, itemCount);
    const countOf = (item: number) => byItem.offsets[item + 1] - byItem.offsets[item];
    const shareOf = (item: number) => countOf(item) / (orders.offsets.length - 1 + priorAllOrders);
    const gather = createGathering(orders, itemCount, shareOf);
    const ofCategories = categories && gainsOfCategories(orders, categories, gather);
    const top = createTopN(neighbourCount);
    const rows = createRowsBuilder(itemCount);
    const sums = createAccumulator(itemCount);
    for (let item = 0; item < itemCount; item++) {
      const scale = 1 / (countOf(item) + priorOrders);
      begin(sums);
      const entries = byItem.order.subarray(byItem.offsets[item], byItem.offsets[item + 1]);
      gather(entries, (other, surplus) => {
        if (other !== item) add(sums, other, surplus * scale);
      });
      const category = categories?.ofItem[item] ?? -1;
      if (ofCategories && category >= 0) {
        const { offsets, items, scores } = ofCategories;
        for (let at = offsets[category]; at < offsets[category + 1]; at++)
          if (items[at] !== item) add(sums, items[at], scores[at] * priorOrders * scale);
      }
      beginTopN(top);
      offerTouched(top, sums);
      finishTopN(top);
      rows.appendRow(top);
    }
    return { gains: rows.finish(), ...mostBought(itemCount, shareOf) };
  },
  serve: createBasketsModel,
};

/** Visits the items bought in the orders of some entries, with their orders beyond chance. */
type Gathering = (entries: Iterable<number>, take: (item: number, surplus: number) => void) => void;

function createGathering(orders: Orders, itemCount: number, shareOf: (item: number) => number): Gathering {
  const orderOf = ordersOfEntries(orders);
  const both = createAccumulator(itemCount);
  return (entries, take) => {
    begin(both);
    let orderCount = 0;
    const seen = new Set<number>();
    for (const entry of entries) {
      const order = orderOf[entry];
      if (seen.has(order)) continue;
      seen.add(order);
      orderCount += 1;
      for (let at = orders.offsets[order]; at < orders.offsets[order + 1]; at++)
        add(both, orders.item[at], 1);
    }
    for (let place = 0; place < both.touchedCount; place++) {
      const item = both.touched[place];
      const count = both.scores[item];
      const surplus = count - orderCount * shareOf(item) - Math.sqrt(count);
      if (surplus > 0) take(item, surplus);
    }
  };
}

/** One row per category: items of other categories (not substitutes) bought with its items. */
function gainsOfCategories(
  orders: Orders,
  { keys, ofItem }: NonNullable<BasketsInput['categories']>,
  gather: Gathering,
): Rows {
  const byCategory = groupBy(
    orders.item.map((item) => ofItem[item]),
    keys.length,
  );
  const top = createTopN(neighbourCount);
  const rows = createRowsBuilder(keys.length);
  for (let category = 0; category < keys.length; category++) {
    const entries = byCategory.order.subarray(byCategory.offsets[category], byCategory.offsets[category + 1]);
    beginTopN(top);
    gather(entries, (item, surplus) => {
      if (ofItem[item] !== category) offer(top, item, Math.fround(surplus / (entries.length + priorOrders)));
    });
    finishTopN(top);
    rows.appendRow(top);
  }
  return rows.finish();
}

/** Order per entry. */
function ordersOfEntries({ offsets, item }: Orders): Int32Array {
  const orderOf = new Int32Array(item.length);
  for (let order = 0; order + 1 < offsets.length; order++)
    orderOf.fill(order, offsets[order], offsets[order + 1]);
  return orderOf;
}

function mostBought(itemCount: number, shareOf: (item: number) => number) {
  const bought = Int32Array.from({ length: itemCount }, (_, item) => item).filter(
    (item) => shareOf(item) > 0,
  );
  const popularItems = bought.sort((a, b) => shareOf(b) - shareOf(a) || a - b).slice(0, popularCount);
  return { popularItems, popularShares: Float32Array.from(popularItems, shareOf) };
}

/** Undoes the normalisation of seed weights: a basket's items do not share one weight of 1. */
function shareOf({ seedWeight, seedCount }: Query, seed: number): number {
  return seedWeight[seed] * seedCount;
}

/** Serves a page about one item, without popular items. */
export function serveCompanions(tables: BasketsTables, mapping: IndexMapping): Model {
  const none = { popularItems: new Int32Array(0), popularShares: new Float32Array(0) };
  return createBasketsModel({ ...tables, ...none }, mapping);
}

function createBasketsModel(
  { gains, popularItems, popularShares }: BasketsTables,
  mapping: IndexMapping,
): Model {
  const { offsets } = gains;
  const placeOf = new Map(Array.from(popularItems, (item, place) => [item, place]));
  return {
    name: 'baskets',
    role: 'proposes',
    accumulate(query, weight, accumulator) {
      for (let seed = 0; seed < query.seedCount; seed++) {
        const local = query.seedLocal[seed];
        if (local < 0) continue;
        addRun(accumulator, gains, offsets[local], offsets[local + 1], weight * shareOf(query, seed));
      }
      for (let place = 0; place < popularItems.length; place++) {
        add(accumulator, popularItems[place], weight * popularShares[place]);
      }
    },
    explain(query, weight, itemIndex) {
      const candidate = mapping.localOf[itemIndex] ?? -1;
      const reasons: Reason[] = [];
      for (let seed = 0; seed < query.seedCount; seed++) {
        const seedLocal = query.seedLocal[seed];
        if (seedLocal < 0 || candidate < 0) continue;
        const score = weight * shareOf(query, seed) * scoreInRow(gains, seedLocal, candidate);
        if (score !== 0) reasons.push({ seedItemIndex: query.seedItemIndex[seed], seedLocal, score });
      }
      const place = placeOf.get(candidate);
      if (place !== undefined) reasons.push({ score: weight * popularShares[place] });
      return reasons;
    },
  };
}
