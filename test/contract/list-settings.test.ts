/** Settings of configurations besides rules: freshness, fatigue, rotation and repeats across the lists of a request. */

import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import { click, impression } from './support/impressions.ts';
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

test.before(async () => {
  shops = await startShops(12, { any: '', once: '      - { name: teaser, consumed_by: [impression] }' });
});

test.after.always(() => shops?.stop());

const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();

test('items above the maximum age are left out; items without an age are kept', async (t) => {
  const shop = shops.open();
  await shop.stock('article', [
    { item_id: 'new', publication_datetime: hoursAgo(1) },
    { item_id: 'old', publication_datetime: hoursAgo(49) },
    'undated',
  ]);
  const within = async (freshness: Document | undefined) => {
    const id = await shop.configure({ freshness });
    return (await shop.list({ configuration_id: id })).sort();
  };
  t.deepEqual(await within(undefined), ['new', 'old', 'undated']);
  t.deepEqual(await within({ maximum_age_hours: 50 }), ['new', 'old', 'undated']);
  t.deepEqual(await within({ maximum_age_hours: 48 }), ['new', 'undated']);
  t.deepEqual(await within({ maximum_age_hours: 0.5 }), ['undated']);
});

test('with a short half-life the newest suitable items come first', async (t) => {
  const shop = shops.open();
  const days = [3, 1, 5, 2, 4];
  await shop.stock('article', [
    { item_id: 'seed', title: 'red garden chair', publication_datetime: hoursAgo(1) },
    ...days.map((day) => ({
      item_id: `day${day}`,
      title: `red garden chair number ${day}`,
      publication_datetime: hoursAgo(24 * day),
    })),
  ]);
  const id = await shop.configure({ freshness: { half_life_hours: 1 } });
  const histories = { seen: [{ id: 'seed' }] };
  const expected = ['day1', 'day2', 'day3', 'day4', 'day5'];
  let ids = await shop.list({ configuration_id: id }, { histories });
  while (ids.join() !== expected.join()) {
    await delay(50);
    ids = await shop.list({ configuration_id: id }, { histories });
  }
  t.deepEqual(ids, expected);
});

/** Three articles and a configuration with a pause after two impressions. */
async function restingShop(fatigue: Document = {}) {
  const shop = shops.open();
  await shop.stock('article', series('a', 3));
  const id = await shop.configure({ fatigue: { maximum_impressions: 2, ...fatigue } });
  const shownTo = async (deviceId: string, rest: Document = {}) =>
    (await shop.list({ configuration_id: id }, { device_id: deviceId, ...rest })).sort();
  return { shop, shownTo };
}

const secondsAgo = (seconds: number) => Math.floor(Date.now() / 1000) - seconds;

async function report(shop: Shop, ...events: Document[]) {
  for (const event of events) await shop.track(event);
}

test('an item pauses after several impressions without a click, for that visitor only', async (t) => {
  const { shop, shownTo } = await restingShop();
  const device_id = newDevice();
  await report(shop, impression('a1', { device_id }));
  t.deepEqual(await shownTo(device_id), ['a1', 'a2', 'a3']);
  await report(shop, impression('a1', { device_id }), impression('a2', { device_id }));
  t.deepEqual(await shownTo(device_id), ['a2', 'a3']);
  t.deepEqual(await shownTo(newDevice()), ['a1', 'a2', 'a3']);
});

test('if impressions consume, an item is shown once, and impressions are no interests', async (t) => {
  const shop = shops.openNamed('once');
  await shop.stock('teaser', series('t', 3));
  await shop.stock('article', ['a1']);
  const id = await shop.configure({});
  const device_id = newDevice();
  const shown = async () => (await shop.list({ configuration_id: id }, { device_id })).sort();
  t.deepEqual(await shown(), ['a1', 't1', 't2', 't3']);
  await report(shop, impression('t2', { device_id }), impression('a1', { device_id }));
  t.deepEqual(await shown(), ['a1', 't1', 't3']);
});

test('impressions of a user count on every device', async (t) => {
  const { shop, shownTo } = await restingShop();
  const user_id = `user ${randomUUID()}`;
  await report(shop, impression('a1', { user_id, device_id: newDevice() }));
  await report(shop, impression('a1', { user_id, device_id: newDevice() }));
  t.deepEqual(await shownTo(newDevice(), { user_id }), ['a2', 'a3']);
});

test('a click ends the pause, and later impressions start it again', async (t) => {
  const { shop, shownTo } = await restingShop();
  const device_id = newDevice();
  const shown = (seconds: number) => impression('a1', { device_id, timestamp: secondsAgo(seconds) });
  await report(shop, shown(100), shown(90));
  t.deepEqual(await shownTo(device_id), ['a2', 'a3']);
  await report(shop, click('a1', { device_id, timestamp: secondsAgo(80) }));
  t.deepEqual(await shownTo(device_id), ['a1', 'a2', 'a3']);
  await report(shop, shown(70));
  t.deepEqual(await shownTo(device_id), ['a1', 'a2', 'a3']);
  await report(shop, shown(60));
  t.deepEqual(await shownTo(device_id), ['a2', 'a3']);
});

test('impressions outside the window do not count', async (t) => {
  const { shop, shownTo } = await restingShop({ window_hours: 1 });
  const device_id = newDevice();
  await report(shop, impression('a1', { device_id, timestamp: secondsAgo(3_700) }));
  await report(shop, impression('a1', { device_id, timestamp: secondsAgo(60) }));
  t.deepEqual(await shownTo(device_id), ['a1', 'a2', 'a3']);
  await report(shop, impression('a1', { device_id, timestamp: secondsAgo(50) }));
  t.deepEqual(await shownTo(device_id), ['a2', 'a3']);
});

const shelves = ['x', 'y', 'z'];

/** 100 articles of three brands. */
async function fullShop(): Promise<Shop> {
  const shop = shops.open();
  await shop.stock(
    'article',
    series('a', 100).map((id, i) => ({ item_id: id, brand: shelves[i % 3] })),
  );
  return shop;
}

const listSize = 20;

/** Two lists of one request, because the models may be replaced between two requests. */
async function both(
  shop: Shop,
  one: string,
  other: string,
  rest: Document = {},
): Promise<[string[], string[]]> {
  const lists = [one, other].map((configuration_id, i) => ({
    configuration_id,
    list_name: `list ${i}`,
    list_size: listSize,
    allow_duplicates: true,
  }));
  const answer = await shop.ask({ lists, ...rest });
  return [idsOf(answer, 0), idsOf(answer, 1)];
}

test('at rate 0 nothing rotates', async (t) => {
  const shop = await fullShop();
  const [plain, still] = await both(
    shop,
    await shop.configure({}),
    await shop.configure({ rotation: { rate: 0 } }),
  );
  t.deepEqual(still, plain);
});

test('rotation changes about the given share of a list with every request', async (t) => {
  const shop = await fullShop();
  const fixed = await shop.configure({});
  for (const rate of [0.2, 0.6]) {
    const rotating = await shop.configure({ rotation: { rate } });
    let changed = 0;
    for (let i = 0; i < 40; i++) {
      const [plain, rotated] = await both(shop, fixed, rotating);
      t.is(new Set(rotated).size, listSize);
      changed += rotated.filter((id) => !plain.includes(id)).length;
    }
    const share = changed / (40 * listSize);
    // For 800 places the standard error of this share is 0.017; seven times that is allowed.
    t.true(Math.abs(share - rate) < 0.12, `${share} changed at rate ${rate}`);
  }
});

test('within a period a subject gets the same list, and other subjects get others', async (t) => {
  const shop = await fullShop();
  const rotation = { rate: 0.5, period_minutes: 10_080 };
  const list = { configuration_id: await shop.configure({ rotation }), list_size: listSize };
  const listFor = async (user_id: string) => (await shop.list(list, { user_id })).join();
  const pairs: [string, string][] = [];
  for (let i = 0; i < 3; i++) pairs.push([await listFor('anna'), await listFor('anna')]);
  t.true(pairs.some(([one, other]) => one === other));
  t.not(await listFor('chloe'), pairs[2][1]);
});

test('a rotated list satisfies the rules', async (t) => {
  const shop = await fullShop();
  const id = await shop.configure({
    constraints: [
      { query: where('brand', 'x'), limit: { max: 4 } },
      { query: where('brand', 'y'), limit: { min: 9 } },
      { query: { key: 'item_id', match: { not: 'a1' } } },
    ],
    rotation: { rate: 1 },
  });
  for (let i = 0; i < 20; i++) {
    const ids = await shop.list({ configuration_id: id, list_size: listSize });
    const count = (brand: string) =>
      ids.filter((one) => shelves[(Number(one.slice(1)) - 1) % 3] === brand).length;
    t.is(ids.length, listSize);
    t.true(count('x') <= 4 && count('y') >= 9 && !ids.includes('a1'));
  }
});

test('lists of a request share no item, unless their configuration allows it', async (t) => {
  const shop = await fullShop();
  const repeated = async (configuration: Document) => {
    const configuration_id = await shop.configure(configuration);
    const lists = ['one', 'two'].map((list_name) => ({ configuration_id, list_name, list_size: 10 }));
    const answer = await shop.ask({ lists });
    return idsOf(answer, 1).filter((id) => idsOf(answer, 0).includes(id)).length;
  };
  t.is(await repeated({}), 0);
  t.is(await repeated({ allow_duplicates: false }), 0);
  t.is(await repeated({ allow_duplicates: true }), 10);
});

const faults: [settings: Document, pointer: string][] = [
  [{ freshness: { maximum_age_hours: 0 } }, '/freshness/maximum_age_hours'],
  [{ freshness: { half_life_hours: -1 } }, '/freshness/half_life_hours'],
  [{ fatigue: {} }, '/fatigue/maximum_impressions'],
  [{ fatigue: { maximum_impressions: 101 } }, '/fatigue/maximum_impressions'],
  [{ fatigue: { maximum_impressions: 1, window_hours: 0 } }, '/fatigue/window_hours'],
  [{ rotation: {} }, '/rotation/rate'],
  [{ rotation: { rate: 1.1 } }, '/rotation/rate'],
  [{ rotation: { rate: 1, period_minutes: 10_081 } }, '/rotation/period_minutes'],
  [{ allow_duplicates: 'yes' }, '/allow_duplicates'],
];

for (const [settings, pointer] of faults) {
  test(`${JSON.stringify(settings)} is 400 at its node`, async (t) => {
    const { http } = shops.openNamed('any');
    t.like(await http.put('/configurations/faulty', settings), { status: 400, pointers: [pointer] });
  });
}
