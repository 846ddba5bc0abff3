/** Explanations of items, rules and absences agree with the list. */

import { setTimeout as delay } from 'node:timers/promises';
import { type Client, createClient } from '@connectrpc/connect';
import test, { type ExecutionContext } from 'ava';
import type {
  AbsenceExplanation,
  CreateRecommendationsResponse,
} from '../../gen/es/personalisation/v1/recommendation_service_pb.js';
import { RecommendationService } from '../../gen/es/personalisation/v1/recommendation_service_pb.js';
import { createAdminTransport } from '../support/admin-transport.ts';
import { impression } from './support/impressions.ts';
import { startSecondNode } from './support/second-node.ts';
import {
  type Document,
  newDevice,
  type Shop,
  type Shops,
  series,
  startShops,
  where,
} from './support/shops.ts';

let shops: Shops;
let rpc: Client<typeof RecommendationService>;

test.before(async () => {
  shops = await startShops(12);
  rpc = createClient(RecommendationService, createAdminTransport(shops.service));
});

test.after.always(() => shops?.stop());

type ListInput = {
  configurationId: string;
  listName?: string;
  listSize: number;
  listContent?: { itemId: string; rank: number }[];
};

type Question = {
  lists: ListInput[];
  deviceId?: string;
  contextItem?: string;
  whyNot?: { itemId: string; itemType?: string }[];
};

function ask({ environment }: Shop, { lists, deviceId = newDevice(), contextItem, whyNot = [] }: Question) {
  return rpc.createRecommendations({
    environment,
    request: {
      deviceId,
      contextItem,
      pageType: 'home',
      lists: lists.map((list, i) => ({ listName: `list ${i}`, ...list })),
    },
    explain: true,
    whyNot,
  });
}

const idsIn = ({ recommendations }: CreateRecommendationsResponse, list = 0) =>
  recommendations!.lists[list].items.map(({ itemId }) => itemId);

const brands = ['x', 'y', 'z', 'w'];

/** Six items of each of four brands, in two colours: `x1` … `w6`. */
const articles: Document[] = brands.flatMap((brand) =>
  series(brand, 6).map((id, i) => ({
    item_id: id,
    brand,
    colors: [i % 2 ? 'red' : 'blue'],
    title: `${brand} ${i}`,
  })),
);

const brandOf = (itemId: string) => itemId[0];

async function stockedShop(): Promise<Shop> {
  const shop = shops.open();
  await shop.stock('article', articles);
  return shop;
}

test('lists are explained only on request', async (t) => {
  const shop = await stockedShop();
  const configurationId = await shop.configure({});
  const { explanations } = await rpc.createRecommendations({
    environment: shop.environment,
    request: { deviceId: 'd', pageType: 'home', lists: [{ configurationId, listName: 'l', listSize: 3 }] },
  });
  t.deepEqual(explanations, []);
});

test('every item names the rules and preferences that it satisfies, and no others', async (t) => {
  const shop = await stockedShop();
  const configurationId = await shop.configure({
    constraints: [
      { query: { key: 'brand', match: { not: 'w' } } },
      { query: where('brand', 'x'), limit: { max: 3 } },
      { query: where('brand', 'y'), limit: { min: 2 } },
      { diversify: { key: 'colors' }, limit: { max: 5 } },
    ],
    preferences: [
      { query: where('brand', 'x'), weight: 3 },
      { query: where('colors', 'red'), weight: 1 },
    ],
  });
  const answer = await ask(shop, { lists: [{ configurationId, listSize: 8 }] });
  const [{ items }] = answer.explanations;
  t.deepEqual(
    items.map(({ itemId }) => itemId),
    idsIn(answer),
  );
  for (const { itemId, itemType, source, constraintIndexes, preferences, rank } of items) {
    const brand = brandOf(itemId);
    const rules = [0, ...(brand === 'x' ? [1] : []), ...(brand === 'y' ? [2] : []), 3];
    t.deepEqual(constraintIndexes, rules, itemId);
    const isRed = Number(itemId.slice(1)) % 2 === 0;
    const wanted = [...(brand === 'x' ? [[0, 3]] : []), ...(isRed ? [[1, 1]] : [])];
    t.deepEqual(
      preferences.map(({ preferenceIndex, weight }) => [preferenceIndex, weight]),
      wanted,
    );
    t.is(itemType, 'article');
    t.not(source, 'injected');
    t.is(answer.recommendations!.lists[0].items[rank - 1].itemId, itemId);
  }
});

test('every rule reports the matched, used and excluded items, equal to a recount', async (t) => {
  const shop = await stockedShop();
  const configurationId = await shop.configure({
    constraints: [
      { query: { key: 'brand', match: { not: 'w' } } },
      { query: where('brand', 'x'), limit: { max: 2 } },
      { query: where('brand', 'y'), limit: { min: 3 } },
      { query: { key: 'brand', match: { variable: { name: 'given', on_absent_drop: true } } } },
    ],
  });
  const answer = await ask(shop, { lists: [{ configurationId, listSize: 100 }] });
  const ids = idsIn(answer);
  t.is(ids.length, 14);
  const all = articles.map(({ item_id: id }) => brandOf(String(id)));
  const [{ rules, weighedCount, gapBound }] = answer.explanations;
  const admitted = all.filter((brand) => brand !== 'w');
  const count = (list: string[], brand: string) => list.filter((one) => one === brand).length;
  const used = (brand: string) => count(ids.map(brandOf), brand);
  t.is(weighedCount, admitted.length);
  t.is(gapBound, 0);
  t.deepEqual(
    rules.map(({ matchedCount, usedCount, cutCount, dropped }) => [
      matchedCount,
      usedCount,
      cutCount,
      dropped,
    ]),
    [
      [admitted.length, ids.length, all.length - admitted.length, false],
      [count(admitted, 'x'), used('x'), count(admitted, 'x') - 2, false],
      [count(admitted, 'y'), used('y'), 0, false],
      [0, 0, 0, true],
    ],
  );
});

test('the parts of a score add up to it, and name the contributing items of the history', async (t) => {
  const shop = await stockedShop();
  const configurationId = await shop.configure({});
  const deviceId = newDevice();
  await shop.track({ event_type: 'detail_pageview', device_id: deviceId, action_item: 'x1' });
  await shop.track({ event_type: 'detail_pageview', device_id: deviceId, action_item: 'x2' });
  const explained = async () => {
    const { explanations } = await ask(shop, { deviceId, lists: [{ configurationId, listSize: 10 }] });
    return explanations[0].items.filter(({ source }) => source === 'models');
  };
  const namesHistory = ({ parts }: { parts: { reasonItemIds: string[] }[] }) =>
    parts.some(({ reasonItemIds }) => reasonItemIds.length > 0);
  let items = await explained();
  while (!items.some(namesHistory)) {
    await delay(50);
    items = await explained();
  }
  for (const { itemId, score, parts } of items) {
    t.true(score > 0 && parts.length > 0, itemId);
    const sum = parts.reduce((total, part) => total + part.score, 0);
    t.true(Math.abs(sum - score) <= 1e-4 * score, `${itemId}: ${sum} is not ${score}`);
    for (const { reasonItemIds } of parts) {
      t.true(reasonItemIds.length <= 5);
      t.true(reasonItemIds.every((id) => ['x1', 'x2'].includes(id)));
    }
  }
});

test('an injected item is marked, and one unknown to the catalogue has no details', async (t) => {
  const shop = await stockedShop();
  const configurationId = await shop.configure({ constraints: [{ query: where('brand', 'x') }] });
  const listContent = [
    { itemId: 'w1', rank: 1 },
    { itemId: 'stranger', rank: 2 },
  ];
  const { explanations } = await ask(shop, { lists: [{ configurationId, listSize: 3, listContent }] });
  t.like(explanations[0].items, [
    { itemId: 'w1', source: 'injected', constraintIndexes: [] },
    { itemId: 'stranger', itemType: '', source: 'injected', constraintIndexes: [], score: 0 },
    { source: 'fallback', constraintIndexes: [0] },
  ]);
});

async function absence(shop: Shop, question: Question, itemId: string): Promise<AbsenceExplanation> {
  const answer = await ask(shop, { ...question, whyNot: [{ itemId }] });
  const [found, ...others] = answer.explanations.at(-1)!.whyNot;
  if (found.itemId !== itemId || others.length > 0) throw new Error('Another item is explained.');
  const isListed = idsIn(answer, question.lists.length - 1).includes(itemId);
  if (isListed !== (found.reason === 'in_list')) throw new Error(`${itemId} is listed: ${isListed}.`);
  return found;
}

const isExplained = (
  t: ExecutionContext,
  found: AbsenceExplanation,
  reason: string,
  constraintIndex?: number,
) => {
  t.like(found, { reason, constraintIndex });
  t.regex(found.detail, /^[A-Z].+\.$/);
};

test('why not: status in the catalogue', async (t) => {
  const shop = await stockedShop();
  const configurationId = await shop.configure({ freshness: { maximum_age_hours: 24 } });
  const hours = (count: number) => new Date(Date.now() + count * 3_600_000).toISOString();
  await shop.stock('article', [
    { item_id: 'later', publication_datetime: hours(1) },
    { item_id: 'old', publication_datetime: hours(-25) },
    'off',
  ]);
  await shop.http.post(`/${shop.environment}/items/article/off/disable`);
  const lists = [{ configurationId, listSize: 100 }];
  for (const [itemId, reason] of [
    ['x1', 'in_list'],
    ['stranger', 'unknown'],
    ['off', 'disabled'],
    ['later', 'unpublished'],
    ['old', 'too_old'],
  ]) {
    isExplained(t, await absence(shop, { lists }, itemId), reason);
  }
});

test('why not: exclusions by subject and page', async (t) => {
  const shop = await stockedShop();
  const configurationId = await shop.configure({ fatigue: { maximum_impressions: 2 } });
  const deviceId = newDevice();
  await shop.track({ event_type: 'detail_pageview', device_id: deviceId, action_item: 'x1' });
  for (let i = 0; i < 2; i++) await shop.track(impression('x2', { device_id: deviceId }));
  const question = { deviceId, contextItem: 'x3', lists: [{ configurationId, listSize: 100 }] };
  isExplained(t, await absence(shop, question, 'x1'), 'consumed');
  isExplained(t, await absence(shop, question, 'x2'), 'tired');
  isExplained(t, await absence(shop, question, 'x3'), 'on_display');
});

test('why not: another list of the request', async (t) => {
  const shop = await stockedShop();
  const configurationId = await shop.configure({
    preferences: [{ query: where('item_id', 'z3'), weight: 9 }],
  });
  const lists = [1, 2].map(() => ({ configurationId, listSize: 5 }));
  isExplained(t, await absence(shop, { lists }, 'z3'), 'in_other_list');
});

test('why not: a must, a limit, diversity, or another rule’s minimum', async (t) => {
  const shop = await stockedShop();
  const preferX = [{ query: where('brand', 'x'), weight: 5 }];
  const asked = async (constraints: Document[], listSize: number, itemId: string, preferences = preferX) => {
    const configurationId = await shop.configure({ constraints, preferences });
    return absence(shop, { lists: [{ configurationId, listSize }] }, itemId);
  };
  const onX = { query: where('brand', 'x') };
  const must = await asked([{ ...onX, limit: { max: 9 } }, onX], 3, 'y1');
  isExplained(t, must, 'rule', 1);
  t.regex(must.detail, /brand/);
  const lowX = [{ query: where('item_id', 'x6'), weight: -1 }, ...preferX];
  isExplained(t, await asked([{ ...onX, limit: { max: 2 } }], 5, 'x6', lowX), 'rule', 0);
  const diverse = await asked([{ diversify: { key: 'brand' }, limit: { max: 2 } }], 8, 'x6', lowX);
  isExplained(t, diverse, 'rule', 0);
  t.regex(diverse.detail, /brand "x"/);
  const last = await asked([{ query: where('brand', 'y'), limit: { min: 3 } }], 6, 'x6', lowX);
  isExplained(t, last, 'rule', 0);
  t.regex(last.detail, /minimum/);
});

test('why not: better items, with the distance', async (t) => {
  const shop = await stockedShop();
  const preferences = [{ query: where('brand', 'x'), weight: 7 }];
  const configurationId = await shop.configure({ preferences });
  const found = await absence(shop, { lists: [{ configurationId, listSize: 6 }] }, 'y1');
  isExplained(t, found, 'outscored');
  t.regex(found.detail, /\d+ places? below .* lacks 7/);
});

test('why not: an item type no longer declared', async (t) => {
  const shop = shops.open();
  await shop.stock('toy', ['ball']);
  const configurationId = await shop.configure({});
  const deployment = shops.deployment.replaceAll('- { name: toy, consumed_by: [item_interaction] }', '');
  const node = await startSecondNode(shops.service, deployment);
  t.teardown(node.stop);
  const there = createClient(RecommendationService, createAdminTransport(shops.service, node.grpcUrl));
  const lists = [{ configurationId, listName: 'l', listSize: 3 }];
  const { explanations } = await there.createRecommendations({
    environment: shop.environment,
    request: { deviceId: 'd', pageType: 'home', lists },
    whyNot: [{ itemId: 'ball' }],
  });
  isExplained(t, explanations[0].whyNot[0], 'not_offered');
});

test('more than 20 absences are refused', async (t) => {
  const shop = shops.open();
  const configurationId = await shop.configure({});
  const whyNot = series('a', 21).map((itemId) => ({ itemId }));
  await t.throwsAsync(ask(shop, { lists: [{ configurationId, listSize: 1 }], whyNot }), { message: /20/ });
});
