/**
 * `node test/bench/compose.ts [--mix WORDS] [--lists N] [--products N]`: measures the time to compose a list by mix of rules,
 * and its distance from the optimum; from at most so many products.
 * `node test/bench/compose.ts --instances N [--seed S]`: compares N random small instances with an exact solver instead.
 *
 * The time of a list is the shortest of a few runs, so that other work on the machine does not count.
 */
import { parseArgs } from 'node:util';
import { createCatalog } from '../../src/ranking/catalog/catalog.ts';
import { bindConfiguration } from '../../src/ranking/rules/bind-configuration.ts';
import { type ComposeRequest, createComposer } from '../../src/ranking/rules/compose.ts';
import { createMatchSets } from '../../src/ranking/rules/match-sets.ts';
import type { Preference, Rule } from '../../src/ranking/rules/types.ts';
import { measureAgreement } from '../ranking/rules/support/agreement.ts';
import { type Chance, createChance } from '../ranking/rules/support/chance.ts';
import { has } from '../ranking/rules/support/lists.ts';

const runsPerList = 3;
const mostWarmUpLists = 100;

type Mix = {
  title: string;
  products: number;
  size: number;
  rules: (chance: Chance) => Rule[];
  preferences?: (chance: Chance) => Preference[];
};

const brands = Array.from({ length: 40 }, (_, k) => `brand ${k}`);
const departments = Array.from({ length: 12 }, (_, k) => `department ${k}`);
const tags = Array.from({ length: 20 }, (_, k) => `tag ${k}`);

const min = (key: string, value: string, wanted: number): Rule => ({
  kind: 'constraint',
  query: has(key, value),
  min: wanted,
});

const max = (key: string, value: string, most: number): Rule => ({
  kind: 'constraint',
  query: has(key, value),
  max: most,
});

const diversify = (key: string, most: number): Rule => ({ kind: 'diversify', key, max: most });

/** Minimums and maximums on overlapping conditions, and two keys to diversify. */
const eightConstraints = (chance: Chance): Rule[] => [
  min('tags', chance.pick(tags), chance.between(2, 6)),
  min('tags', chance.pick(tags), chance.between(2, 6)),
  min('language', chance.pick(departments), chance.between(2, 6)),
  max('tags', chance.pick(tags), chance.between(2, 8)),
  max('tags', chance.pick(tags), chance.between(2, 8)),
  max('language', chance.pick(departments), chance.between(2, 8)),
  diversify('brand', 3),
  diversify('language', 8),
];

const mixes: Mix[] = [
  { title: 'no rules', products: 500, size: 50, rules: () => [] },
  { title: 'one diversity key', products: 500, size: 50, rules: () => [diversify('brand', 2)] },
  { title: '8 constraints', products: 500, size: 50, rules: eightConstraints },
  {
    title: '8 constraints and 3 preferences',
    products: 500,
    size: 50,
    rules: eightConstraints,
    preferences: (chance) => [1, 2, -1].map((weight) => ({ query: has('tags', chance.pick(tags)), weight })),
  },
  {
    title: 'tight: 8 minimums and 3 diversity keys',
    products: 500,
    size: 50,
    rules: (chance) => [
      ...Array.from({ length: 8 }, () => min('tags', chance.pick(tags), chance.between(5, 14))),
      diversify('brand', 2),
      diversify('language', 5),
      diversify('tags', 12),
    ],
  },
  {
    title: 'list of 12 of 120, 8 constraints',
    products: 120,
    size: 12,
    rules: (chance) =>
      eightConstraints(chance).map((rule) => ({ ...rule, ...('min' in rule && { min: 2 }) })),
  },
  {
    title: 'fewer values than slots, 100,000 products',
    products: 100_000,
    size: 50,
    rules: () => [diversify('language', 1)],
  },
];

function filledCatalog(productCount: number, chance: Chance) {
  const properties = [{ name: 'brand', type: 'string' as const }];
  const catalog = createCatalog({ itemTypes: ['product'], properties });
  for (let i = 0; i < productCount; i++) {
    const document = {
      brand: brands[Math.floor(chance.next() ** 2 * brands.length)],
      language: chance.pick(departments),
      tags: tags.filter(() => chance.happens(0.12)),
    };
    catalog.apply({ itemType: 'product', itemId: String(i), document, enabled: true, revision: 1 });
  }
  return catalog;
}

/** Returns a source of requests of a mix, over one catalogue in changing orders. */
function createRequests({ products, size, rules, preferences }: Mix): () => ComposeRequest {
  const chance = createChance(7);
  const catalog = filledCatalog(products, chance);
  const matchSets = createMatchSets({ catalog, maxBytes: 64 << 20 });
  const items = Int32Array.from({ length: products }, (_, itemIndex) => itemIndex);
  return () => {
    for (let k = 0; k < 200; k++) {
      const [one, other] = [chance.between(0, products - 1), chance.between(0, products - 1)];
      [items[one], items[other]] = [items[other], items[one]];
    }
    const context = { catalog, matchSets, variables: () => undefined, nowMs: 0 };
    const configuration = {
      configurationId: 'c',
      rules: rules(chance),
      preferences: preferences?.(chance) ?? [],
    };
    const bound = bindConfiguration(configuration, context);
    if (bound.outcome !== 'bound') throw new Error(bound.outcome);
    const stream = { items, count: Math.min(products, 1000), positionOf: (itemIndex: number) => itemIndex };
    return { ...bound, catalog, nowMs: 0, size, stream };
  };
}

/** Returns the shortest of a few runs, so that other work on the machine does not count. */
function shortestMs(run: () => void): number {
  let shortest = Number.POSITIVE_INFINITY;
  for (let k = 0; k < runsPerList; k++) {
    const startMs = performance.now();
    run();
    shortest = Math.min(shortest, performance.now() - startMs);
  }
  return shortest;
}

function quantile(sorted: number[], share: number): string {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))].toFixed(3);
}

function measureMix(mix: Mix, listCount: number): Record<string, string | number> {
  const composer = createComposer();
  const next = createRequests(mix);
  for (let k = 0; k < Math.min(mostWarmUpLists, listCount); k++) composer.compose(next());
  const times: number[] = [];
  let [searched, unmet, gap, nodes] = [0, 0, 0, 0];
  for (let k = 0; k < listCount; k++) {
    const request = next();
    const list = composer.compose(request);
    times.push(shortestMs(() => composer.compose(request)));
    if (list.nodeCount > 0) searched += 1;
    if (list.unmet.length > 0) unmet += 1;
    gap += list.gapBound / listCount;
    nodes = Math.max(nodes, list.nodeCount);
  }
  times.sort((a, b) => a - b);
  return {
    'p50 ms': quantile(times, 0.5),
    'p99 ms': quantile(times, 0.99),
    'max ms': quantile(times, 1),
    'searched %': ((100 * searched) / listCount).toFixed(1),
    'most nodes': nodes,
    'unmet %': ((100 * unmet) / listCount).toFixed(1),
    'mean gap bound %': (100 * gap).toFixed(4),
  };
}

function toLine(title: string, figures: Record<string, string | number>): string {
  const parts = Object.entries(figures).map(([name, value]) => `${name} ${value}`);
  return [title.padEnd(46), ...parts].join('   ');
}

const { values } = parseArgs({
  options: {
    instances: { type: 'string' },
    seed: { type: 'string', default: '1' },
    lists: { type: 'string', default: '500' },
    mix: { type: 'string', default: '' },
    products: { type: 'string', default: '100000' },
  },
});

if (values.instances) console.log(await measureAgreement(Number(values.seed), Number(values.instances)));
else {
  const chosen = mixes.filter(({ title }) => title.includes(values.mix));
  for (const mix of chosen) {
    const products = Math.min(mix.products, Number(values.products));
    console.log(toLine(mix.title, measureMix({ ...mix, products }, Number(values.lists))));
  }
}
