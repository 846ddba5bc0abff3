/** Configurations of searches: their conditions, effects on results, and pages. */

import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from '@connectrpc/connect';
import test, { type ExecutionContext } from 'ava';
import { ConfigurationService } from '../../gen/es/personalisation/v1/configuration_service_pb.js';
import { PreviewService } from '../../gen/es/personalisation/v1/preview_service_pb.js';
import { SearchService } from '../../gen/es/personalisation/v1/search_service_pb.js';
import { createAdminTransport } from '../support/admin-transport.ts';
import { createJsonClient } from '../support/json-client.ts';
import { idsOf, type Results, searchShop } from './support/searching.ts';
import { startSecondNode } from './support/second-node.ts';
import { testedService } from './support/tested-service.ts';

const deployment = `
environments:
  - name: shop
    default_language: en
    item_types:
      - name: product
        properties:
          - { name: brand, type: string, filterable: true, returnable: true }
          - { name: price, type: number, filterable: true, returnable: true }
    filter_fields: [categories, brand, price]
    integration_types: [email]
  - name: news
    item_types: [ { name: product } ]
`;

/**
 * Items with equal texts, so that only configurations decide; the last ones only mention the query.
 */
const lamps = Array.from({ length: 12 }, (_, i) => ({
  item_id: `lamp-${i}`,
  title: 'Desk lamp',
  brand: ['Aka', 'Bel', 'Cor'][i % 3],
  price: 10 + i,
  categories: [i < 6 ? 'Shop/Light/Desk' : 'Shop/Light'],
}));
const others = [
  { item_id: 'shade', title: 'Shade', description: 'For a desk lamp.', brand: 'Dor', price: 5 },
  { item_id: 'bulb', title: 'Bulb', brand: 'Dor', price: 2, categories: ['Shop/Light/Bulbs'] },
  { item_id: 'off', title: 'Desk lamp of old', brand: 'Dor', price: 3 },
];

const service = testedService(deployment);
const http = createJsonClient(service);

test.before(async () => {
  for (const item of [...lamps, ...others]) await http.put(`/shop/items/product/${item.item_id}`, item);
  await http.post('/shop/items/product/off/disable', undefined);
});

const search = (q: string, given: object = {}, client = http) => searchShop(client, q, given);

const find = async (q: string, given: object = {}, client = http) => idsOf(await search(q, given, client));

/** For a single test. */
async function configure(t: ExecutionContext, id: string, document: object): Promise<void> {
  const { status, body } = await http.put(`/configurations/${id}`, document);
  if (status !== 200) throw new Error(JSON.stringify(body));
  t.teardown(() => http.send('DELETE', `/configurations/${id}`));
}

test.serial('without a configuration of searches an answer has no parts of one', async (t) => {
  const answer = await search('desk lamp');
  t.false('redirect' in answer);
  t.false('promoted_content' in answer);
  t.deepEqual(idsOf(answer).slice(0, 12).toSorted(), lamps.map(({ item_id }) => item_id).toSorted());
});

test.serial('constraints filter all results, and preferences rank within a tier', async (t) => {
  await configure(t, 'lamps', {
    constraints: [{ query: { key: 'price', lt: 20 } }],
    preferences: [
      { query: { key: 'brand', match: 'Cor' }, weight: 2 },
      { query: { key: 'brand', match: ['Bel', 'Dor'] } },
    ],
    search: { when: { queries: [{ contains: 'lamp' }] } },
  });
  const found = await find('desk lamp');
  const brandOf = new Map([...lamps, ...others].map(({ item_id, brand }) => [item_id, brand]));
  t.deepEqual(
    found.map((id) => brandOf.get(id)),
    ['Cor', 'Cor', 'Cor', 'Bel', 'Bel', 'Bel', 'Aka', 'Aka', 'Aka', 'Aka', 'Dor'],
    'what only mentions a lamp stays last',
  );
  t.is((await find('bulb')).length, 1, 'another query is as it was');
});

test.serial('limits and diversity hold among the first places, and no result is lost', async (t) => {
  const plain = await find('desk lamp');
  await configure(t, 'mixed', {
    constraints: [
      { diversify: { key: 'brand' }, limit: { max: 1 } },
      { query: { key: 'brand', match: 'Dor' }, limit: { min: 1 } },
      { query: { key: 'brand', match: 'Eks' }, limit: { min: 2 } },
    ],
    search: { places: 4 },
  });
  const found = await find('desk lamp');
  const brandOf = new Map([...lamps, ...others].map(({ item_id, brand }) => [item_id, brand]));
  t.deepEqual(new Set(found.slice(0, 4).map((id) => brandOf.get(id))), new Set(['Aka', 'Bel', 'Cor', 'Dor']));
  t.deepEqual(found.toSorted(), plain.toSorted());
  const rpc = createClient(SearchService, createAdminTransport(service));
  const { explanation } = await rpc.createSearch({
    environment: 'shop',
    request: { q: 'desk lamp', deviceId: 'd', pageType: 'search' },
    explain: true,
  });
  const [{ configurationId, version, reasons, unmet }] = explanation!.configurations;
  t.is(configurationId, 'mixed');
  t.is(version, 1);
  t.deepEqual(reasons, []);
  t.like(unmet, [{ constraintIndex: 2, wanted: 2, found: 0 }] as never);
});

test.serial('brands that are never together are not among the first places together', async (t) => {
  const plain = await find('desk lamp');
  const constraints = [{ never_together: ['Aka', 'Bel', 'Cor'].map((match) => ({ key: 'brand', match })) }];
  await configure(t, 'apart', { constraints, search: { places: 5 } });
  const found = await find('desk lamp');
  const brandOf = new Map([...lamps, ...others].map(({ item_id, brand }) => [item_id, brand]));
  const brands = new Set(found.slice(0, 5).map((id) => brandOf.get(id)));
  t.is(['Aka', 'Bel', 'Cor'].filter((brand) => brands.has(brand)).length, 1);
  t.deepEqual(found.toSorted(), plain.toSorted());
});

test.serial('pins are at their ranks, hidden items are absent, and explanations show both', async (t) => {
  await configure(t, 'shown', {
    search: {
      when: { queries: [{ exact: 'Desk Lamp' }, { exact: 'nothing of it' }] },
      pins: [
        { item_id: 'bulb', rank: 2 },
        { item_id: 'lamp-11', rank: 1 },
        { item_id: 'off', rank: 3 },
        { item_id: 'gone', rank: 4 },
      ],
      hides: [{ item_id: 'lamp-3' }],
    },
  });
  const answer = await search('desk lamp', { limit: 5, list_size: 12 });
  const found = idsOf(answer);
  t.deepEqual(found.slice(0, 2), ['lamp-11', 'bulb']);
  const page = await http.get<Results>(
    `/shop/searches/lists?list_key=${answer.lists[0].list_key}&offset=1&limit=50`,
  );
  const kept = idsOf(page.body);
  t.is(kept.length, 12);
  t.deepEqual(kept.slice(0, 5), found);
  t.is(new Set(kept).size, kept.length);
  t.false(kept.includes('lamp-3'));
  t.false(kept.includes('off'));
  t.deepEqual(
    await find('nothing of it', { autocorrect: false }),
    ['lamp-11', 'bulb'],
    'pins need no results',
  );
  t.false((await find('desk lamp', { filter_by: { price: 21 } })).includes('bulb'));
  const rpc = createClient(SearchService, createAdminTransport(service));
  const { explanation } = await rpc.createSearch({
    environment: 'shop',
    request: { q: 'desk lamp', deviceId: 'd', pageType: 'search' },
    explain: true,
    whyNot: [{ itemId: 'lamp-3' }],
  });
  t.is(explanation!.lists[0].items[1].pinnedBy, 'shown');
  t.deepEqual(explanation!.configurations[0].reasons, ['exact Desk Lamp']);
  t.is(explanation!.whyNot[0].reason, 'hidden');
});

test.serial('pages by offset have one order, with pins and preferences', async (t) => {
  await configure(t, 'paged', {
    preferences: [{ query: { key: 'brand', match: 'Bel' } }],
    constraints: [{ diversify: { key: 'brand' }, limit: { max: 2 } }],
    search: { pins: [{ item_id: 'bulb', rank: 3 }], places: 5 },
  });
  const whole = await find('desk lamp', { offset: 1, limit: 50 });
  const pages: string[] = [];
  for (let offset = 1; offset <= whole.length; offset += 4)
    pages.push(...(await find('desk lamp', { offset, list_size: 4, limit: 4 })));
  t.deepEqual(pages, whole);
  t.is(whole[2], 'bulb');
  t.is(new Set(whole).size, 14);
  const dear = await find('desk lamp', { order_by: 'price desc', limit: 50 });
  t.deepEqual(dear.slice(0, 3), ['lamp-11', 'lamp-10', 'lamp-9'], 'an explicit order takes precedence');
});

test.serial('redirects and promoted content are returned unchanged, by priority', async (t) => {
  const banner = { image: 'https://shop.example/lamps.png', size: [300, 200], text: { en: 'Lamps' } };
  await configure(t, 'a-low', {
    search: { redirect: '/low', promoted_content: [{ from: 'low' }], pins: [{ item_id: 'lamp-1', rank: 1 }] },
  });
  await configure(t, 'b-high', {
    search: {
      priority: 5,
      redirect: 'https://shop.example/lamps',
      promoted_content: [banner],
      pins: [{ item_id: 'lamp-2', rank: 1 }],
    },
  });
  const answer = await search('desk lamp');
  t.is(answer.redirect, 'https://shop.example/lamps');
  t.deepEqual(answer.promoted_content, [banner, { from: 'low' }]);
  t.deepEqual(idsOf(answer).slice(0, 2), ['lamp-2', 'lamp-1']);
});

const whens: {
  title: string;
  when: object;
  held: [q: string, given?: object][];
  not: [q: string, given?: object][];
}[] = [
  {
    title: 'a corrected query counts as its correction',
    when: { queries: [{ exact: 'desk lamp' }] },
    held: [['desk lamp'], ['desk lmap']],
    not: [['desk'], ['desk lmap', { autocorrect: false }]],
  },
  {
    title: 'a pattern',
    when: { queries: [{ pattern: '* lamp*' }] },
    held: [['desk lamps'], ['lamp']],
    not: [['lamp shade']],
  },
  {
    title: 'a page of a category, or of one below it',
    when: { categories: ['Shop/Light'] },
    held: [
      ['', { filter_by: { categories: 'Shop/Light' } }],
      ['', { filter_by: { categories: ['Shop/Light/Desk'] } }],
      ['lamp', { facets: ['categories'], facet_filters: { categories: 'Shop/Light/Desk' } }],
    ],
    not: [['lamp'], ['', { filter_by: { categories: 'Shop' } }]],
  },
  {
    title: 'page types and languages',
    when: { page_types: ['search', 'overview'], languages: ['en', 'nl-BE'] },
    held: [['lamp'], ['lamp', { language: 'en-GB', page_type: 'overview' }], ['lamp', { language: 'NL-be' }]],
    not: [
      ['lamp', { page_type: 'home' }],
      ['lamp', { language: 'nl' }],
    ],
  },
  {
    title: 'all conditions together',
    when: { queries: [{ contains: 'lamp' }], page_types: ['home'] },
    held: [['lamp', { page_type: 'home' }]],
    not: [['lamp'], ['bulb', { page_type: 'home' }]],
  },
];

for (const { title, when, held, not } of whens)
  test.serial(`a configuration is selected by ${title}`, async (t) => {
    await configure(t, 'when', { search: { when, redirect: '/there' } });
    for (const [q, given] of held)
      t.is((await search(q, given)).redirect, '/there', JSON.stringify([q, given]));
    for (const [q, given] of not)
      t.is((await search(q, given)).redirect, undefined, JSON.stringify([q, given]));
  });

test.serial('a configuration for an audience applies only to its members', async (t) => {
  const seen = {
    event_type: 'detail_pageview',
    page_type: 'detail',
    action_item: 'lamp-1',
    action_item_type: 'product',
  };
  await http.post('/shop/events', { events: [{ ...seen, device_id: 'of fan', user_id: 'fan' }] });
  const audience = {
    audience_name: 'fans',
    audience_size: 10,
    integration_type: 'email',
    promotion: [{ id: 'lamp-1' }],
  };
  type Audience = { audience: { audience_id: string; users: { id: string }[] } };
  let made: Audience['audience'] | undefined;
  while (!made?.users.some(({ id }) => id === 'fan'))
    made = (await http.post<Audience>('/shop/targeting/audiences/requests', { audience })).body.audience;
  await configure(t, 'fans', { search: { when: { audience_ids: [made.audience_id] }, redirect: '/fans' } });
  while ((await search('lamp', { user_id: 'fan' })).redirect === undefined) await delay(20);
  t.is((await search('lamp', { user_id: 'other' })).redirect, undefined);
  t.is(
    (await search('lamp', { device_id: 'of fan' })).redirect,
    '/fans',
    'an anonymous visitor counts as the last user',
  );
  t.is((await search('lamp', { device_id: 'of fan', user_id: 'other' })).redirect, undefined);
  await http.send('DELETE', '/shop/users/fan');
  while ((await search('lamp', { user_id: 'fan' })).redirect !== undefined) await delay(20);
});

test.serial('environments, schedules and versions apply on every node', async (t) => {
  const node = await startSecondNode(service, deployment);
  t.teardown(node.stop);
  const other = createJsonClient({ baseUrl: node.baseUrl, authorization: service.authorization });
  const until = async (redirect: string | undefined) => {
    while ((await search('lamp', {}, other)).redirect !== redirect) await delay(20);
  };
  await configure(t, 'elsewhere', { search: { environments: ['news'], redirect: '/news' } });
  await configure(t, 'lives', { search: { redirect: '/one' } });
  await until('/one');
  const far = '2999-01-01T00:00:00Z';
  await http.put('/configurations/lives', { active_until: far, search: { redirect: '/two' } });
  t.is((await search('lamp')).redirect, '/two');
  await until('/two');
  await http.put('/configurations/lives', { active_from: far, search: { redirect: '/three' } });
  t.is((await search('lamp')).redirect, '/two');
  await http.put('/configurations/lives', { constraints: [] });
  t.is((await search('lamp')).redirect, undefined);
  await until(undefined);
  t.deepEqual((await http.get('/configurations/elsewhere')).body, {
    configuration_id: 'elsewhere',
    search: { environments: ['news'], redirect: '/news' },
  });
});

const faulty: { title: string; body: object; pointer: string }[] = [
  { title: 'an unknown environment', body: { environments: ['nowhere'] }, pointer: '/search/environments/0' },
  { title: 'a test without text', body: { when: { queries: [{}] } }, pointer: '/search/when/queries/0' },
  {
    title: 'a test with two forms',
    body: { when: { queries: [{ exact: 'a', contains: 'b' }] } },
    pointer: '/search/when/queries/0',
  },
  {
    title: 'an empty pattern',
    body: { when: { queries: [{ pattern: '* *' }] } },
    pointer: '/search/when/queries/0',
  },
  {
    title: 'a pattern of 33 words',
    body: { when: { queries: [{ pattern: 'a '.repeat(33) }] } },
    pointer: '/search/when/queries/0/pattern',
  },
  {
    title: 'two pins with one rank',
    body: {
      pins: [
        { item_id: 'a', rank: 1 },
        { item_id: 'b', rank: 1 },
      ],
    },
    pointer: '/search/pins/1/rank',
  },
  {
    title: 'a pin that it hides',
    body: { pins: [{ item_id: 'a', rank: 1 }], hides: [{ item_id: 'a' }] },
    pointer: '/search/pins/0/item_id',
  },
  { title: 'a redirect to a script', body: { redirect: 'javascript:alert(1)' }, pointer: '/search/redirect' },
  {
    title: 'a redirect to another host by path',
    body: { redirect: '//evil.example' },
    pointer: '/search/redirect',
  },
  {
    title: 'a banner that is too large',
    body: { promoted_content: [{ texts: ['x'.repeat(2_100), 'y'.repeat(2_100)] }] },
    pointer: '/search/promoted_content/0',
  },
];

for (const { title, body, pointer } of faulty)
  test(`a configuration of searches with ${title} is refused`, async (t) => {
    const answer = await http.put('/configurations/faulty', { search: body });
    t.is(answer.status, 400);
    t.deepEqual(answer.pointers, [pointer]);
  });

test.serial('a preview uses drafts instead of stored configurations, without side effects', async (t) => {
  await configure(t, 'kept', { search: { hides: [{ item_id: 'lamp-0' }], redirect: '/stored' } });
  const preview = createClient(PreviewService, createAdminTransport(service));
  const request = { q: 'desk lamp', pageType: 'search', deviceId: 'd', limit: 20 };
  const previewWith = async (draft: object) => {
    const drafts = [{ configurationId: 'kept', ...draft }];
    const { results } = await preview.previewSearch({ environment: 'shop', request, drafts });
    const ids = results!.lists.flatMap(({ items }) => items.map(({ itemId }) => itemId));
    return {
      redirect: results!.redirect,
      hasFirst: ids.includes('lamp-0'),
      hasSecond: ids.includes('lamp-1'),
    };
  };
  const draft = { search: { hides: [{ itemId: 'lamp-1' }], redirect: '/drafted' } };
  t.deepEqual(await previewWith(draft), { redirect: '/drafted', hasFirst: true, hasSecond: false });
  t.deepEqual(await previewWith({}), { redirect: undefined, hasFirst: true, hasSecond: true });
  const stored = await search('desk lamp');
  t.is(stored.redirect, '/stored');
  t.false(idsOf(stored).includes('lamp-0'));
});

test('a search configuration refuses settings of lists and variables that searches do not have', async (t) => {
  const ofLists = { rotation: { rate: 0.5 }, calibration: { strength: 0.5 }, purpose: 'similar' };
  const faulty = await http.put('/configurations/faulty', { ...ofLists, search: {} });
  t.deepEqual(faulty.pointers, ['/rotation', '/calibration', '/purpose']);
  const query = { key: 'brand', match: { variable: { name: 'brand' } } };
  const asking = await http.put('/configurations/faulty', { constraints: [{ query }], search: {} });
  t.deepEqual(asking.pointers, ['/constraints/0/query']);
});

test.serial('lint reports unknown items, and a simulation shows the results of searches', async (t) => {
  for (const q of ['desk lamp', 'desk lamp', 'bulb']) await search(q);
  const rpc = createClient(ConfigurationService, createAdminTransport(service));
  const draft = {
    configurationId: 'draft',
    search: {
      when: { queries: [{ contains: 'lamp' }], pageTypes: ['home'] },
      pins: [
        { itemId: 'bulb', rank: 1 },
        { itemId: 'nobody', rank: 2 },
      ],
      redirect: '/lamps',
    },
  };
  const { warnings, queries, requestCount, changedListCount, itemsIn } = await rpc.simulateConfiguration({
    environment: 'shop',
    draft,
  });
  t.deepEqual(
    warnings.map(({ pointer, kind }) => [pointer, kind]),
    [['/search/pins/1', 'unknown_item']],
  );
  t.true(requestCount >= 1 && changedListCount === requestCount, 'only queries with a lamp are tried');
  const [first] = queries.filter(({ query }) => query === 'desk lamp');
  t.is(first.afterItemIds[0], 'bulb');
  t.not(first.beforeItemIds[0], 'bulb');
  t.is(first.redirect, '/lamps');
  t.is(itemsIn[0].itemId, 'bulb');
  t.is((await search('desk lamp', { page_type: 'home' })).redirect, undefined, 'nothing came into force');
});
