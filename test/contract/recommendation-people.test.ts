/** Subjects of lists: identity, groups and versions, robots, deadlines, and effects of own events. */

import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import pg from 'pg';
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

const robot = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';

const split = `
    user_groups:
      - { name: recommender, share: 60 }
      - { name: control, share: 30, lists: empty }
      - { name: plain, share: 10, lists: baseline }
    versions: [ { name: A, share: 50 }, { name: B, share: 50, models: { trending: 0 } } ]`;

let shops: Shops;
let any: string;

test.before(async () => {
  shops = await startShops(14, { split });
  any = await shops.openNamed('split').configure({});
});

test.after.always(() => shops?.stop());

const lists = () => [{ configuration_id: any, list_name: 'l', list_size: 20 }];

/** A public shop with articles `a1` … `a4`, which views consume. */
const articles = async (): Promise<Shop> => {
  const shop = shops.open();
  await shop.stock('article', series('a', 4));
  return shop;
};

const view = (itemId: string, identity: Document) => ({
  event_type: 'detail_pageview',
  action_item: itemId,
  ...identity,
});

/** Returns which of `a1` … `a4` are no longer recommended and therefore count as viewed. */
const lookedAt = async (shop: Shop, identity: Document): Promise<string[]> => {
  const ids = await shop.list({ configuration_id: any }, identity);
  return series('a', 4).filter((id) => !ids.includes(id));
};

test('a placeholder in a request means an unknown visitor', async (t) => {
  const shop = await articles();
  const device_id = newDevice();
  await shop.track(view('a1', { device_id }));
  t.deepEqual(await lookedAt(shop, { device_id, user_id: 'undefined' }), ['a1']);
  const { body } = await shop.ask({ device_id: 'null', user_id: 'NaN', lists: lists() });
  t.like(body, { device_id: 'anonymous', user_id: undefined });
});

test('an event changes the next list', async (t) => {
  const shop = await articles();
  const identity = { device_id: newDevice() };
  t.deepEqual(await lookedAt(shop, identity), []);
  await shop.track(view('a3', identity));
  t.deepEqual(await lookedAt(shop, identity), ['a3']);
});

test('the history joins those of the user and the device', async (t) => {
  const shop = await articles();
  const [device, user] = [{ device_id: newDevice() }, { user_id: newDevice() }];
  await shop.track(view('a1', device));
  await shop.track(view('a2', user));
  t.deepEqual(await lookedAt(shop, { ...device, ...user }), ['a1', 'a2']);
  t.deepEqual(await lookedAt(shop, device), ['a1']);
  t.deepEqual(await lookedAt(shop, user), ['a2']);
});

test('items consumed long before the latest events are not recommended again', async (t) => {
  const shop = shops.open();
  const ids = series('a', 600).map((id) => id.padEnd(60, '-'));
  const parts = Array.from({ length: 10 }, (_, part) => ids.slice(60 * part, 60 * part + 60));
  await Promise.all(parts.map((part) => shop.stock('article', part)));
  const identity = { device_id: newDevice() };
  const notYet = async () => {
    const seen = await shop.list({ configuration_id: any, list_size: 600 }, identity);
    return seen.toSorted();
  };
  for (const [place, part] of parts.slice(0, -1).entries()) {
    const events = part.map((id) => ({ page_type: 'detail', ...view(id, identity) }));
    t.is((await shop.http.post(`/${shop.environment}/events`, { events })).status, 200);
    t.deepEqual(
      await notYet(),
      parts
        .slice(place + 1)
        .flat()
        .toSorted(),
    );
    t.is((await shop.http.get('/metrics/pageviews')).status, 200);
  }
  await shop.track(view(ids.at(-1)!, identity));
  t.deepEqual(await notYet(), parts.at(-1)!.slice(0, -1).toSorted());
});

test('items consumed before the catalogue knew them are not recommended', async (t) => {
  const shop = shops.open();
  const identity = { device_id: newDevice() };
  const ids = ['a1', ...series('other', 700)];
  const events = ids.map((id, second) => ({
    ...{ ...view(id, identity), page_type: 'detail' },
    timestamp: 1_700_000_000 + second,
  }));
  t.is((await shop.http.post(`/${shop.environment}/events`, { events })).status, 200);
  t.is((await shop.http.get('/metrics/pageviews')).status, 200);
  await shop.stock('article', series('a', 4));
  t.deepEqual(await lookedAt(shop, identity), ['a1']);
});

test('a device is linked to the last user seen with it', async (t) => {
  const shop = await articles();
  const [device, other] = [{ device_id: newDevice() }, { device_id: newDevice() }];
  const [first, second] = [{ user_id: newDevice() }, { user_id: newDevice() }];
  await shop.track(view('a1', first));
  await shop.track(view('a2', second));
  await shop.track(view('a3', { ...device, ...first }));
  t.deepEqual(await lookedAt(shop, device), ['a1', 'a3']);
  await shop.track({ event_type: 'page_visit', ...device, ...second });
  t.deepEqual(await lookedAt(shop, device), ['a2']);
  t.deepEqual(await lookedAt(shop, other), []);
});

test('the anonymous device has no history', async (t) => {
  const shop = await articles();
  const anonymous = { device_id: 'anonymous' };
  const user = { user_id: newDevice() };
  await shop.track(view('a1', anonymous));
  t.deepEqual(await lookedAt(shop, anonymous), []);
  await shop.track(view('a2', { ...anonymous, ...user }));
  t.deepEqual(await lookedAt(shop, anonymous), []);
  t.deepEqual(await lookedAt(shop, { ...anonymous, ...user }), ['a2']);
  const { rows } = await shops.service.database.pool.query(
    `select count(*)::int as count from histories where subject = 'd:anonymous'`,
  );
  t.deepEqual(rows, [{ count: 0 }]);
});

test('views of a robot are not in a history', async (t) => {
  const shop = await articles();
  const identity = { device_id: newDevice() };
  const body = { events: [{ page_type: 'detail', ...view('a1', identity) }] };
  const path = `/${shop.environment}/events`;
  t.is((await shop.http.post(path, body, { 'user-agent': robot })).status, 200);
  t.deepEqual(await lookedAt(shop, identity), []);
});

test('a robot is in the group blacklist and gets lists within the rules', async (t) => {
  const shop = await articles();
  await shop.stock('article', [{ item_id: 'b1', brand: 'b' }]);
  const id = await shop.configure({ constraints: [{ query: where('brand', 'b') }] });
  const answer = await shop.ask(
    { lists: [{ configuration_id: id, list_name: 'l', list_size: 5 }] },
    { 'user-agent': robot },
  );
  t.is(answer.body.user_group, 'blacklist');
  t.deepEqual(idsOf(answer), ['b1']);
});

test('without a split, all subjects are in the group recommender and the version default', async (t) => {
  const shop = await articles();
  const device = newDevice();
  const { body } = await shop.ask({ device_id: device, user_id: 'u', lists: lists() });
  t.like(body, { device_id: device, user_id: 'u', user_group: 'recommender', version: 'default' });
  t.false('user_id' in (await shop.ask({ lists: lists() })).body);
});

test('groups and versions are stable, independent, and have the declared shares', async (t) => {
  const shop = shops.openNamed('split');
  const counts: Record<string, number> = {};
  for (let i = 0; i < 600; i += 1) {
    const request = { device_id: `visitor ${i}`, lists: lists() };
    const { user_group: group, version } = (await shop.ask(request)).body;
    if (i % 20 === 0) t.like((await shop.ask(request)).body, { user_group: group, version });
    for (const key of [group, version, `${group}${version}`]) counts[key] = (counts[key] ?? 0) + 1;
  }
  const isNear = (key: string, share: number) =>
    t.true(Math.abs(counts[key] / 600 - share) < 0.08, `${key} ${counts[key]}`);
  isNear('recommender', 0.6);
  isNear('control', 0.3);
  isNear('plain', 0.1);
  isNear('A', 0.5);
  isNear('recommenderA', 0.3);
});

const pins: [pin: Document, group: string, version: string, isEmpty: boolean][] = [
  [{ user_group: 'recommender', version: 'A' }, 'recommender', 'A', false],
  [{ user_group: 'control', version: 'B' }, 'control', 'B', true],
  [{ user_group: 'plain', version: 'B' }, 'plain', 'B', false],
];

for (const [pin, group, version, isEmpty] of pins) {
  test(`a request may pin ${group} and ${version}`, async (t) => {
    const shop = shops.openNamed('split');
    await shop.stock('article', ['one', 'two']);
    const { body } = await shop.ask({ ...pin, lists: lists() });
    t.like(body, { user_group: group, version });
    t.is(body.lists[0].items.length === 0, isEmpty);
    t.is(body.lists[0].list_size, body.lists[0].items.length);
  });
}

test('the baseline does not depend on the history', async (t) => {
  const shop = shops.openNamed('split');
  await shop.stock('article', ['one', 'two']);
  for (let count = 0; count < 5; count++) await shop.track(view('two', { device_id: newDevice() }));
  const identity = { device_id: newDevice() };
  const baseline = () => shop.list({ configuration_id: any }, { ...identity, user_group: 'plain' });
  /** It follows the views of all visitors. */
  while ((await baseline())[0] !== 'two') await delay(50);
  await shop.track(view('one', identity));
  t.deepEqual(await baseline(), ['two', 'one']);
});

/** New items are compared with each other on arrival, before any training. */
test('lists follow views at once', async (t) => {
  const shop = shops.open();
  const tags = ['jazz', 'golf', 'tea'];
  const tagged = (tag: string) =>
    series(tag, 6).map((id) => ({ item_id: id, title: tag, tags: [tag, `all ${tag}`] }));
  await shop.stock('video', tags.flatMap(tagged));
  const others = async (tag: string, request: Document) => {
    const ids = await shop.list({ configuration_id: any, list_size: 6 }, request);
    return ids.filter((id) => id.startsWith(tag)).length;
  };
  for (const tag of tags) {
    const liked = { histories: { liked: [{ id: `${tag}1` }] } };
    while ((await others(tag, liked)) < 5) await delay(50);
  }
  const identity = { device_id: newDevice() };
  await shop.track(view('golf2', identity));
  t.true((await others('golf', identity)) >= 5);
  await shop.track(view('tea3', identity));
  t.true((await others('tea', identity)) >= 2);
});

test('a category in the caller’s histories or as the group of an event is an interest', async (t) => {
  const shop = shops.open();
  const areas = ['garden', 'kitchen'];
  const shelved = (area: string) =>
    series(area, 6).map((id) => ({ item_id: id, title: `${area} thing`, categories: [`home/${area}`] }));
  await shop.stock('video', areas.flatMap(shelved));
  const firstOf = async (request: Document) =>
    (await shop.list({ configuration_id: any, list_size: 3 }, request)).map((id) => id.replace(/\d/, ''));
  const threeOf = (area: string) => [area, area, area].join();
  /** Waits for a list led by the area. */
  const leads = async (area: string, request: Document) => {
    for (;;) {
      const found = (await firstOf(request)).join();
      if (found === threeOf(area)) return found;
      await delay(50);
    }
  };
  const found: string[] = [];
  for (const area of areas) {
    await leads(area, { histories: { seen: [{ id: `home/${area}`, item_type: 'category' }] } });
    const identity = { device_id: newDevice() };
    await shop.track({ event_type: 'group_pageview', action_group: `home/${area}`, ...identity });
    found.push(await leads(area, identity));
  }
  t.deepEqual(found, areas.map(threeOf));
});

/** Holds a lock for as long as `run` takes. */
async function withLocked<T>(table: string, run: () => Promise<T>): Promise<T> {
  const client = new pg.Client(shops.service.database.connection);
  await client.connect();
  try {
    await client.query(`begin; lock table ${table} in access exclusive mode`);
    return await run();
  } finally {
    await client.query('rollback');
    await client.end();
  }
}

test.serial('a late history gives a fallback within the rules', async (t) => {
  const shop = await articles();
  await shop.stock('article', [{ item_id: 'b1', brand: 'b' }]);
  const identity = { device_id: newDevice() };
  await shop.track(view('a1', identity));
  const id = await shop.configure({ constraints: [{ query: where('brand', 'b') }] });
  const request = {
    ...identity,
    timeout_ms: 250,
    lists: [{ configuration_id: id, list_name: randomUUID(), list_size: 5 }],
  };
  const answer = await withLocked('histories', () => shop.ask(request));
  t.is(answer.body.user_group, 'fallback');
  t.deepEqual(idsOf(answer), ['b1']);
  t.is((await shop.ask({ ...request, timeout_ms: 60_000 })).body.user_group, 'recommender');
});

test.serial('lists that cannot be stored in time are still returned', async (t) => {
  const shop = await articles();
  const answer = await withLocked('lists', () => shop.ask({ timeout_ms: 250, lists: lists() }));
  t.is(answer.status, 200);
  t.is(idsOf(answer).length, 4);
});

test.serial('lists are made without a database', async (t) => {
  const other = await startShops(1);
  try {
    const shop = other.open();
    await shop.stock('article', series('a', 4));
    const id = await shop.configure({});
    const { database } = other.service;
    const administrator = new pg.Client({ ...database.connection, database: 'postgres' });
    await administrator.connect();
    const { database: name } = database.connection;
    /** Without `alter database`, which a cluster refuses. */
    await administrator.query('update pg_database set datallowconn = false where datname = $1', [name]);
    await administrator.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
      name,
    ]);
    await administrator.end();
    const answer = await shop.ask({
      timeout_ms: 500,
      lists: [{ configuration_id: id, list_name: 'l', list_size: 9 }],
    });
    t.like(answer.body, { user_group: 'fallback' });
    t.is(idsOf(answer).length, 4);
  } finally {
    await other.stop();
  }
});
