/**
 * How much more often an item is bought with another one than by chance. Rarely bought items have
 * few orders of their own, so the orders of their category and the visits to them count, too.
 */

import { add, begin, createAccumulator } from './arrays/accumulator.ts';
import { groupBy } from './arrays/rows.ts';
import { beginTopN, createTopN, finishTopN, offer } from './arrays/top-n.ts';
import type { Orders } from './orders.ts';

export type GainsInput = {
  orders: Orders;
  /** Visits, in the shape of orders [not used]. */
  visits?: Orders;
  itemCount: number;
  /** Category of each local item as a position in `keys`, -1 for none [no categories]. */
  categories?: { keys: readonly string[]; ofItem: Int32Array };
};

/** Gains of other items, in orders with both per order of the item. */
export type Gains = Iterable<[item: number, gain: number]>;

/** Items per category that have a gain without two visits to both. */
const mostPartners = 100;

/** Prior weight of a category's first orders. */
const priorCategoryOrders = 5;

/** m: prior weight of an item's share in the orders of its category, in orders. */
const priorShareOrders = 5;

/** κ: prior weight of the visits to an item, in visits. */
const priorVisits = 2;

/** The newest orders, and visits, that count for one item. */
const mostOrders = 10_000;
const mostVisits = 100;

/** Items by which the evidence is chosen. */
const mostItemsOfChoice = 5_000;

/** Pairs of the whole catalogue that count beside those of one category. */
const sharedPairs = 30;

/** How far the orders of one item are trusted, beside its prior gains. */
type Evidence = {
  /** k: weight of the prior gains, in orders. */
  priorOrders: number;
  /** d: standard deviations of a count that are taken for noise. */
  doubt: number;
};

/** The first one is for catalogues with too few pairs to choose. */
const evidences: readonly Evidence[] = [5, 0.5, 1, 2, 10, 20, 50].flatMap((priorOrders) =>
  [1, 0.5, 0].map((doubt) => ({ priorOrders, doubt })),
);

/**
 * Returns the gains of an item; `shareOf` is the share p of orders with an item.
 *
 *   gain(i → j) = (surplus(i, j) + k · prior(i → j)) / (n_i + k)
 *   surplus(i, j) = max(0, n_ij − n_i · p_j − d · √n_ij)
 *
 * n_i are orders with i, n_ij those with both; k and d are learnt for each category.
 */
export function createGains(input: GainsInput, shareOf: (item: number) => number): (item: number) => Gains {
  const ordered = countTogether(input.orders, input.itemCount, mostOrders);
  const priorOf = createPriors(input, ordered, shareOf);
  const evidenceOf = chooseEvidence(input, { ordered, shareOf, priorOf });
  return (item) => {
    const { priorOrders, doubt } = evidenceOf(item);
    const gains = new Map<number, number>();
    const { groups, together } = ordered.with([item]);
    for (const [other, count] of together) {
      const surplus = surplusOf(count, groups * shareOf(other), doubt);
      if (other !== item && surplus > 0) gains.set(other, surplus / (groups + priorOrders));
    }
    for (const [other, gain] of priorOf(item))
      gains.set(other, (gains.get(other) ?? 0) + (gain * priorOrders) / (groups + priorOrders));
    return gains;
  };
}

function surplusOf(count: number, expected: number, doubt: number): number {
  return Math.max(0, count - expected - doubt * Math.sqrt(count));
}

/** Groups (orders or visits) with any of some items, and how many of them have each item. */
type Company = { groups: number; together: Map<number, number> };
type Together = { with(items: Iterable<number>): Company };

function countTogether({ offsets, item: entries }: Orders, itemCount: number, mostOfItem: number): Together {
  const byItem = groupBy(entries, itemCount);
  const groupOf = groupsOfEntries(offsets);
  const both = createAccumulator(itemCount);
  return {
    with(items) {
      begin(both);
      const found = new Set<number>();
      for (const item of items) {
        const end = byItem.offsets[item + 1];
        for (let at = Math.max(byItem.offsets[item], end - mostOfItem); at < end; at++) {
          const group = groupOf[byItem.order[at]];
          if (found.has(group)) continue;
          found.add(group);
          for (let entry = offsets[group]; entry < offsets[group + 1]; entry++) add(both, entries[entry], 1);
        }
      }
      const touched = both.touched.subarray(0, both.touchedCount);
      return {
        groups: found.size,
        together: new Map(Array.from(touched, (item) => [item, both.scores[item]])),
      };
    },
  };
}

function groupsOfEntries(offsets: Int32Array): Int32Array {
  const groupOf = new Int32Array(offsets.at(-1)!);
  for (let group = 0; group + 1 < offsets.length; group++)
    groupOf.fill(group, offsets[group], offsets[group + 1]);
  return groupOf;
}

/**
 * Gains that an item has before its own orders: those of its category with the category of j,
 * shared out among the items there, times how much more often visits to this item meet j than
 * visits to others of its category do; scaled to the same sum.
 *
 *   prior(i → j) = gain(c_i → c_j) · share(j) · (v_ij + κ) / (v_i · v_cj / v_c + κ)
 *   share(j) = (n_cj + m · p_j / Σ p) / (Σ n_cj + m)     sums over the items of c_j
 *
 * Items of the same category are substitutes, and get none.
 */
function createPriors(
  { itemCount, categories, visits }: GainsInput,
  ordered: Together,
  shareOf: (item: number) => number,
): (item: number) => Gains {
  if (!categories) return () => [];
  const seen = visits && countTogether(visits, itemCount, mostVisits);
  const members = groupBy(categories.ofItem, categories.keys.length);
  const baseOf = createBases(categories, ordered, shareOf);
  const priors = categories.keys.map((_, category) => {
    const items = members.order.subarray(members.offsets[category], members.offsets[category + 1]);
    return { ...baseOf(category, items), seen: seen?.with(items) };
  });
  return (item) => {
    const prior = priors[categories.ofItem[item]];
    if (!prior) return [];
    const gains = new Map(Array.from(prior.best, (other) => [other, prior.gainOf(other)]));
    if (!seen || !prior.seen || prior.seen.groups === 0) return gains;
    const own = seen.with([item]);
    for (const [other, visitsOfBoth] of own.together) {
      if (visitsOfBoth < 2 || gains.has(other)) continue;
      const gain = prior.gainOf(other);
      if (gain > 0) gains.set(other, gain);
    }
    let before = 0;
    let after = 0;
    for (const [other, gain] of gains) {
      const expected = (own.groups * (prior.seen.together.get(other) ?? 0)) / prior.seen.groups;
      const tilted = (gain * ((own.together.get(other) ?? 0) + priorVisits)) / (expected + priorVisits);
      before += gain;
      after += tilted;
      gains.set(other, tilted);
    }
    return Array.from(gains, ([other, gain]) => [other, (gain * before) / after]);
  };
}

/** Returns the gain of any item with a category, and the items with the best ones. */
function createBases(
  { keys, ofItem }: NonNullable<GainsInput['categories']>,
  ordered: Together,
  shareOf: (item: number) => number,
) {
  const shareOfCategory = new Float64Array(keys.length);
  for (const [item, category] of ofItem.entries())
    if (category >= 0) shareOfCategory[category] += shareOf(item);
  const top = createTopN(mostPartners);
  return (category: number, items: Iterable<number>) => {
    const { groups, together } = ordered.with(items);
    const counts = new Map<number, number>();
    for (const [item, count] of together) {
      const other = ofItem[item];
      if (other >= 0 && other !== category) counts.set(other, (counts.get(other) ?? 0) + count);
    }
    const gainOf = (item: number) => {
      const count = counts.get(ofItem[item]);
      if (count === undefined) return 0;
      const whole = shareOfCategory[ofItem[item]];
      const part = (priorShareOrders * shareOf(item)) / whole;
      const share = ((together.get(item) ?? 0) + part) / (count + priorShareOrders);
      return (surplusOf(count, groups * whole, 1) * share) / (groups + priorCategoryOrders);
    };
    beginTopN(top);
    for (const item of together.keys()) if (gainOf(item) > 0) offer(top, item, Math.fround(gainOf(item)));
    finishTopN(top);
    return { gainOf, best: top.items.slice(0, top.size) };
  };
}

type EvidenceInput = {
  ordered: Together;
  shareOf: (item: number) => number;
  priorOf: (item: number) => Gains;
};

/**
 * Chooses for each category the evidence under which its orders are likeliest, each predicted from
 * the others. With the rate r(j) = p_j + gain(i → j), the logarithm of Poisson's likelihood is
 * Σ n_ij · ln r(j) − n_i · Σ r(j).
 */
function chooseEvidence({ itemCount, categories }: GainsInput, input: EvidenceInput) {
  const noFit = () => ({ pairs: 0, fits: evidences.map(() => 0) });
  const whole = noFit();
  const ofCategories = new Map<number, Fit>();
  const categoryOf = (item: number) => categories?.ofItem[item] ?? -1;
  const step = Math.ceil(itemCount / mostItemsOfChoice);
  for (let item = 0; item < itemCount; item += step) {
    const fit = fitOfItem(item, input);
    const category = categoryOf(item);
    if (!ofCategories.has(category)) ofCategories.set(category, noFit());
    for (const sum of [whole, ofCategories.get(category)!]) {
      sum.pairs += fit.pairs;
      fit.fits.forEach((one, place) => {
        sum.fits[place] += one;
      });
    }
  }
  const shared = sharedPairs / Math.max(1, whole.pairs);
  const choose = (fits: number[]) => {
    const totals = fits.map((fit, place) => fit + whole.fits[place] * shared);
    return evidences[totals.indexOf(Math.max(...totals))];
  };
  const chosen = new Map(Array.from(ofCategories, ([category, { fits }]) => [category, choose(fits)]));
  const usual = choose(noFit().fits);
  return (item: number): Evidence => chosen.get(categoryOf(item)) ?? usual;
}

type Fit = { pairs: number; fits: number[] };

/** Leaves each order out in turn, except from the prior gains: one order moves these little. */
function fitOfItem(item: number, { ordered, shareOf, priorOf }: EvidenceInput): Fit {
  const { groups, together } = ordered.with([item]);
  together.delete(item);
  if (together.size === 0) return { pairs: 0, fits: evidences.map(() => 0) };
  const prior = new Map(priorOf(item));
  let priorSum = 0;
  for (const gain of prior.values()) priorSum += gain;
  const others = groups - 1;
  const fits = evidences.map(({ priorOrders, doubt }) => {
    let fit = -groups * priorOrders * priorSum;
    let likelihood = 0;
    for (const [other, count] of together) {
      const share = shareOf(other);
      const without = surplusOf(count - 1, others * share, doubt);
      const within = surplusOf(count, others * share, doubt);
      const gain = (without + priorOrders * (prior.get(other) ?? 0)) / (others + priorOrders);
      likelihood += count * Math.log(share + gain);
      fit -= (groups - count) * within + count * without;
    }
    return likelihood + fit / (others + priorOrders);
  });
  let pairs = 0;
  for (const count of together.values()) pairs += count;
  return { pairs, fits };
}
