/**
 * What completes a basket: how often an item is bought at all, and by how much more beside what is in the basket.
 *
 *   score(j) = p_j + Σ_i max(0, n_ij − n_i · p_j − √n_ij) / (n_i + k)       p_j = n_j / (orders + k')
 *
 * over the items i of the basket; n_i are orders with i, n_ij those with both. What two items have in common beyond
 * chance counts only as far as it is above its own standard deviation: of a shop's pairs most have met once or twice,
 * which says nothing, and a list of them is worse than one of what everybody buys. So where orders say little the list is
 * that one, and what stood in every other order comes first.
 *
 * Asked on pages whose purpose it is, and nowhere else: what people buy together is not what they look for next.
 */

import { add, addRun, begin, createAccumulator } from './arrays/accumulator.ts';
import { createRowsBuilder, groupBy, type Rows } from './arrays/rows.ts';
import { beginTopN, createTopN, finishTopN, offer } from './arrays/top-n.ts';
import type { Algorithm, IndexMapping, Model, NoOptions, Query, Reason } from './model.ts';
import { scoreInRow } from './neighbours.ts';
import type { Orders } from './orders.ts';

export type BasketsInput = { orders: Orders; itemCount: number };

export type BasketsTables = {
  /** Per item: what others gain beside it. */
  gains: Rows;
  /** Local items, most bought first, and their p. */
  popularItems: Int32Array;
  popularShares: Float32Array;
};

/** k: orders of an item that are as good as none. */
const priorOrders = 5;

/** Kept per item. */
const neighbourCount = 100;

/** Items that are proposed for being bought often. */
const popularCount = 1_000;

/** k': a shop's first orders do not yet say what everybody buys. */
const priorAllOrders = 100;

export const baskets: Algorithm<BasketsInput, NoOptions, BasketsTables> = {
  name: 'baskets',
  train({ orders, itemCount }) {
    const byItem = groupBy(orders.item, itemCount);
    const orderOf = ordersOfEntries(orders);
    const countOf = (item: number) => byItem.offsets[item + 1] - byItem.offsets[item];
    const shareOf = (item: number) => countOf(item) / (orders.offsets.length - 1 + priorAllOrders);
    const accumulator = createAccumulator(itemCount);
    const top = createTopN(neighbourCount);
    const rows = createRowsBuilder(itemCount);
    for (let item = 0; item < itemCount; item++) {
      begin(accumulator);
      for (let at = byItem.offsets[item]; at < byItem.offsets[item + 1]; at++) {
        const order = orderOf[byItem.order[at]];
        for (let other = orders.offsets[order]; other < orders.offsets[order + 1]; other++)
          if (orders.item[other] !== item) add(accumulator, orders.item[other], 1);
      }
      beginTopN(top);
      for (let at = 0; at < accumulator.touchedCount; at++) {
        const other = accumulator.touched[at];
        const both = accumulator.scores[other];
        const gain = both - countOf(item) * shareOf(other) - Math.sqrt(both);
        if (gain > 0) offer(top, other, Math.fround(gain / (countOf(item) + priorOrders)));
      }
      finishTopN(top);
      rows.appendRow(top);
    }
    return { gains: rows.finish(), ...mostBought(itemCount, shareOf) };
  },
  serve: createBasketsModel,
};

/** By entry: its order. */
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

/** Weights of seeds add up to 1, but what one item asks for is not worth less for the others in the basket. */
function shareOf({ seedWeight, seedCount }: Query, seed: number): number {
  return seedWeight[seed] * seedCount;
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
