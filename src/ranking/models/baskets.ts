/**
 * Scores items that complete a basket: by how often they are bought, and how much more often with
 * the items in the basket.
 *
 *   score(j) = p_j + Σ_i gain(i → j)       p_j = n_j / (orders + k')
 *
 * over the items i of the basket; basket-gains.ts learns the gains.
 *
 * Used only on pages with this purpose: items bought together are not what subjects look for next.
 * On an item's page (`bought_together`) popularity p_j is left out, so the best-seller does not
 * appear beside every item.
 */

import { add, addRun } from './arrays/accumulator.ts';
import { createRowsBuilder, type Rows } from './arrays/rows.ts';
import { beginTopN, createTopN, finishTopN, offer } from './arrays/top-n.ts';
import { createGains, type GainsInput } from './basket-gains.ts';
import type { Algorithm, IndexMapping, Model, NoOptions, Query, Reason } from './model.ts';
import { scoreInRow } from './neighbours.ts';

export type BasketsTables = {
  /** Per item: gains of other items. */
  gains: Rows;
  /** Local items, most bought first, and their p. */
  popularItems: Int32Array;
  popularShares: Float32Array;
};

/** Items kept per row. */
const neighbourCount = 100;

/** Items proposed for their popularity. */
const popularCount = 1_000;

/** k': prior weight of a shop's first orders, which are too few to measure popularity. */
const priorAllOrders = 100;

export const baskets: Algorithm<GainsInput, NoOptions, BasketsTables> = {
  name: 'baskets',
  train(input) {
    const { orders, itemCount } = input;
    const counts = new Int32Array(itemCount);
    for (const item of orders.item) counts[item] += 1;
    const shareOf = (item: number) => counts[item] / (orders.offsets.length - 1 + priorAllOrders);
    const gainsOf = createGains(input, shareOf);
    const top = createTopN(neighbourCount);
    const rows = createRowsBuilder(itemCount);
    for (let item = 0; item < itemCount; item++) {
      beginTopN(top);
      for (const [other, gain] of gainsOf(item)) offer(top, other, Math.fround(gain));
      finishTopN(top);
      rows.appendRow(top);
    }
    return { gains: rows.finish(), ...mostBought(itemCount, shareOf) };
  },
  serve: createBasketsModel,
};

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
