/** Controls, consent and profiling of visitors change the lists on their own device, and nothing else. */

import { createHash } from 'node:crypto';
import { createClient } from '@connectrpc/connect';
import test from 'ava';
import { EventService } from '../../gen/es/personalisation/v1/event_service_pb.js';
import { createAdminTransport } from '../support/admin-transport.ts';
import { createJsonClient, type JsonClient } from '../support/json-client.ts';
import { createClients } from './support/clients.ts';
import { newDevice } from './support/shops.ts';
import { testedService } from './support/tested-service.ts';

const origin = 'https://shop.example';

const properties = 'properties: [{ name: brand, type: string }]';
const service = testedService(`
server: { cors_origins: ["${origin}"] }
environments:
  - { name: shop, item_types: [{ name: product, consumed_by: [purchase], ${properties} }] }
  - { name: open, item_types: [{ name: product }], visitors: { device_proof: none } }
  - name: split
    item_types: [{ name: product, ${properties} }]
    user_groups: [{ name: recommender, share: 0.5, lists: recommended }, { name: cms, share: 0.5, lists: baseline }]
    versions: [{ name: a, share: 0.5 }, { name: b, share: 0.5 }]
    visitors: { without_profiling: [{ page_type: start }, { page_type: home, list_name: news }] }
`);

let backEnd: JsonClient;
let page: JsonClient;

const products = ['acme', 'bolt', 'core'].flatMap((brand) => [1, 2, 3].map((n) => `${brand}-${n}`));

test.before(async () => {
  backEnd = createJsonClient(service);
  const scopes = ['events:shop', 'events:open', 'events:split'];
  const writeKey = await createClients(service).createWriteKey({ scopes, origins: [origin] });
  const client = createJsonClient({ baseUrl: service.baseUrl, authorization: `Bearer ${writeKey}` });
  page = { ...client, post: (path, body, headers) => client.post(path, body, { origin, ...headers }) };
  await backEnd.put('/configurations/any', {});
  await backEnd.put('/configurations/turning', { rotation: { rate: 0.5 } });
  for (const environment of ['shop', 'open', 'split'])
    for (const id of products) {
      const [brand] = id.split('-');
      const document =
        environment === 'open' ? { title: id } : { title: id, brand, categories: [`Tools/${brand}`] };
      await backEnd.put(`/${environment}/items/product/${id}`, document);
    }
});

type Lists = { device_id: string; lists: { list_key: string; items: { item_id: string }[] }[] };

async function ask(environment: string, request: object, headers = {}, list = {}): Promise<Lists> {
  const lists = [{ configuration_id: 'any', list_name: 'l', list_size: 9, ...list }];
  const path = `/${environment}/recommendations/requests`;
  return (await page.post<Lists>(path, { page_type: 'home', lists, ...request }, headers)).body;
}

const idsOf = ({ lists: [{ items }] }: Lists) => items.map(({ item_id: id }) => id);

const listOf = async (deviceId: string) => idsOf(await ask('shop', { device_id: deviceId }));

function newVisitor() {
  const device_secret = newDevice();
  return { device_id: createHash('sha256').update(device_secret).digest('hex').slice(0, 32), device_secret };
}

const control = (http: JsonClient, given: object, environment = 'shop') =>
  http.post(`/${environment}/visitors/controls`, given);

/** Settles aggregation, after which an effect must last. */
const settle = () => backEnd.get('/metrics/events?environment=shop');

test('an unwanted item leaves the lists of its visitor until the choice is undone', async (t) => {
  const visitor = newVisitor();
  t.is((await control(page, { ...visitor, action: 'not_interested', item_id: 'acme-1' })).status, 200);
  t.false((await listOf(visitor.device_id)).includes('acme-1'));
  t.true((await listOf(newDevice())).includes('acme-1'));
  await control(page, { ...visitor, action: 'undo', item_id: 'acme-1' });
  t.true((await listOf(visitor.device_id)).includes('acme-1'));
});

for (const [property, pathOf] of [
  ['brand', (brand: string) => brand],
  ['categories', (brand: string) => `Tools/${brand}`],
] as const) {
  test(`items with an unwanted value of ${property} come after all others until it is undone`, async (t) => {
    const visitor = newVisitor();
    const [[brand]] = (await listOf(visitor.device_id)).map((id) => id.split('-'));
    const value = pathOf(brand);
    const placesOf = async () => (await listOf(visitor.device_id)).map((id) => id.startsWith(brand));
    await control(page, { ...visitor, action: 'less_of', property, value });
    const last = [...Array(6).fill(false), ...Array(3).fill(true)];
    t.deepEqual(await placesOf(), last);
    await settle();
    t.deepEqual(await placesOf(), last);
    await control(page, { ...visitor, action: 'undo', property, value });
    t.notDeepEqual(await placesOf(), last);
  });
}

test('an unwanted value comes last in searches too, except in those that name it or use no profile', async (t) => {
  const visitor = newVisitor();
  type Hit = { item_id: string; preference_weight: number };
  type Found = { extensions: { explanation: { lists: { items: Hit[] }[] } } };
  const find = async (q: string, more = {}) => {
    const body = { device_id: visitor.device_id, page_type: 'search', q, ...more };
    const answer = await backEnd.post<Found>('/shop/searches/requests', body, { prefer: 'extensions' });
    return answer.body.extensions.explanation.lists[0].items;
  };
  const idsFor = async (q: string, more = {}) => (await find(q, more)).map(({ item_id: id }) => id);
  const before = await idsFor('tools');
  const [brand] = before[0].split('-');
  const isOfBrand = (id: string) => id.startsWith(brand);
  await control(page, { ...visitor, action: 'less_of', property: 'brand', value: brand });
  const lowered = await find('tools');
  t.deepEqual(
    lowered.map(({ item_id: id, preference_weight: weight }) => [isOfBrand(id), weight]),
    before.map((_, place) => (place < 6 ? [false, 0] : [true, -1])),
  );
  t.true(isOfBrand((await idsFor(`tools ${brand}`))[0]));
  t.deepEqual(await idsFor('tools', { profiling: 'none' }), before);
  t.deepEqual(await idsFor('tools', { consent: 'none' }), before);
  await control(page, { ...visitor, action: 'undo', property: 'brand', value: brand });
  t.deepEqual(await idsFor('tools'), before);
});

test('a forgotten item counts as never seen, and a later event counts again', async (t) => {
  const visitor = newVisitor();
  const { device_id } = visitor;
  const buy = () =>
    backEnd.post('/shop/events', { events: [{ event_type: 'purchase', device_id, action_item: 'bolt-1' }] });
  await buy();
  t.false((await listOf(device_id)).includes('bolt-1'));
  await control(page, { ...visitor, action: 'forget', item_id: 'bolt-1' });
  t.true((await listOf(device_id)).includes('bolt-1'));
  await settle();
  t.true((await listOf(device_id)).includes('bolt-1'));
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  await buy();
  t.false((await listOf(device_id)).includes('bolt-1'));
  await control(page, { ...visitor, action: 'reset' });
  t.true((await listOf(device_id)).includes('bolt-1'));
});

test('the ID of a device proves nothing where the environment asks for its secret', async (t) => {
  const { device_id, device_secret } = newVisitor();
  const wish = { device_id, action: 'not_interested', item_id: 'acme-1' };
  for (const secret of [undefined, '', 'guess', device_id]) {
    const refused = await control(page, { ...wish, device_secret: secret });
    t.deepEqual([refused.status, refused.pointers], [400, ['/device_secret']]);
  }
  const about = { device_id, page_type: 'home', action_item: 'acme-1' };
  const events = [
    { event_type: 'item_interaction', interaction_type: 'forget', ...about },
    {
      event_type: 'group_interaction',
      interaction_type: 'dislike',
      ...about,
      action_group: 'acme',
      action_group_type: 'brand',
    },
    {
      event_type: 'group_interaction',
      rating: 1,
      ...about,
      action_group: 'acme',
      action_group_type: 'brand',
    },
  ];
  for (const event of events) t.is((await page.post('/shop/events', { events: [event] })).status, 400);
  t.true((await listOf(device_id)).includes('acme-1'));
  t.is((await control(page, { ...wish, device_secret })).status, 200);
  t.is((await control(backEnd, wish)).status, 200);
  t.is((await control(page, wish, 'open')).status, 200);
});

test('a control names what its action needs', async (t) => {
  const visitor = newVisitor();
  const faults: [object, string[]][] = [
    [{ action: 'forget' }, ['/item_id']],
    [{ action: 'less_of', property: 'brand' }, ['/value']],
    [{ action: 'less_of', property: 'price', value: 'x' }, ['/property']],
    [{ action: 'undo' }, ['/item_id']],
    [{ action: 'reset', device_id: 'anonymous' }, ['/device_id', '/device_secret']],
    [{ action: 'hide' }, ['/action']],
  ];
  for (const [given, pointers] of faults)
    t.deepEqual((await control(page, { ...visitor, ...given })).pointers, pointers, JSON.stringify(given));
});

const uniform: [title: string, request: object, list: object][] = [
  ['by the request', { profiling: 'none' }, {}],
  ['by the page type', { page_type: 'start' }, {}],
  ['by the placement', {}, { list_name: 'news' }],
];

for (const [title, request, list] of uniform) {
  test(`lists without profiling ${title} are equal for everyone`, async (t) => {
    const people = Array.from({ length: 6 }, () => newDevice());
    const events = people.flatMap((device_id, place) =>
      [0, 1].map((other) => ({
        event_type: 'detail_pageview',
        page_type: 'detail',
        device_id,
        action_item: products[place + other],
      })),
    );
    await backEnd.post('/split/events', { events });
    const answers = await Promise.all(
      people.map((device_id, place) => {
        const histories = { own: [{ id: products[place] }] };
        const own = { device_id, user_id: `u-${device_id}`, histories, ...request };
        return ask('split', own, {}, { configuration_id: 'turning', list_size: 5, ...list });
      }),
    );
    for (const answer of answers) t.deepEqual(idsOf(answer), idsOf(answers[0]));
    t.is(idsOf(answers[0]).length, 5);
    t.true(answers.every(({ device_id: id }) => id === 'anonymous'));
  });
}

const refusals: [title: string, fields: object, headers: Record<string, string>][] = [
  ['a consent of none', { consent: 'none' }, {}],
  ['Sec-GPC', {}, { 'sec-gpc': '1' }],
];

for (const [title, fields, headers] of refusals) {
  test(`with ${title}, nothing about the visitor is stored or used`, async (t) => {
    const device_id = newDevice();
    const dislike = {
      event_type: 'item_interaction',
      interaction_type: 'hide',
      page_type: 'home',
      device_id,
    };
    const event = {
      ...dislike,
      action_item: 'acme-2',
      user_id: `u-${device_id}`,
      own: device_id,
      request_id: device_id,
    };
    t.is((await page.post('/shop/events', { events: [{ ...event, ...fields }] }, headers)).status, 200);
    const answer = await ask('shop', { device_id, ...fields }, headers);
    t.true(idsOf(answer).includes('acme-2'));
    t.is(answer.lists[0].list_key, '');
    t.is((await backEnd.get(`/shop/devices/${device_id}`)).status, 404);
    t.is((await backEnd.get(`/shop/users/u-${device_id}`)).status, 404);
    const stored = await service.database.kysely.selectFrom('events').selectAll().execute();
    t.false(JSON.stringify(stored).includes(device_id));
    t.true(stored.length > 0);
  });
}

test('a visitor who granted consent is remembered despite Sec-GPC, and an opt-out is stored whole', async (t) => {
  const [granted, out] = [newDevice(), newDevice()];
  const headers = { 'sec-gpc': '1' };
  const hide = {
    event_type: 'item_interaction',
    interaction_type: 'hide',
    page_type: 'home',
    action_item: 'acme-3',
  };
  await page.post('/shop/events', { events: [{ ...hide, device_id: granted, consent: 'granted' }] }, headers);
  t.false(idsOf(await ask('shop', { device_id: granted, consent: 'granted' }, headers)).includes('acme-3'));
  const optOut = {
    event_type: 'user_interaction',
    interaction_type: 'unsubscribe',
    page_type: 'home',
    user_id: out,
  };
  await page.post('/shop/events', { events: [optOut] }, headers);
  const answer = await fetch(`${service.baseUrl}/shop/users/${out}`, {
    headers: { authorization: service.authorization },
  });
  t.true((await answer.text()).includes('unsubscribe'));
});

type Statement = {
  text: string;
  parameters: { name: string; share: number; text: string }[];
  uses_profiling: boolean;
};

const statementOf = async (query: string) =>
  (await backEnd.get<Statement>(`/split/statements?configuration_id=boosting&${query}`)).body;

test('a statement tells the parameters of a placement and their shares, in two languages', async (t) => {
  const constraints = [{ query: { key: 'brand', match: 'acme' }, limit: { max: 2 } }];
  const preferences = [{ query: { key: 'title', match: 'x' }, weight: -1 }];
  await backEnd.put('/configurations/boosting', { constraints, preferences });
  const { text, parameters, uses_profiling: isPersonal } = await statementOf('page_type=home');
  t.true(isPersonal);
  t.true(Math.abs(parameters.reduce((sum, { share }) => sum + share, 0) - 1) < 1e-9);
  t.deepEqual(
    parameters.map(({ share }) => share),
    parameters.map(({ share }) => share).toSorted((a, b) => b - a),
  );
  for (const { text: words } of parameters) t.true(text.includes(words));
  t.regex(text, /limits which items the list may contain, by: brand\./);
  t.regex(text, /lower by: title\./);
  t.regex((await statementOf('page_type=home&language=de')).text, /^Diese Liste verwendet Daten über Sie/);
  const uniformly = await statementOf('page_type=home&list_name=news');
  t.false(uniformly.uses_profiling);
  t.false(uniformly.parameters.some(({ name }) => ['behaviour', 'content', 'own_habits'].includes(name)));
  t.regex(uniformly.text, /^This list is equal for everyone\./);
  t.is((await backEnd.get('/split/statements?configuration_id=none&page_type=home')).status, 404);
});

test('only choices about a value name a property', async (t) => {
  const visitor = newVisitor();
  const [id] = products;
  for (const given of [
    { action: 'forget', item_id: id, property: 'brand' },
    { action: 'not_interested', item_id: id, property: 'brand', value: 'acme' },
  ])
    t.is((await control(page, { ...visitor, ...given })).status, 400);
  t.true((await listOf(visitor.device_id)).includes(id));
});

test('an imported event without consent is stored without its visitor', async (t) => {
  const visitor = { device_id: newDevice(), user_id: newDevice(), consent: 'none' };
  const event = { event_type: 'detail_pageview', page_type: 'detail', action_item: products[0], ...visitor };
  const rpc = createClient(EventService, createAdminTransport(service));
  const imported = async function* () {
    const form = { case: 'json' as const, value: JSON.stringify(event) };
    yield { environment: 'shop', events: [{ line: 1n, form }] };
  };
  for await (const { acceptedCount } of rpc.importEvents(imported())) t.is(acceptedCount, 1);
  const { rows } = await service.database.pool.query('select from events where device_id = $1', [
    visitor.device_id,
  ]);
  t.deepEqual(rows, []);
});
