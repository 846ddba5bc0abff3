/** Effects of configurations on lists: quotas, diversity, preferences, variables, dates, categories. */

import { randomUUID } from 'node:crypto';
import { type Client, createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import test from 'ava';
import { RecommendationService } from '../../gen/es/personalisation/v1/recommendation_service_pb.js';
import { createAdminTransport } from '../support/admin-transport.ts';
import { fc } from '../support/properties.ts';
import {
  type Document,
  idsOf,
  newDevice,
  type Shop,
  type Shops,
  series,
  startShops,
  where,
} from './support/shops.ts';

let shops: Shops;
let rpc: Client<typeof RecommendationService>;
let admin: Client<typeof RecommendationService>;

test.before(async () => {
  shops = await startShops(21);
  const baseUrl = `http://${shops.service.grpcAddress}`;
  rpc = createClient(RecommendationService, createGrpcTransport({ baseUrl }));
  admin = createClient(RecommendationService, createAdminTransport(shops.service));
});

test.after.always(() => shops?.stop());

const branded = (brand: string, count: number, rest: Document = {}) =>
  series(brand, count).map((id) => ({ item_id: id, brand, ...rest }));

const constraint = (query: Document, limit?: Document) => ({ query, ...(limit && { limit }) });

/** Four items of each of three brands: `x1`, `y1`, `z1` … */
const threeBrands = async (): Promise<Shop> => {
  const shop = shops.open();
  await shop.stock('article', [...branded('x', 4), ...branded('y', 4), ...branded('z', 4)]);
  return shop;
};

const countOf = (ids: string[], prefix: string) => ids.filter((id) => id.startsWith(prefix)).length;

test('every item satisfies a constraint without limit', async (t) => {
  const shop = await threeBrands();
  const id = await shop.configure({ constraints: [constraint(where('brand', 'y'))] });
  t.deepEqual((await shop.list({ configuration_id: id })).sort(), series('y', 4));
});

test('brands that are never together are in no list together, and an explanation says why', async (t) => {
  const shop = await threeBrands();
  const groups = [where('brand', 'x'), where('brand', 'y')];
  const id = await shop.configure({ constraints: [{ never_together: groups }] });
  const ids = await shop.list({ configuration_id: id, list_size: 12 });
  t.is(ids.length, 8);
  t.true(countOf(ids, 'x') === 0 || countOf(ids, 'y') === 0);
  const absent = countOf(ids, 'x') === 0 ? 'x1' : 'y1';
  const lists = [{ configurationId: id, listName: 'l', listSize: 12 }];
  const answer = await admin.createRecommendations({
    environment: shop.environment,
    request: { lists, deviceId: newDevice(), pageType: 'home' },
    ...{ explain: true, whyNot: [{ itemId: absent }] },
  });
  const [{ whyNot, rules }] = answer.explanations;
  t.like(whyNot[0], {
    constraintIndex: 0,
    detail: "It is never together with the list's items, by a rule on brand.",
  });
  t.like(rules[0], { usedCount: 4 });
});

test('max, min, diversity and preferences hold together', async (t) => {
  const shop = await threeBrands();
  const id = await shop.configure({
    constraints: [
      constraint(where('brand', 'x'), { max: 1 }),
      constraint(where('brand', 'z'), { min: 2 }),
      { diversify: { key: 'brand' }, limit: { max: 3 } },
    ],
    preferences: [{ query: where('brand', 'x'), weight: 5 }, { query: where('brand', 'y') }],
  });
  const ids = await shop.list({ configuration_id: id, list_size: 6 });
  t.is(ids.length, 6);
  t.is(ids[0][0], 'x');
  t.deepEqual([countOf(ids, 'x'), countOf(ids, 'y'), countOf(ids, 'z')], [1, 3, 2]);
  t.deepEqual(
    ids.slice(1, 4).map((one) => one[0]),
    ['y', 'y', 'y'],
  );
});

test('diversify without limit makes all values different, except for items without the key', async (t) => {
  const shop = await threeBrands();
  await shop.stock('video', ['free1', 'free2']);
  const id = await shop.configure({ constraints: [{ diversify: { key: 'brand' } }] });
  const ids = await shop.list({ configuration_id: id });
  t.deepEqual(
    ['x', 'y', 'z', 'free'].map((prefix) => countOf(ids, prefix)),
    [1, 1, 1, 2],
  );
});

test('an array counts for each of its values', async (t) => {
  const shop = shops.open();
  await shop.stock('article', [
    { item_id: 'both', colors: ['red', 'blue'] },
    { item_id: 'red', colors: ['red'] },
  ]);
  const id = await shop.configure({
    constraints: [{ diversify: { key: 'colors' } }],
    preferences: [{ query: where('item_id', 'both') }],
  });
  t.deepEqual(await shop.list({ configuration_id: id }), ['both']);
});

test('preferred items come first, and those with a negative weight last', async (t) => {
  const shop = await threeBrands();
  const id = await shop.configure({
    preferences: [
      { query: where('brand', 'y'), weight: 1 },
      { query: where('brand', 'x'), weight: -1 },
    ],
  });
  const ids = await shop.list({ configuration_id: id });
  t.deepEqual(ids.map((one) => one[0]).join(''), 'yyyyzzzzxxxx');
});

test('an unmet minimum does not affect other rules, and is reported over gRPC', async (t) => {
  const shop = await threeBrands();
  const id = await shop.configure({
    constraints: [
      constraint(where('brand', 'x'), { max: 2 }),
      constraint(where('brand', 'x'), { min: 3 }),
      constraint(where('brand', 'z'), { min: 2 }),
    ],
  });
  const list = { configuration_id: id, list_name: 'l', list_size: 6 };
  const ids = idsOf(await shop.ask({ lists: [list] }));
  t.is(ids.length, 6);
  t.true(countOf(ids, 'x') <= 2 && countOf(ids, 'z') >= 2);
  const { outcomes } = await rpc.createRecommendations({
    environment: shop.environment,
    request: {
      deviceId: 'd',
      pageType: 'home',
      lists: [{ configurationId: id, listName: 'l', listSize: 6 }],
    },
  });
  t.like(outcomes, [{ listName: 'l', configurationVersion: 1 }]);
  t.like(outcomes[0].unmetMinimums, [{ constraintIndex: 1, wantedCount: 3, foundCount: 2 }]);
});

test('equality is case-sensitive, contains and starts_with are not', async (t) => {
  const shop = shops.open();
  await shop.stock('article', [{ item_id: 'a', title: 'Äpfel und Birnen' }]);
  const found = async (query: Document) => {
    const id = await shop.configure({ constraints: [constraint({ key: 'title', ...query })] });
    return (await shop.list({ configuration_id: id })).length === 1;
  };
  t.true(await found({ match: { value: 'Äpfel und Birnen' } }));
  t.false(await found({ match: { value: 'äpfel und birnen' } }));
  t.true(await found({ contains: { value: 'UND' } }));
  t.true(await found({ starts_with: { value: 'äPF' } }));
  t.false(await found({ starts_with: { value: 'birnen' } }));
});

test('a category matches its path and everything below it', async (t) => {
  const shop = shops.open();
  await shop.stock('article', [
    { item_id: 'top', categories: ['Home'] },
    { item_id: 'below', categories: ['Home/Garden/Chairs'] },
    { item_id: 'list', categories: [['Home', 'Garden']] },
    { item_id: 'beside', categories: ['Home and more'] },
  ]);
  const found = async (category: string) => {
    const id = await shop.configure({ constraints: [constraint(where('categories', category))] });
    return (await shop.list({ configuration_id: id })).sort();
  };
  t.deepEqual(await found('Home'), ['below', 'list', 'top']);
  t.deepEqual(await found('Home/Garden'), ['below', 'list']);
  t.deepEqual(await found('Garden'), []);
});

test('date ranges are absolute or relative to the request, with one or two bounds', async (t) => {
  const shop = shops.open();
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
  await shop.stock('article', [
    { item_id: 'new', released: daysAgo(0.01) },
    { item_id: 'old', released: daysAgo(10) },
    { item_id: 'ancient', released: '2001-05-01T00:00:00Z' },
    'undated',
  ]);
  const found = async (range: Document) => {
    const query = { key: 'released', date_range: range };
    return (
      await shop.list({ configuration_id: await shop.configure({ constraints: [constraint(query)] }) })
    ).sort();
  };
  t.deepEqual(await found({ min: 'now-72h' }), ['new']);
  t.deepEqual(await found({ max: 'now-72h' }), ['ancient', 'old']);
  t.deepEqual(await found({ min: 'now-30d', max: 'now-3d' }), ['old']);
  t.deepEqual(await found({ min: '2001-05-01', max: '2001-05-01T00:00:00+00:00' }), ['ancient']);
});

const seen = (itemId: string) => ({
  ...{ event_type: 'detail_pageview', action_item: itemId, action_item_type: 'article' },
});

const variable = (name: string, rest: Document = {}) => ({ variable: { name, ...rest } });

test('a variable is a field of the list, then of the request', async (t) => {
  const shop = await threeBrands();
  const id = await shop.configure({
    constraints: [constraint({ key: 'brand', match: variable('wanted') })],
  });
  const answer = await shop.ask({
    wanted: 'x',
    lists: [
      { configuration_id: id, list_name: 'of the request', list_size: 4 },
      { configuration_id: id, list_name: 'of the list', list_size: 4, wanted: 'y' },
    ],
  });
  t.deepEqual([countOf(idsOf(answer, 0), 'x'), countOf(idsOf(answer, 1), 'y')], [4, 4]);
});

test('an array as variable means any of its values; an empty one matches no item', async (t) => {
  const shop = await threeBrands();
  const id = await shop.configure({ constraints: [constraint({ key: 'brand', match: variable('wanted') })] });
  const found = async (wanted: unknown) => (await shop.list({ configuration_id: id }, { wanted })).length;
  t.is(await found(['x', 'z']), 8);
  t.is(await found([]), 0);
});

test('known fields of the request and of the list are variables', async (t) => {
  const shop = shops.open();
  await shop.stock('article', [...branded('web', 2), ...branded('sidebar', 2)]);
  const by = (name: string) =>
    shop.configure({ constraints: [constraint({ key: 'brand', match: variable(name) })] });
  const byChannel = await shop.list({ configuration_id: await by('channel') }, { channel: 'web' });
  t.deepEqual(byChannel.sort(), series('web', 2));
  const byName = await shop.list({ configuration_id: await by('list_name'), list_name: 'sidebar' });
  t.deepEqual(byName.sort(), series('sidebar', 2));
});

test('extensions of the request are variables like its other fields', async (t) => {
  const shop = shops.open();
  await shop.stock('article', [...branded('default', 2), ...branded('recommender', 3), { item_id: 'none' }]);
  const by = (name: string) =>
    shop.configure({ constraints: [constraint({ key: 'brand', match: variable(name) })] });
  const byVersion = await shop.list({ configuration_id: await by('version') }, { version: 'default' });
  t.deepEqual(byVersion.sort(), series('default', 2));
  const pinned = { user_group: 'recommender' };
  t.is((await shop.list({ configuration_id: await by('user_group') }, pinned)).length, 3);
});

test('the environment is a key like any other field of an item', async (t) => {
  const [here, there] = [await threeBrands(), await threeBrands()];
  const id = await here.configure({
    constraints: [
      constraint({ key: 'environment', match: { not: there.environment } }),
      constraint({ key: 'environment', starts_with: 'SHOP' }),
    ],
  });
  t.is((await here.list({ configuration_id: id })).length, 12);
  t.is((await there.list({ configuration_id: id })).length, 0);
});

test('for an absent variable, the rule is dropped, the default used, or the request refused', async (t) => {
  const shop = await threeBrands();
  const by = (rest: Document) =>
    shop.configure({ constraints: [constraint({ key: 'brand', match: variable('wanted', rest) })] });
  t.is((await shop.list({ configuration_id: await by({ on_absent_drop: true }) })).length, 12);
  t.is((await shop.list({ configuration_id: await by({ default: 'z' }) })).length, 4);
  const id = await by({});
  const answer = await shop.ask({
    lists: [{ configuration_id: id, list_name: 'Top ten', list_size: 1 }],
  });
  t.like(answer, { status: 400, reason: 'variable_missing' });
  const text = JSON.stringify(answer.body);
  for (const name of [id, 'Top ten', 'wanted']) t.true(text.includes(name), name);
});

test('a preference with an absent variable is dropped', async (t) => {
  const shop = await threeBrands();
  const query = { key: 'brand', match: variable('liked', { on_absent_drop: true }) };
  const id = await shop.configure({ preferences: [{ query, weight: 9 }] });
  t.is((await shop.list({ configuration_id: id })).length, 12);
  t.is(countOf((await shop.list({ configuration_id: id }, { liked: 'z' })).slice(0, 4), 'z'), 4);
});

test('a variable may be read from the context item', async (t) => {
  const shop = await threeBrands();
  const match = variable('brand', { context: 'item' });
  const id = await shop.configure({ constraints: [constraint({ key: 'brand', match })] });
  t.deepEqual((await shop.list({ configuration_id: id }, { context_item: 'y2' })).sort(), ['y1', 'y3', 'y4']);
  const answer = await shop.ask({ lists: [{ configuration_id: id, list_name: 'l', list_size: 1 }] });
  t.like(answer, { status: 400, reason: 'variable_missing', pointers: ['/context_item'] });
});

test('a variable may be read from the history of the visitor', async (t) => {
  const shop = await threeBrands();
  const own = (events: string[]) => variable('brand', { context: 'history', events, days: 90 });
  const id = await shop.configure({
    constraints: [
      constraint({ key: 'brand', match: { not: own(['item_interaction']) } }),
      constraint({ key: 'brand', match: own(['detail_pageview']) }, { min: 3 }),
    ],
  });
  const ask = (deviceId: string) =>
    shop.list({ configuration_id: id, list_size: 4 }, { device_id: deviceId });
  const [newcomer, reader] = [newDevice(), newDevice()];
  const before = await ask(newcomer);
  await shop.track({ ...seen('x1'), device_id: reader });
  await shop.track({
    ...seen('y2'),
    event_type: 'item_interaction',
    interaction_type: 'like',
    device_id: reader,
  });
  const ids = await ask(reader);
  t.deepEqual([countOf(ids, 'x'), countOf(ids, 'y')], [3, 0], ids.join());
  t.deepEqual(await ask(newcomer), before, 'rules without values are ignored');
  const request = {
    environment: shop.environment,
    explain: true,
    request: { deviceId: reader, pageType: 'home' },
  };
  const lists = [{ configurationId: id, listName: 'l', listSize: 4 }];
  const { explanations } = await admin.createRecommendations({
    ...request,
    request: { ...request.request, lists },
  });
  t.like(explanations[0], {
    historyVariables: [
      { name: 'brand', events: ['item_interaction'], days: 90, values: ['y'] },
      { name: 'brand', events: ['detail_pageview'], days: 90, values: ['x'] },
    ],
  });
});

const brand = fc.constantFrom('x', 'y', 'z', 'w');

const rule = fc.oneof(
  fc.record({ query: brand.map((name) => where('brand', name)), limit: fc.record({ max: fc.nat(4) }) }),
  fc.record({ query: brand.map((name) => ({ key: 'brand', match: { not: { value: name } } })) }),
  fc.record({
    diversify: fc.constant({ key: 'brand' }),
    limit: fc.record({ max: fc.integer({ min: 1, max: 4 }) }),
  }),
  fc.record({
    query: brand.map((name) => where('brand', name)),
    limit: fc.record({ min: fc.integer({ min: 1, max: 3 }) }),
  }),
);

type GeneratedRule = {
  query?: { match: { value?: string; not?: { value: string } } };
  diversify?: Document;
  limit?: { max?: number };
};

/** Whether a list of brands breaks a hard rule. */
function breaks({ query, diversify, limit }: GeneratedRule, brands: string[]): boolean {
  const count = (wanted: unknown) => brands.filter((one) => one === wanted).length;
  if (diversify) return brands.some((one) => count(one) > limit!.max!);
  if (query!.match.not) return count(query!.match.not.value) > 0;
  return limit!.max !== undefined && count(query!.match.value) > limit!.max;
}

test('hard rules hold for any configuration, and the pages add up to the list', async (t) => {
  const shop = await threeBrands();
  const property = fc.asyncProperty(
    fc.array(rule, { maxLength: 4 }),
    fc.integer({ min: 1, max: 12 }),
    fc.option(fc.tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 12 })), { nil: undefined }),
    fc.integer({ min: 1, max: 5 }),
    async (constraints, size, injected, pageSize) => {
      const id = await shop.configure({ constraints });
      const content = injected && injected[1] <= size ? [{ item_id: 'given', rank: injected[1] }] : [];
      const list = { configuration_id: id, list_name: randomUUID(), list_size: size, list_content: content };
      const answer = await shop.ask({ lists: [list] });
      const [{ items, list_key: key }] = answer.body.lists;
      const own = items.flatMap(({ item_id: one }) => (one === 'given' ? [] : [one[0]]));
      t.false((constraints as GeneratedRule[]).some((one) => breaks(one, own)));
      t.is(new Set(idsOf(answer)).size, items.length);
      for (const { rank } of content) t.is(items.find((item) => item.rank === rank)?.item_id, 'given');
      const pages = [];
      for (let offset = 1; offset <= size; offset += pageSize) {
        pages.push(...(await shop.page(key, offset, pageSize)).body.lists[0].items);
      }
      t.deepEqual(pages, items);
    },
  );
  await fc.assert(property, { numRuns: 60 });
});
