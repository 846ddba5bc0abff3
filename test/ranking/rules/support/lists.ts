/** Random small catalogues with rules, and a plain reading of what a composed list must satisfy. */

import { type Catalog, createCatalog } from '../../../../src/ranking/catalog/catalog.ts';
import { bindConfiguration } from '../../../../src/ranking/rules/bind-configuration.ts';
import type { CandidateStream } from '../../../../src/ranking/rules/candidate-stream.ts';
import type { ComposeRequest } from '../../../../src/ranking/rules/compose.ts';
import { createMatchSets } from '../../../../src/ranking/rules/match-sets.ts';
import type { Preference, Query, Rule } from '../../../../src/ranking/rules/types.ts';
import { fc } from '../../../support/properties.ts';

export type Product = { brand: string; tags: string[]; enabled: boolean };

export type Case = {
  products: Product[];
  size: number;
  rules: Rule[];
  preferences: Preference[];
  /** Injected items by rank. */
  injected: Map<number, number | undefined>;
  excluded: number[];
  /** Candidates of the stream before the first call of `more`. */
  known: number;
  directAccess: boolean;
};

export const nowMs = 0;

const value = (letters: string) => fc.constantFrom(...letters);

export const has = (key: string, wanted: string, negated = false): Query => ({
  key,
  tests: [{ operator: 'equals', operands: [{ value: wanted }], quantifier: 'any', negated }],
});

const query = fc.oneof(
  fc.tuple(fc.constant('brand'), value('abcd'), fc.boolean()),
  fc.tuple(fc.constant('tags'), value('xyz'), fc.constant(false)),
);

const asQuery = query.map(([key, wanted, negated]) => has(key, wanted, negated));

const quota = (mins: boolean): fc.Arbitrary<Rule> =>
  fc
    .record({
      query: asQuery,
      min: fc.integer({ min: 1, max: 3 }),
      max: fc.integer({ min: 0, max: 4 }),
      ends: fc.integer({ min: 1, max: 3 }),
    })
    .map(({ query: condition, min, max, ends }) => ({
      kind: 'constraint',
      query: condition,
      min: mins && ends !== 2 ? min : undefined,
      max: !mins || ends !== 1 ? Math.max(max, mins && ends === 3 ? min : 0) : undefined,
    }));

const must: fc.Arbitrary<Rule> = asQuery.map((condition) => ({ kind: 'constraint', query: condition }));

const apart: fc.Arbitrary<Rule> = fc
  .uniqueArray(asQuery, { minLength: 2, maxLength: 3, selector: (one) => JSON.stringify(one) })
  .map((queries) => ({ kind: 'apart', queries }));

const diversify: fc.Arbitrary<Rule> = fc.record({
  kind: fc.constant('diversify' as const),
  key: fc.constantFrom('brand', 'tags'),
  max: fc.integer({ min: 1, max: 3 }),
});

const preference = fc.record({ query: asQuery, weight: fc.integer({ min: -2, max: 3 }) });

export type CaseLimits = {
  products: number;
  size: number;
  mins: boolean;
  musts: boolean;
  preferences: number;
  injected: boolean;
  apart?: boolean;
};

export function cases(limits: CaseLimits): fc.Arbitrary<Case> {
  const product = fc.record({
    brand: value('abcd'),
    tags: fc.uniqueArray(value('xyz'), { maxLength: 2 }),
    enabled: fc.integer({ min: 0, max: 9 }).map((dice) => dice > 0),
  });
  const rule = fc.oneof(
    { weight: 4, arbitrary: quota(limits.mins) },
    { weight: 1, arbitrary: diversify },
    { weight: limits.musts ? 1 : 0, arbitrary: must },
    { weight: limits.apart ? 3 : 0, arbitrary: apart },
  );
  return fc
    .record({
      products: fc.array(product, { minLength: Math.min(limits.products, 5), maxLength: limits.products }),
      size: fc.integer({ min: 1, max: limits.size }),
      rules: fc.array(rule, { maxLength: 4 }),
      preferences: fc.array(preference, { maxLength: limits.preferences }),
      placed: fc.uniqueArray(fc.tuple(fc.nat(limits.size), fc.nat(limits.products)), {
        maxLength: limits.injected ? 3 : 0,
        selector: ([rank]) => rank,
      }),
      excluded: fc.array(fc.nat(limits.products), { maxLength: 2 }),
      known: fc.nat(limits.products),
      directAccess: fc.boolean(),
    })
    .map(({ placed, ...rest }) => {
      const injected = new Map<number, number | undefined>();
      for (const [rank, product] of placed) {
        if (rank < 1 || rank > rest.size || [...injected.values()].includes(product)) continue;
        injected.set(rank, product < rest.products.length ? product : undefined);
      }
      return { ...rest, injected };
    });
}

/** The stream brings the products by their index, in blocks. */
function streamOf({ products, known, directAccess }: Case): CandidateStream {
  const items = products.map((_, itemIndex) => itemIndex);
  return {
    items,
    count: Math.min(known, items.length),
    more() {
      if (this.count === items.length) return false;
      (this as { count: number }).count = Math.min(items.length, this.count + 7);
      return true;
    },
    positionOf: directAccess ? (itemIndex) => itemIndex : undefined,
  };
}

export function catalogOf(products: readonly Product[]): Catalog {
  const properties = [{ name: 'brand', type: 'string' as const }];
  const catalog = createCatalog({ itemTypes: ['product'], properties, changeCapacity: 64 });
  for (const [i, { enabled, ...document }] of products.entries()) {
    catalog.apply({ itemType: 'product', itemId: String(i), document, enabled, revision: 1 });
  }
  return catalog;
}

export function requestOf(one: Case): ComposeRequest {
  const catalog = catalogOf(one.products);
  const matchSets = createMatchSets({ catalog, maxBytes: 1_000_000 });
  const { rules, preferences } = one;
  const context = { catalog, matchSets, variables: () => undefined, nowMs };
  const binding = bindConfiguration({ configurationId: 'c', rules, preferences }, context);
  if (binding.outcome !== 'bound') throw new Error(binding.outcome);
  return {
    ...binding,
    catalog,
    nowMs,
    size: one.size,
    stream: streamOf(one),
    injected: [...one.injected].map(([rank, itemIndex]) => ({ rank, itemIndex })),
    excluded: (itemIndex) => one.excluded.includes(itemIndex),
  };
}

function satisfies({ key, tests }: Query, product: Product): boolean {
  const [only] = tests;
  if (!('operands' in only)) throw new Error('only equality here');
  const wanted = (only.operands[0] as { value: string }).value;
  return (key === 'brand' ? product.brand === wanted : product.tags.includes(wanted)) !== only.negated;
}

export const matches = satisfies;

export const weightOf = (one: Case, product: Product): number =>
  one.preferences.reduce(
    (sum, { query: condition, weight }) => sum + (satisfies(condition, product) ? weight : 0),
    0,
  );

/** Indexes of the injected products that are shown. */
export const placedOf = ({ injected, products }: Case): number[] =>
  [...injected.values()].filter(
    (itemIndex) => itemIndex !== undefined && products[itemIndex].enabled,
  ) as number[];

/** Slots that are not taken by injected items. */
export const slotsOf = (one: Case): number =>
  one.size - [...one.injected.values()].filter((i) => i === undefined || one.products[i].enabled).length;

/** Products that may be picked, heaviest first. */
export function eligible(one: Case): number[] {
  const placed = placedOf(one);
  const musts = one.rules.flatMap((rule) =>
    rule.kind === 'constraint' && rule.min === undefined && rule.max === undefined ? [rule.query] : [],
  );
  return one.products
    .map((_, itemIndex) => itemIndex)
    .filter((itemIndex) => one.products[itemIndex].enabled && !one.excluded.includes(itemIndex))
    .filter((itemIndex) => !placed.includes(itemIndex))
    .filter((itemIndex) => musts.every((condition) => satisfies(condition, one.products[itemIndex])))
    .sort((a, b) => weightOf(one, one.products[b]) - weightOf(one, one.products[a]) || a - b);
}

/** Whether every max and diversify limit that a picked product uses is kept. */
export function keepsLimits(one: Case, picked: readonly number[]): boolean {
  const all = [...placedOf(one), ...picked].map((itemIndex) => one.products[itemIndex]);
  const within = (max: number, uses: (product: Product) => boolean): boolean =>
    !picked.some((itemIndex) => uses(one.products[itemIndex])) || all.filter(uses).length <= max;
  return one.rules.every((rule) => {
    if (rule.kind === 'constraint')
      return within(rule.max ?? Infinity, (product) => satisfies(rule.query, product));
    if (rule.kind === 'apart') {
      const groups = rule.queries.map((one) => (product: Product) => satisfies(one, product));
      const mixes = groups.some((uses, i) =>
        groups.some((others, k) => i !== k && all.some(uses) && all.some(others)),
      );
      return !mixes || !picked.some((i) => groups.some((uses) => uses(one.products[i])));
    }
    const letters = rule.key === 'brand' ? 'abcd' : 'xyz';
    return [...letters].every((letter) =>
      within(rule.max, (product) => satisfies(has(rule.key, letter), product)),
    );
  });
}

/** For each rule with a min, in order: whether the list meets it. */
export function metMinimums(one: Case, picked: readonly number[]): boolean[] {
  const all = [...placedOf(one), ...picked].map((itemIndex) => one.products[itemIndex]);
  return one.rules.flatMap((rule) =>
    rule.kind === 'constraint' && rule.min !== undefined
      ? [all.filter((product) => satisfies(rule.query, product)).length >= rule.min]
      : [],
  );
}

/** Picks the best products that fit, one after the other, and ignores minimums. */
export function naiveGreedy(one: Case): number[] {
  const picked: number[] = [];
  for (const itemIndex of eligible(one)) {
    if (picked.length < slotsOf(one) && keepsLimits(one, [...picked, itemIndex])) picked.push(itemIndex);
  }
  return picked;
}

/** Positive when `a` is better: minimums in order of declaration first, then length. */
export function compareLists(one: Case, a: readonly number[], b: readonly number[]): number {
  const [metByA, metByB] = [metMinimums(one, a), metMinimums(one, b)];
  const first = metByA.findIndex((met, rule) => met !== metByB[rule]);
  return first < 0 ? a.length - b.length : Number(metByA[first]) - Number(metByB[first]);
}

/** The best list by compareLists among all there are; for a dozen products. */
export function bestByEnumeration(one: Case): number[] {
  const all = eligible(one);
  const slots = slotsOf(one);
  let best: number[] = [];
  const extend = (picked: number[], from: number): void => {
    if (compareLists(one, picked, best) > 0) best = picked;
    for (let k = from; k < all.length && picked.length < slots; k++) {
      const next = [...picked, all[k]];
      if (keepsLimits(one, next)) extend(next, k + 1);
    }
  };
  extend([], 0);
  return best;
}
