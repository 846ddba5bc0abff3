/** Drafts of two search configurations find the better one with few visitors. */

import test from 'ava';
import { parseDeployment } from '../../../src/deployment/load-deployment.ts';
import { type SearchRival, steerBoth } from '../../../src/handlers/searches/interleaved-search.ts';
import { createCatalog } from '../../../src/ranking/catalog/catalog.ts';
import { createServingEnvironment } from '../../../src/ranking/environment/serving-environment.ts';
import type { Drafted } from '../../../src/ranking/lists/team-draft.ts';
import type { SearchConfiguration } from '../../../src/ranking/rules/active-configuration.ts';
import type { SearchRequest } from '../../../src/ranking/search/serving/served-search.ts';
import { createSteeredSearch } from '../../../src/ranking/search/serving/steered-search.ts';
import { createChance } from '../../jobs/experiments/support.ts';
import {
  countFalseFinds,
  drawHabits,
  measureVisitors,
  type Visitor,
} from '../../ranking/lists/support/interleaving.ts';

const deployment = `
environments:
  - name: shop
    item_types:
      - { name: product, properties: [ { name: marks, type: "string[]", filterable: true } ] }
`;
const queries = ['lamp', 'chair', 'table', 'shelf', 'sofa', 'desk', 'stool', 'mirror'];
const itemsOfQuery = 30;
const shown = 10;
const tagCount = 12;
const tagsOfItem = 4;

/** A tag adds its worth to the taste for an item; preferences of configurations know it in part. */
const draw = createChance(7);
const worths = Array.from({ length: tagCount }, () => draw() ** 2);
const errors = Array.from({ length: tagCount }, () => draw() ** 2);
const tags = Array.from({ length: queries.length * itemsOfQuery }, () => {
  const tickets = worths.map((_, tag) => ({ tag, ticket: draw() }));
  return tickets
    .sort((a, b) => a.ticket - b.ticket)
    .slice(0, tagsOfItem)
    .map(({ tag }) => tag);
});
const appeal = tags.map((own) => own.reduce((sum, tag) => sum + worths[tag], 0) / tagsOfItem);

function createShop() {
  const settings = parseDeployment(deployment, 'test.yaml').environments.get('shop')!;
  const properties = [...settings.properties.values()];
  const catalog = createCatalog({ environment: 'shop', properties, itemTypes: ['product'] });
  const environment = createServingEnvironment(settings, catalog);
  for (const [item, own] of tags.entries()) {
    const document = { title: queries[Math.floor(item / itemsOfQuery)], marks: own.map((tag) => `t${tag}`) };
    const row = { environment: 'shop', itemType: 'product', itemId: `i${item}`, document };
    environment.searchIndex.apply(catalog.apply({ ...row, enabled: true, revision: 1 }), document);
  }
  while (environment.searchIndex.maintain());
  return environment;
}

/** @param wrong Share of an error in the weights, 0 to 1. */
function configurationOf(wrong: number): SearchConfiguration {
  const when = { queries: [], categories: [], pageTypes: [], languages: [], audienceIds: [] };
  const preferences = worths.map((worth, tag) => ({
    query: {
      key: 'marks',
      tests: [
        {
          operator: 'equals' as const,
          operands: [{ value: `t${tag}` }],
          quantifier: 'any' as const,
          negated: false,
        },
      ],
    },
    weight: (1 - wrong) * worth + wrong * errors[tag],
  }));
  return {
    configurationId: 'order',
    version: 1,
    settings: { allowDuplicates: false, pins: [], hides: [] },
    rules: { configurationId: 'order', rules: [], preferences },
    search: { environments: [], when, priority: 0, places: 10, pins: [], hides: [], promotedContent: [] },
  };
}

const shop = createShop();
const nowMs = Date.now();
const variants = [configurationOf(0.75), configurationOf(0.55)];
const steer = createSteeredSearch({ configurations: () => [variants[0]], isInAudience: () => false });
const draftsOf = (variant: 0 | 1) => new Map([['order', variants[variant]]]);

function search(query: string, by: 0 | 1 | SearchRival, deviceId = ''): Drafted<number>[] {
  const drafts = typeof by === 'number' ? draftsOf(by) : undefined;
  const request = { environment: 'shop', q: query, filters: [], deviceId, drafts };
  const run = typeof by === 'number' ? steer : steerBoth(steer, by, request as unknown as SearchRequest);
  const { result } = run(request, shop, { q: query, nowMs, listSize: shown });
  return result.lists.flatMap(({ items }) =>
    items.map(({ itemIndex: item, team }) => ({ item, team: team ?? 0 })),
  );
}

const ranked = ([0, 1] as const).map((variant) =>
  queries.map((query) => search(query, variant).map(({ item }) => item)),
);

function createVisitor(chance: () => number): Visitor {
  const { listCount, clicksOn } = drawHabits(chance);
  const deviceId = `d${chance()}`;
  const first = Math.floor(chance() * queries.length);
  const tastes = appeal.map((one) => one * chance() ** 3);
  const queryOf = (list: number) => (first + list) % queries.length;
  return {
    listCount,
    rank: (variant, list) => ranked[variant][queryOf(list)],
    draft([, second], list) {
      const rival = { experimentId: 'e', names: ['a', 'b'], drafts: draftsOf(second) } as const;
      return search(queries[queryOf(list)], rival, deviceId);
    },
    clicks: (item, place) => clicksOn(tastes[item], place),
  };
}

test('a draft of two search configurations finds the better one with about a tenth of the visitors of a split', (t) => {
  const { draft, split, found } = measureVisitors(createVisitor, 600);
  t.true(found >= 4);
  t.true(draft * 9 < split, `${draft} of ${split}`);
});

test('equal search configurations are rarely told apart', (t) => {
  const found = countFalseFinds(createVisitor, 600);
  t.true(found <= 5, `${found}`);
});
