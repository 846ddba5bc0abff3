/** Experiments of a running service: stored, started, served on every node, read and concluded. */

import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import test from 'ava';
import { ExperimentService } from '../../gen/es/personalisation/v1/experiment_service_pb.js';
import { createJsonClient } from '../support/json-client.ts';
import { startSecondNode } from './support/second-node.ts';
import { testedService } from './support/tested-service.ts';

const deployment = `
environments:
  - name: shop
    item_types: [ { name: product } ]
    hold_out: 0.1
  - name: news
    item_types: [ { name: product } ]
`;

const service = testedService(deployment);
const http = createJsonClient(service);

const only = (itemId: string) => ({
  constraints: [{ query: { key: 'item_id', match: itemId } }],
});

test.before(async () => {
  for (const id of ['a', 'b', 'c']) await http.put(`/shop/items/product/${id}`, { title: id });
  for (const id of ['a', 'b']) await http.put('/configurations/home', only(id));
  await http.put('/configurations/other', only('c'));
  await http.put('/configurations/home', only('a'));
});

const halves = {
  hypothesis: 'Item b sells more.',
  variants: [{ name: 'control' }, { name: 'b', configurations: { home: 2 } }],
};

type Answer = {
  lists: { items: { item_id: string }[] }[];
  experiments?: { experiment_id: string; variant: string }[];
};

async function ask(
  deviceId: string,
  { page = 'home', configuration = 'home', client = http, more = {} } = {},
) {
  const list = { configuration_id: configuration, list_name: 'first', list_size: 1 };
  const body = { device_id: deviceId, page_type: page, lists: [list], ...more };
  const { body: answer } = await client.post<Answer>('/shop/recommendations/requests', body);
  const variants = (answer.experiments ?? []).map((one) => `${one.experiment_id}:${one.variant}`);
  return { item: answer.lists[0].items[0]?.item_id, variants };
}

const devices = Array.from({ length: 200 }, (_, i) => `device-${i}`);

async function askAll(options = {}) {
  return Promise.all(devices.map((device) => ask(device, options)));
}

const path = '/shop/experiments/new-home';

test.serial('from the draft to the conclusion, devices get and keep their variants', async (t) => {
  t.is((await http.put(path, { ...halves, audience: { page_type: 'home' } })).status, 200);
  t.deepEqual((await ask('device-0')).variants, [], 'a draft serves nothing');
  t.like((await http.post(`${path}/start`)).body, { state: 'running', share: 1 });

  const first = await askAll();
  for (const { item, variants } of first)
    t.is(item, variants[0] === 'new-home:b' ? 'b' : 'a', 'the variant decides the list');
  const count = (name: string) => first.filter(({ variants }) => variants[0] === `new-home:${name}`).length;
  t.true(count('control') > 60 && count('b') > 60 && count('control') + count('b') < 200);
  t.deepEqual(await askAll(), first, 'devices keep their variants');
  const elsewhere = [
    ...(await askAll({ page: 'cart' })),
    ...(await askAll({ configuration: 'other' })),
    ...(await askAll({ more: { version: 'default' } })),
    await ask('anonymous'),
  ];
  t.true(elsewhere.every(({ variants }) => variants.length === 0));

  const results = await http.get<{ arms: { name: string; device_count: number }[] }>(`${path}/results`);
  t.deepEqual(
    results.body.arms.map(({ name, device_count }) => [name, Number(device_count)]),
    [
      ['control', count('control')],
      ['b', count('b')],
    ],
  );
  const held = { environment: 'shop', control: 'hold_out', arm: 'not_held_out' };
  const transport = createGrpcTransport({ baseUrl: `http://${service.grpcAddress}` });
  const { arms } = await createClient(ExperimentService, transport).compareVersions(held, {
    headers: { authorization: service.authorization },
  });
  const heldOut = 200 - count('control') - count('b');
  t.deepEqual(
    arms.map(({ deviceCount }) => Number(deviceCount)),
    [heldOut, 200 - heldOut],
  );

  t.like((await http.post(`${path}/conclude`, { winner: 'b' })).body, { state: 'concluded', winner: 'b' });
  const { rows: decided } = await service.database.pool.query(
    `select data from changes where kind = 'experiment.decided' and environment = 'shop'`,
  );
  const { experiment_id } = (await http.get<{ experiment_id: string }>(path)).body;
  t.deepEqual(decided, [{ data: { experiment_id, kind: 'concluded', winner: 'b' } }]);
  const after = await askAll();
  t.is(after.filter(({ item }) => item === 'b').length, 200 - heldOut, 'all but the hold-out get the winner');
  t.true(after.every(({ variants }) => variants.length === 0));
  t.is((await http.post(`${path}/archive`)).status, 200);
  t.is((await askAll()).filter(({ item }) => item === 'b').length, 0);
  t.is((await http.send('DELETE', path)).status, 200);
  t.is((await http.get(path)).reason, 'experiment_unknown');
  const audit = await http.get<{ entries: { action: string }[] }>('/audit?environment=shop');
  t.deepEqual(
    audit.body.entries.map(({ action }) => action).filter((action) => action.startsWith('experiments.')),
    ['delete', 'archive', 'conclude', 'start', 'put'].map((verb) => `experiments.${verb}`),
  );
});

test.serial('a ramp takes in more devices, and none changes its variant', async (t) => {
  await http.put(path, { ...halves, ramp: [{ share: 0.1 }, { share: 1 }] });
  t.like((await http.post(`${path}/start`)).body, { share: 0.1 });
  const early = await askAll();
  t.like((await http.post(`${path}/ramp`, { share: 0.6 })).body, { share: 0.6 });
  const late = await askAll();
  const counts = [early, late].map((all) => all.filter(({ variants }) => variants.length > 0).length);
  t.true(counts[0] > 5 && counts[0] < 35 && counts[1] > 80 && counts[1] < 135, String(counts));
  for (const [i, { variants }] of early.entries()) if (variants[0]) t.is(late[i].variants[0], variants[0]);
  t.is((await http.put(path, { ...halves, traffic: 0.5 })).reason, 'experiment_state_conflict');
  t.is((await http.put(path, { ...halves, hypothesis: 'Another.' })).status, 200);
  t.like((await http.post(`${path}/stop`)).body, { state: 'stopped' });
  t.true((await askAll()).every(({ variants }) => variants.length === 0));
});

test.serial('experiments of a group exclude each other; rivals must be in one', async (t) => {
  const names = ['one', 'two', 'three', 'rival'];
  const at = (name: string) => `/shop/experiments/${name}`;
  for (const name of names)
    await http.put(at(name), { ...halves, ...(name === 'rival' ? {} : { group: 'home', traffic: 0.5 }) });
  const starts = await Promise.all(names.slice(0, 3).map((name) => http.post(`${at(name)}/start`)));
  t.deepEqual(starts.map(({ status }) => status).toSorted(), [200, 200, 400], 'the third has no room');
  t.is((await http.post(`${at('rival')}/start`)).reason, 'body_invalid');
  const all = await askAll();
  t.true(all.every(({ variants }) => variants.length <= 1));
  t.true(all.filter(({ variants }) => variants.length === 1).length > 150);
  for (const name of names) {
    await http.post(`${at(name)}/stop`);
    t.is((await http.send('DELETE', at(name))).status, 200);
  }
});

test.serial('a start takes effect on every node within a second', async (t) => {
  const node = await startSecondNode(service, deployment);
  t.teardown(node.stop);
  const client = createJsonClient({ ...node, authorization: service.authorization });
  await http.post(`${path}/start`);
  await http.post(`${path}/ramp`, { share: 1 });
  const here = await askAll();
  let there = await askAll({ client });
  for (; !isDeepStrictEqual(there, here); there = await askAll({ client })) await delay(20);
  t.deepEqual(there, here);
});

const refused: [name: string, body: object, pointer: string][] = [
  ['one variant', { variants: [{ name: 'a' }] }, '/variants'],
  ['equal names', { variants: [{ name: 'a' }, { name: 'a' }] }, '/variants/1/name'],
  ['a name with a colon', { variants: [{ name: 'a:b' }, { name: 'c' }] }, '/variants/0/name'],
  ['a share of 0', { variants: [{ name: 'a', share: 0 }, { name: 'b' }] }, '/variants/0/share'],
  [
    'an unknown model',
    { variants: [{ name: 'a' }, { name: 'b', models: { x: 1 } }] },
    '/variants/1/models/x',
  ],
  ['an unknown metric', { ...halves, metric: 'joy' }, '/metric'],
  ['a falling ramp', { ...halves, ramp: [{ share: 0.5 }, { share: 0.4 }] }, '/ramp/1/share'],
  ['an object as a value', { ...halves, audience: { page_type: { a: 1 } } }, '/audience/page_type'],
  ['another id', { ...halves, experiment_id: 'other' }, '/experiment_id'],
  ['a state', { ...halves, state: 'running' }, '/state'],
];

for (const [name, body, pointer] of refused)
  test(`refuses ${name}`, async (t) => {
    const { status, pointers } = await http.put('/shop/experiments/bad', body);
    t.is(status, 400);
    t.deepEqual(pointers, [pointer]);
  });

test('an experiment with a version that does not exist cannot start', async (t) => {
  const variants = [{ name: 'a' }, { name: 'b', configurations: { home: 99 } }];
  await http.put('/news/experiments/missing', { variants });
  const { status, pointers } = await http.post('/news/experiments/missing/start');
  t.is(status, 400);
  t.deepEqual(pointers, ['/variants/1/configurations/home']);
});

test.serial(
  'an interleaved list obeys the rules, tells the team of each item, and clicks credit it',
  async (t) => {
    const brands = ['x', 'y'];
    for (let i = 0; i < 12; i += 1)
      await http.put(`/shop/items/product/i${i}`, { title: `Item ${i}`, categories: [brands[i % 2]] });
    const limit = { query: { key: 'categories', match: 'x' }, limit: { max: 3 } };
    const prefer = (brand: string) => ({ query: { key: 'categories', match: brand }, weight: 3 });
    const only = { query: { key: 'categories', match: brands } };
    await http.put('/configurations/mixed', { constraints: [only, limit], preferences: [prefer('y')] });
    await http.put('/configurations/mixed', { constraints: [only, limit], preferences: [prefer('x')] });
    const at = '/shop/experiments/mixed';
    const variants = [
      { name: 'y', configurations: { mixed: 1 } },
      { name: 'x', configurations: { mixed: 2 } },
    ];
    t.is((await http.put(at, { variants, interleaved: true })).status, 200);
    t.is((await http.post(`${at}/start`)).status, 200);

    const list = { configuration_id: 'mixed', list_name: 'first', list_size: 8, limit: 4 };
    type Item = { item_id: string; team?: string };
    type Interleaved = Answer & { request_id: string; lists: { list_key: string; items: Item[] }[] };
    let credited = 0;
    for (const device of devices.slice(0, 20)) {
      const body = { device_id: device, page_type: 'home', lists: [list] };
      const { body: answer } = await http.post<Interleaved>('/shop/recommendations/requests', body);
      if (!answer.experiments) continue;
      t.is(answer.experiments[0].variant, 'interleaved');
      const [{ list_key: key, items }] = answer.lists;
      const next = await http.get<Interleaved>(
        `/shop/recommendations/lists?list_key=${encodeURIComponent(key)}&offset=5&limit=4`,
      );
      const all = [...items, ...next.body.lists[0].items];
      t.is(all.length, 8);
      t.true(all.every(({ team }) => team === 'x' || team === 'y'));
      t.is(all.filter(({ item_id: id }) => Number(id.slice(1)) % 2 === 0).length, 3, 'the limit holds');
      const clicked = all.find(({ team }) => team === 'x')!;
      const event = {
        event_type: 'click_on_recommendation',
        ...{ device_id: device, request_id: answer.request_id, list_name: 'first', page_type: 'home' },
        ...{ action_item: clicked.item_id, action_item_type: 'product', user_group: 'recommender' },
      };
      t.is((await http.post('/shop/events', { events: [event] })).status, 200);
      credited += 1;
    }
    t.true(credited > 10);
    type Results = { preference: { variant_device_count: string; control_device_count: string } };
    const read = async () => (await http.get<Results>(`${at}/results`)).body.preference;
    let preference = await read();
    for (; Number(preference.variant_device_count) < credited; preference = await read()) await delay(20);
    t.is(Number(preference.control_device_count), 0);
    t.is((await http.put(at, { variants, interleaved: false })).reason, 'experiment_state_conflict');
    await http.post(`${at}/stop`);
  },
);

test.serial('a search gets the variant of its device, and other searches none', async (t) => {
  const at = '/shop/experiments/pinned';
  for (const id of ['a', 'b'])
    await http.put('/configurations/searching', {
      search: { when: { queries: [{ contains: 'item' }] }, pins: [{ item_id: id, rank: 1 }] },
      constraints: [],
    });
  const variants = [{ name: 'b' }, { name: 'a', configurations: { searching: 1 } }];
  t.is((await http.put(at, { variants, audience: { page_type: 'search' } })).status, 200);
  t.is((await http.post(`${at}/start`)).status, 200);
  const find = async (deviceId: string, page: string) => {
    const body = { q: 'item', page_type: page, device_id: deviceId };
    const { body: found } = await http.post<Answer>('/shop/searches/requests', body);
    return [found.lists[0]?.items[0]?.item_id, found.experiments?.[0]?.variant];
  };
  const found = await Promise.all(devices.slice(0, 60).map((device) => find(device, 'search')));
  for (const [item, variant] of found) t.is(item, variant === 'a' ? 'a' : 'b');
  t.true(new Set(found.map(([item]) => item)).size === 2);
  t.is((await find('device-1', 'home'))[1], undefined);
  await http.post(`${at}/stop`);
});

test.serial(
  'an interleaved search keeps the pins, its pages continue the draft, and clicks credit it',
  async (t) => {
    for (let i = 0; i < 12; i += 1)
      await http.put(`/shop/items/product/lamp${i}`, { title: 'Lamp', categories: [i % 2 ? 'odd' : 'even'] });
    for (const match of ['even', 'odd']) {
      const { status, body } = await http.put('/configurations/drafted', {
        search: {
          when: { queries: [{ contains: 'lamp' }] },
          pins: [{ item_id: 'lamp11', rank: 2 }],
          hides: [{ item_id: 'lamp0' }],
        },
        constraints: [],
        preferences: [{ query: { key: 'categories', match }, weight: 1 }],
      });
      t.true(status < 300, JSON.stringify(body));
    }
    const at = '/shop/experiments/drafted';
    const variants = [
      { name: 'even', configurations: { drafted: 1 } },
      { name: 'odd', configurations: { drafted: 2 } },
    ];
    t.is((await http.put(at, { variants, interleaved: true })).status, 200);
    t.is((await http.post(`${at}/start`)).status, 200);

    type Item = { item_id: string; team?: string };
    type Interleaved = Omit<Answer, 'lists'> & {
      request_id: string;
      lists: { list_key: string; items: Item[] }[];
    };
    const clicks: object[] = [];
    for (const device of devices.slice(0, 12)) {
      const page = async (offset: number) => {
        const body = { q: 'lamp', page_type: 'search', device_id: device, limit: 4, list_size: 4, offset };
        const answer = await http.post<Interleaved>('/shop/searches/requests', body);
        t.is(answer.status, 200, JSON.stringify(answer.body));
        return answer.body;
      };
      const first = await page(1);
      if (!first.experiments) continue;
      t.is(first.experiments[0].variant, 'interleaved');
      const pages = [first, await page(5), await page(9)];
      const all = pages.flatMap(({ lists }) => lists[0].items);
      t.is(all.length, 11, 'one is hidden');
      t.is(new Set(all.map(({ item_id: id }) => id)).size, 11);
      t.like(all[1], { item_id: 'lamp11', team: undefined });
      const drafted = all.filter(({ team }) => team !== undefined);
      t.is(drafted.length, 10);
      for (let i = 0; i < 10; i += 2) t.not(drafted[i].team, drafted[i + 1].team, `round ${i / 2}`);
      const clicked = pages[1].lists[0].items.find(({ team }) => team === 'odd')!;
      clicks.push({
        event_type: 'search_click_on_recommendation',
        ...{ device_id: device, request_id: pages[1].request_id, list_name: 'results', page_type: 'search' },
        ...{ action_item: clicked.item_id, action_item_type: 'product', user_group: 'recommender' },
      });
    }
    t.true(clicks.length > 5, `${clicks.length}`);
    t.is((await http.post('/shop/events', { events: clicks })).status, 200);
    type Results = { preference: { variant_device_count: string; control_device_count: string } };
    const read = async () => (await http.get<Results>(`${at}/results`)).body.preference;
    let preference = await read();
    for (; Number(preference.variant_device_count) < clicks.length; preference = await read())
      await delay(20);
    t.is(Number(preference.control_device_count), 0);
    await http.post(`${at}/stop`);
  },
);

test('a plan without data has no duration, and an unknown metric is refused', async (t) => {
  const { status, body } = await http.post<object>('/news/experiment-plans', {});
  t.is(status, 200);
  t.false('duration_days' in body);
  t.deepEqual((await http.post('/news/experiment-plans', { metric: 'joy' })).pointers, ['/metric']);
});
