import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import type { Logger } from 'pino';
import { createListStore, type StoredList } from '../../../src/handlers/lists/list-store.ts';
import { createTimelyNames } from '../../../src/handlers/lists/timely-names.ts';
import { newAnswerId } from '../../../src/ranking/lists/answer-id.ts';
import { bucketCountOf } from '../../../src/repository/buckets.ts';
import { createLogger } from '../../../src/servers/telemetry/logger.ts';
import { withoutBucket } from '../../support/away-bucket.ts';
import { createTestDatabase } from '../../support/database.ts';
import { poolOf } from '../../support/pool-of.ts';

const lifetimeMs = 60_000;

const list = (listName: string): StoredList => ({
  kind: 'recommendations',
  configurationId: 'c',
  listName,
  deviceId: 'd',
  requestId: 'r',
  userGroup: 'recommender',
  version: 'default',
  items: [['ü "x"\n', 'article']],
});

const times = <Value>(count: number, make: () => Value) => Array.from({ length: count }, make);

async function start(t: ExecutionContext) {
  const db = await createTestDatabase(t);
  const clock = { nowMs: Date.now() };
  const bucketCount = await bucketCountOf(db);
  const store = createListStore({
    db,
    bucketCount,
    clock: () => clock.nowMs,
    logger: createLogger('silent'),
  });
  /** Lists are written behind their answers. */
  const kept = async (count: number) => {
    for (;;) {
      const { rows } = await db.pool.query('select list_key, bucket from lists');
      if (rows.length === count) return rows;
    }
  };
  const expiryOf = async (key: string) => {
    await kept(1);
    const { rows } = await db.pool.query('select expires_at from lists where list_key = $1', [key]);
    return rows[0].expires_at.getTime();
  };
  return { store, clock, db, bucketCount, kept, expiryOf };
}

test('a stored list is found in its environment', async (t) => {
  const { store } = await start(t);
  store.store(
    'e',
    new Map([
      ['k.secret', list('one')],
      ['l.secret', list('two')],
    ]),
    lifetimeMs,
  );
  t.like(await store.find('e', 'k.secret', lifetimeMs), list('one'));
  t.like(await store.find('e', 'l.secret', lifetimeMs), list('two'));
  t.is(await store.find('other', 'k.secret', lifetimeMs), undefined);
  t.is(await store.find('e', 'unknown.secret', lifetimeMs), undefined);
});

test('a list is found only by its whole key, or by its row for explanations', async (t) => {
  const { store, expiryOf, clock } = await start(t);
  store.store('e', new Map([['k.secret', list('one')]]), lifetimeMs);
  const first = await expiryOf('k');
  clock.nowMs += lifetimeMs / 2;
  for (const key of [
    'k',
    'k.',
    '.secret',
    'k.Secret',
    'k.secre',
    'k.secret.',
    'k.secret.secret',
    'k. secret',
  ])
    t.is(await store.find('e', key, lifetimeMs), undefined, key);
  t.is(await expiryOf('k'), first);
  t.like(await store.findRow('e', 'k', lifetimeMs), list('one'));
});

test('a list stored without a secret is found by no key', async (t) => {
  const { store, db, kept } = await start(t);
  store.store('e', new Map([['k.secret', list('one')]]), lifetimeMs);
  await kept(1);
  await db.pool.query(`update lists set payload = (payload::jsonb - 'secret')::text`);
  for (const key of ['k', 'k.', 'k.undefined', 'k.secret'])
    t.is(await store.find('e', key, lifetimeMs), undefined);
});

test('a page finds a list that is still being stored', async (t) => {
  const { store, db } = await start(t);
  const holder = await db.pool.connect();
  await holder.query('begin; lock table lists in access exclusive mode');
  store.store('e', new Map([['k.secret', list('one')]]), lifetimeMs);
  const found = store.find('e', 'k.secret', lifetimeMs);
  await holder.query('rollback');
  holder.release();
  t.like(await found, list('one'));
});

test('a list is found while concurrent reads fail in an unavailable bucket', async (t) => {
  const { store, db, bucketCount, clock, kept } = await start(t);
  const rows = Array.from({ length: 20 }, (_, i) => `k${i}`);
  const lists = new Map(rows.map((row) => [`${row}.secret`, list(row)]));
  store.store('e', lists, lifetimeMs);
  await kept(rows.length);
  const away = store.bucketOf('e', 'k0');
  const isAway = (row: string) => store.bucketOf('e', row) === away;
  t.is(new Set(rows.map(isAway)).size, 2);
  const options = { bucketCount, clock: () => clock.nowMs, logger: createLogger('silent') };
  const other = createListStore({ db: withoutBucket(db, away), ...options });
  const found = await Promise.allSettled(rows.map((row) => other.find('e', `${row}.secret`, lifetimeMs)));
  for (const [i, { status }] of found.entries())
    t.is(status, isAway(rows[i]) ? 'rejected' : 'fulfilled', rows[i]);
});

test('while lists cannot be written, they get no expiry, and a sparing warning says so', async (t) => {
  const { db, bucketCount, clock } = await start(t);
  const told: string[] = [];
  const logger = { warn: (_: object, message: string) => void told.push(message) } as unknown as Logger;
  const store = createListStore({ db, bucketCount, clock: () => clock.nowMs, logger });
  const storeList = async (key: string) => {
    const expiresAtMs = store.store('e', new Map([[`${key}.secret`, list(key)]]), lifetimeMs);
    await store.find('e', `${key}.secret`, lifetimeMs).catch(() => undefined);
    return expiresAtMs;
  };
  await db.pool.query('alter table lists rename to elsewhere');
  const expiries = [await storeList('k'), await storeList('l')];
  await db.pool.query('alter table elsewhere rename to lists');
  expiries.push(await storeList('m'), await storeList('n'));
  const expiry = clock.nowMs + lifetimeMs;
  t.deepEqual(expiries, [expiry, undefined, undefined, expiry]);
  t.deepEqual([...new Set(told)], ['Answered lists could not be stored. They cannot be paged.']);
  t.like(await store.find('e', 'm.secret', lifetimeMs), list('m'));
});

test('a stop writes the lists that wait', async (t) => {
  const { store, db } = await start(t);
  for (const key of ['k', 'l']) {
    store.store('e', new Map([[`${key}.secret`, list(key)]]), lifetimeMs);
    await new Promise(setImmediate);
  }
  await store.stop();
  t.is((await db.pool.query('select from lists')).rowCount, 2);
});

test('a page does not fail if only the renewal of its list fails', async (t) => {
  const { store, clock, db, kept } = await start(t);
  store.store('e', new Map([['k.secret', list('one')]]), lifetimeMs);
  await kept(1);
  await db.pool.query(`
    create function refuse() returns trigger language plpgsql as $$ begin raise 'no renewal'; end $$;
    create trigger refused before update on lists for each row execute function refuse()`);
  clock.nowMs += lifetimeMs / 2;
  t.like(await store.find('e', 'k.secret', lifetimeMs), list('one'));
});

test('lists of concurrent requests are all kept', async (t) => {
  const { store } = await start(t);
  const keys = Array.from({ length: 1_200 }, (_, i) => `key ${i}.secret`);
  for (const key of keys) store.store('e', new Map([[key, list(key)]]), lifetimeMs);
  const found = await Promise.all(keys.map((key) => store.find('e', key, lifetimeMs)));
  t.deepEqual(
    found.map((one) => one?.listName),
    keys,
  );
});

test('a read renews a list once a tenth of its life has passed', async (t) => {
  const { store, clock, expiryOf } = await start(t);
  store.store('e', new Map([['k.secret', list('l')]]), lifetimeMs);
  const first = await expiryOf('k');
  clock.nowMs += lifetimeMs * 0.05;
  await store.find('e', 'k.secret', lifetimeMs);
  t.is(await expiryOf('k'), first);
  clock.nowMs += lifetimeMs * 0.1;
  await store.find('e', 'k.secret', lifetimeMs);
  t.is(await expiryOf('k'), clock.nowMs + lifetimeMs);
});

test('rows of a period are named for one bucket, and buckets take turns', async (t) => {
  const { store, clock, db, kept } = await start(t);
  store.store('e', new Map([['first.secret', list('first')]]), lifetimeMs);
  const bucketCount = await bucketCountOf(db);
  t.true(bucketCount > 1);
  const newName = createTimelyNames({ lists: store, draw: newAnswerId });
  const turns = times(bucketCount, () => {
    /** Occasionally no name of the bucket is drawn. */
    const names = times(20, () => newName('e')).filter((row) => store.bucketOf('e', row) === store.turn());
    clock.nowMs += 50;
    return names;
  });
  for (const rows of turns)
    store.store('e', new Map(rows.map((row) => [`${row}.secret`, list(row)])), lifetimeMs);
  const rowsKept = await kept(1 + turns.flat().length);
  const bucketOf = new Map(rowsKept.map(({ list_key, bucket }) => [list_key, bucket]));
  const buckets = turns.map((rows) => [...new Set(rows.map((row) => bucketOf.get(row)))]);
  t.true(turns.every(({ length }) => length > 1));
  t.true(buckets.every(({ length }) => length === 1));
  t.is(new Set(buckets.flat()).size, bucketCount);
});

test('long lists are written in statements of bounded size, and lists beyond the buffer are dropped', async (t) => {
  const db = await createTestDatabase(t);
  const bucketCount = await bucketCountOf(db);
  const sizes: number[] = [];
  let written = 0;
  /** Answers at once, because a slow disk would not take 67 MB before the store gives up. */
  const pool = poolOf(async ({ values: [, rows] }: { values: unknown[] }) => {
    sizes.push(String(rows).length);
    written += String(rows).split('recommendations').length - 1;
    return { rows: [], fields: [] };
  });
  const logger = createLogger('silent');
  const store = createListStore({ db: { ...db, pool }, bucketCount, clock: Date.now, logger });
  const megabyte: StoredList = { ...list('long'), items: [['x'.repeat(1_000_000), 'article']] };
  const stored = times(100, () => randomUUID()).filter((row) =>
    store.store('e', new Map([[`${row}.secret`, megabyte]]), lifetimeMs),
  );
  await store.stop();
  t.true(stored.length > 0 && stored.length <= 67, `${stored.length} of 100 lists were kept`);
  t.is(written, stored.length);
  t.true(Math.max(...sizes) < 4.5 * 1024 * 1024);
});
