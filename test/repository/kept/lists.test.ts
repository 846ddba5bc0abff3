import test from 'ava';
import type pg from 'pg';
import { listBuckets } from '../../../src/repository/buckets.ts';
import {
  deleteExpiredLists,
  findLists,
  insertLists,
  renewLists,
} from '../../../src/repository/kept/lists.ts';
import { createTestDatabase } from '../../support/database.ts';
import { poolOf } from '../../support/pool-of.ts';

const minutes = (count: number) => new Date(Date.now() + count * 60_000);
const key = (listKey: string) => ({ environment: 'shop', listKey });
const list = (listKey: string, expiresAt: Date, payload = `payload of ${listKey}`) => ({
  ...key(listKey),
  expiresAt,
  payload,
});

test('lists are found in the order of the keys; unknown, foreign and expired keys are absent', async (t) => {
  const db = await createTestDatabase(t);
  const a = list('a', minutes(5));
  const b = list('b', minutes(5), 'x'.repeat(20_000));
  await insertLists(db, [a, b, list('old', minutes(-1)), { ...list('c', minutes(5)), environment: 'news' }]);
  const found = await findLists(db, ['b', 'unknown', 'old', 'c', 'a', 'a'].map(key));
  t.deepEqual(found, [b, undefined, undefined, undefined, a, a]);
});

test('no lists need no statement', async (t) => {
  const db = await createTestDatabase(t);
  await insertLists(db, []);
  await renewLists(db, [], minutes(1));
  t.deepEqual(await findLists(db, []), []);
});

test('a list of a known key replaces it, and the last of equal keys counts', async (t) => {
  const db = await createTestDatabase(t);
  await insertLists(db, [list('a', minutes(5), 'first')]);
  await insertLists(db, [list('a', minutes(5), 'second'), list('a', minutes(5), 'third')]);
  t.is((await findLists(db, [key('a')]))[0]?.payload, 'third');
});

test('a renewal extends lists that have not expired, shortens none and revives none', async (t) => {
  const db = await createTestDatabase(t);
  const [living, longer] = [list('living', minutes(5)), list('longer', minutes(60))];
  await insertLists(db, [living, longer, list('old', minutes(-1))]);
  const until = minutes(30);
  await renewLists(db, ['old', 'living', 'longer', 'unknown'].map(key), until);
  const found = await findLists(db, ['old', 'living', 'longer'].map(key));
  t.deepEqual(
    found.map((row) => row?.expiresAt),
    [undefined, until, longer.expiresAt],
  );
});

test('expired lists of a bucket are deleted within the limit', async (t) => {
  const db = await createTestDatabase(t);
  const old = Array.from({ length: 60 }, (_, i) => list(`old-${i}`, minutes(-1 - i)));
  await insertLists(db, [...old, list('c', minutes(5))]);
  let deleted = 0;
  for (const bucket of await listBuckets(db)) {
    t.is(await deleteExpiredLists(db, bucket, 1), 1);
    const others = await deleteExpiredLists(db, bucket, 30);
    t.is(await deleteExpiredLists(db, bucket, 30), 0);
    deleted += 1 + others;
  }
  t.is(deleted, old.length);
  t.truthy((await findLists(db, [key('c')]))[0]);
});

test('settings for writing lists do not affect later statements of the connection', async (t) => {
  const db = await createTestDatabase(t);
  const client = await db.pool.connect();
  t.teardown(() => client.release());
  const onThisConnection = { ...db, pool: poolOf((statement: pg.QueryConfig) => client.query(statement)) };
  await insertLists(onThisConnection, [list('a', minutes(5))]);
  await renewLists(onThisConnection, [key('a')], minutes(9));
  const { rows } = await client.query('show synchronous_commit');
  t.is(rows[0].synchronous_commit, 'on');
});
