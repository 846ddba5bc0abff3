import test from 'ava';
import type pg from 'pg';
import { bucketCountOf, bucketOf } from '../../../src/repository/buckets.ts';
import {
  findItem,
  type ItemRow,
  type ItemState,
  listChangedItems,
  listItemFeedEnds,
  listItems,
  setItemEnabled,
  streamItemStates,
  streamItems,
  touchItem,
  upsertItems,
} from '../../../src/repository/items/items.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { upsertItem } from '../../support/items.ts';
import { poolOf } from '../../support/pool-of.ts';

const environments = ['shop'];

const key = (itemId: string) => ({ environment: 'shop', itemType: 'product', itemId });
const item = (itemId: string, title = itemId) => ({ ...key(itemId), document: { title } });

/** The first ids that share the bucket of the first one, and the first that does not. */
async function findIds(db: TestDatabase, count: number): Promise<{ same: string[]; other: string }> {
  const bucketCount = await bucketCountOf(db);
  const ids = Array.from({ length: 100 }, (_, i) => `item-${i}`);
  const bucketOfId = (itemId: string) => bucketOf(bucketCount, 'shop', 'product', itemId);
  const same = ids.filter((itemId) => bucketOfId(itemId) === bucketOfId(ids[0])).slice(0, count);
  return { same, other: ids.find((itemId) => bucketOfId(itemId) !== bucketOfId(ids[0]))! };
}

/** Runs work in a transaction that stays open until `end`. */
async function openTransaction(db: TestDatabase, work: (db: TestDatabase) => Promise<unknown>) {
  const client = await db.pool.connect();
  await client.query('begin');
  await work({ ...db, pool: poolOf((statement: pg.QueryConfig) => client.query(statement)) });
  const end = async (how: 'commit' | 'rollback') => {
    await client.query(how);
    client.release();
  };
  return { end };
}

const placesOf = (rows: ItemRow[]) => rows.map(({ bucket, number }) => [bucket, number]);
const idsOf = (rows: ItemRow[]) => rows.map(({ itemId }) => itemId);

/** Lists the changes after a number in a bucket. */
const changesAfter = (db: TestDatabase, bucket: number, sinceNumber: number, limit = 100) =>
  listChangedItems(db, { bucket, environments, sinceNumber, known: [], limit });

test('a new item is enabled and has revision 1', async (t) => {
  const db = await createTestDatabase(t);
  const row = await upsertItem(db, item('a', 'Sofa'));
  t.like(row, { ...key('a'), document: { title: 'Sofa' }, enabled: true, revision: 1 });
  t.deepEqual(await findItem(db, key('a')), row);
});

test('an unknown item is not found, touched, enabled or disabled', async (t) => {
  const db = await createTestDatabase(t);
  t.is(await findItem(db, key('a')), undefined);
  t.is(await touchItem(db, key('a')), undefined);
  t.is(await setItemEnabled(db, key('a'), false), undefined);
});

test('an upsert replaces the document, increments the revision and keeps the status', async (t) => {
  const db = await createTestDatabase(t);
  await upsertItem(db, item('a', 'Sofa'));
  t.like(await setItemEnabled(db, key('a'), false), { enabled: false, revision: 2 });
  t.like(await upsertItem(db, item('a', 'Couch')), {
    document: { title: 'Couch' },
    enabled: false,
    revision: 3,
  });
  t.like(await touchItem(db, key('a')), { document: { title: 'Couch' }, enabled: false, revision: 4 });
});

test('a bulk upsert answers in the order given and stores the last of equal keys', async (t) => {
  const db = await createTestDatabase(t);
  const rows = await upsertItems(db, [item('b'), item('a', 'first'), item('c'), item('a', 'last')]);
  t.deepEqual(
    rows.map((row) => [row.itemId, (row.document as { title: string }).title]),
    [
      ['b', 'b'],
      ['a', 'last'],
      ['c', 'c'],
      ['a', 'last'],
    ],
  );
  t.is((await findItem(db, key('a')))?.revision, 1);
  t.deepEqual(await upsertItems(db, []), []);
});

test('a write may set the status', async (t) => {
  const db = await createTestDatabase(t);
  await upsertItems(db, [{ ...item('a'), enabled: false }, item('b')]);
  const rows = await upsertItems(db, [
    { ...item('b'), enabled: false },
    item('a'),
    { ...item('c'), enabled: true },
  ]);
  t.deepEqual(
    rows.map((row) => [row.itemId, row.enabled, row.revision]),
    [
      ['b', false, 2],
      ['a', false, 2],
      ['c', true, 1],
    ],
  );
});

test('bulk upserts of the same items in opposite orders do not deadlock', async (t) => {
  const db = await createTestDatabase(t);
  const items = Array.from({ length: 500 }, (_, index) => item(`item-${index}`));
  const rounds = Array.from({ length: 6 }, (_, round) => (round % 2 ? items : items.toReversed()));
  await Promise.all(rounds.map((round) => upsertItems(db, round)));
  t.is((await findItem(db, key('item-7')))?.revision, 6);
});

test('a document keeps its text: order of fields, large numbers, any character', async (t) => {
  const db = await createTestDatabase(t);
  const document = { z: 1, a: { '2': 'b', '1': 'ü\u0000\ud83d\ude00' }, price: 12345678.25 };
  await upsertItem(db, { ...key('a'), document });
  const stored = (await findItem(db, key('a')))?.document;
  t.is(JSON.stringify(stored), JSON.stringify(document));
});

test('a listing goes page by page through one environment, optionally one type', async (t) => {
  const db = await createTestDatabase(t);
  await upsertItems(
    db,
    ['a', 'b', 'c'].map((itemId) => item(itemId)),
  );
  await upsertItem(db, { ...item('d'), itemType: 'article' });
  await upsertItem(db, { ...item('e'), environment: 'news' });
  const first = await listItems(db, { environment: 'shop', limit: 2 });
  t.deepEqual(
    first.map((row) => row.itemId),
    ['d', 'a'],
  );
  const second = await listItems(db, { environment: 'shop', after: first[1], limit: 5 });
  t.deepEqual(
    second.map((row) => row.itemId),
    ['b', 'c'],
  );
  const articles = await listItems(db, { environment: 'shop', itemType: 'article', limit: 5 });
  t.deepEqual(
    articles.map((row) => row.itemId),
    ['d'],
  );
});

async function statesOf(db: TestDatabase, environment: string): Promise<ItemState[]> {
  const states: ItemState[] = [];
  for await (const some of streamItemStates(db, environment)) states.push(...some);
  return states;
}

test('a stream yields every item of an environment once', async (t) => {
  const db = await createTestDatabase(t);
  const ids = Array.from({ length: 5_003 }, (_, index) => `item-${String(index).padStart(5, '0')}`);
  await upsertItems(
    db,
    ids.map((itemId) => item(itemId)),
  );
  const streamed: string[] = [];
  for await (const rows of streamItems(db, 'shop')) streamed.push(...rows.map((row) => row.itemId));
  t.deepEqual(streamed, ids);
});

test('a stream yields batches of bounded size, also when large items follow thousands of small ones', async (t) => {
  const db = await createTestDatabase(t);
  const document = { text: 'x'.repeat(200_000) };
  const small = Array.from({ length: 2_000 }, (_, index) => item(`a-${index}`));
  const large = Array.from({ length: 200 }, (_, index) => ({ ...item(`b-${index}`), document }));
  await upsertItems(db, [...small, ...large]);
  const streamed: string[] = [];
  for await (const rows of streamItems(db, 'shop')) {
    t.true(JSON.stringify(rows.map((row) => row.document)).length < 16_500_000);
    streamed.push(...rows.map(({ itemId }) => itemId));
  }
  t.deepEqual(streamed, [...small, ...large].map(({ itemId }) => itemId).sort());
});

test('a replica gets every item once, small and large ones, during concurrent writes', async (t) => {
  const db = await createTestDatabase(t);
  const large = { text: 'x'.repeat(200_000) };
  /** Large ones among and after thousands of small ones. */
  const documentOf = (index: number) => (index % 40 === 39 || index >= 2_400 ? large : {});
  const ids = Array.from({ length: 2_600 }, (_, index) => `item-${String(index).padStart(5, '0')}`);
  await upsertItems(
    db,
    ids.map((itemId, index) => ({ ...item(itemId), document: documentOf(index) })),
  );
  const streamed: string[] = [];
  for await (const states of streamItemStates(db, 'shop')) {
    if (streamed.length === 0) await upsertItem(db, item('item-00000x'));
    streamed.push(...states.map(({ itemId }) => itemId));
  }
  t.deepEqual(streamed.filter((itemId) => itemId !== 'item-00000x').sort(), ids);
});

test('a replica that stops reading releases its connection', async (t) => {
  const db = await createTestDatabase(t);
  await upsertItems(
    db,
    Array.from({ length: 2_000 }, (_, index) => item(`item-${index}`)),
  );
  for await (const _ of streamItemStates(db, 'shop')) break;
  t.is(db.pool.idleCount, db.pool.totalCount);
  await db.pool.query('alter table items rename to gone');
  await t.throwsAsync(async () => {
    for await (const _ of streamItemStates(db, 'shop'));
  });
});

test('a replica gets the fields it holds of every item, as they were sent', async (t) => {
  const db = await createTestDatabase(t);
  const document = { title: 'Späti "24/7"\n', price: 1.5, tags: ['\u2028', '\\'], nested: { list: [[]] } };
  await upsertItems(db, [
    { ...key('b'), document },
    { ...key("a'b"), document: {}, enabled: false },
    { ...key('c'), environment: "it's", document: {} },
  ]);
  await setItemEnabled(db, key('b'), true);
  const stored = await Promise.all([findItem(db, key("a'b")), findItem(db, key('b'))]);
  t.deepEqual(
    (await statesOf(db, 'shop')).toSorted((a, b) => (a.itemId < b.itemId ? -1 : 1)),
    stored.map((row) => {
      const { createdAt, updatedAt, ...state } = row!;
      return state;
    }),
  );
  t.like(stored, [
    { enabled: false, revision: 1 },
    { enabled: true, revision: 2 },
  ]);
  t.is((await statesOf(db, "it's")).length, 1);
  t.deepEqual(await statesOf(db, 'none'), []);
});

test('each write takes the next number of its bucket, and an item has that of its last write', async (t) => {
  const db = await createTestDatabase(t);
  const { same, other } = await findIds(db, 3);
  t.deepEqual(await listItemFeedEnds(db), []);
  const rows = await upsertItems(
    db,
    [...same, other].map((itemId) => item(itemId)),
  );
  const [{ bucket }] = rows;
  const elsewhere = rows[3].bucket;
  t.deepEqual(placesOf(rows), [
    [bucket, 1],
    [bucket, 2],
    [bucket, 3],
    [elsewhere, 1],
  ]);
  t.like(await setItemEnabled(db, key(same[0]), false), { bucket, number: 4 });
  t.like(await touchItem(db, key(same[1])), { bucket, number: 5 });
  t.is(await touchItem(db, { ...key(same[1]), environment: 'news' }), undefined);
  t.deepEqual(placesOf(await upsertItems(db, [item(same[1]), item(same[1], 'again')])), [
    [bucket, 6],
    [bucket, 6],
  ]);
  t.deepEqual(await changesAfter(db, bucket, 0), [
    (await findItem(db, key(same[2])))!,
    (await findItem(db, key(same[0])))!,
    (await findItem(db, key(same[1])))!,
  ]);
  t.deepEqual(idsOf(await changesAfter(db, bucket, 4)), [same[1]]);
  const ends = (await listItemFeedEnds(db)).map(({ bucket, lane, last }) => [bucket, lane, last]);
  t.deepEqual(
    ends,
    [
      [bucket, 0, 6],
      [elsewhere, 0, 1],
    ].toSorted(([a], [b]) => a - b),
  );
});

test('changes are read page by page, and numbers the follower has are skipped', async (t) => {
  const db = await createTestDatabase(t);
  const { same } = await findIds(db, 5);
  const [{ bucket }] = await upsertItems(
    db,
    same.map((itemId) => item(itemId)),
  );
  t.deepEqual(idsOf(await changesAfter(db, bucket, 0, 2)), same.slice(0, 2));
  t.deepEqual(idsOf(await changesAfter(db, bucket, 2, 2)), same.slice(2, 4));
  t.deepEqual(idsOf(await changesAfter(db, bucket, 4, 2)), same.slice(4));
  const others = await listChangedItems(db, {
    bucket,
    environments,
    sinceNumber: 1,
    known: [3, 5, 9],
    limit: 2,
  });
  t.deepEqual(idsOf(others), [same[1], same[3]]);
  await upsertItem(db, item(same[2], 'changed elsewhere'));
  const again = await listChangedItems(db, { bucket, environments, sinceNumber: 1, known: [3, 5], limit: 9 });
  t.deepEqual(idsOf(again), [same[1], same[3], same[2]]);
});

test('an open foreign transaction hides nothing and repeats nothing', async (t) => {
  const db = await createTestDatabase(t);
  const { same, other } = await findIds(db, 2);
  const foreign = await openTransaction(db, ({ pool }) =>
    pool.query(`insert into settings (key, value) values ('foreign', '1')`),
  );
  const writing = await openTransaction(db, (on) => upsertItem(on, item(other)));
  const [{ bucket }] = await upsertItems(db, [item(same[0])]);
  t.deepEqual(idsOf(await changesAfter(db, bucket, 0)), same.slice(0, 1));
  await upsertItem(db, item(same[1]));
  t.deepEqual(idsOf(await changesAfter(db, bucket, 1)), same.slice(1));
  t.deepEqual(await changesAfter(db, bucket, 2), []);
  await writing.end('commit');
  await foreign.end('commit');
  t.deepEqual(await changesAfter(db, bucket, 2), []);
  t.is((await findItem(db, key(other)))?.number, 1);
});

test('a later writer waits for an earlier one, so numbers are in the order of commit', async (t) => {
  const db = await createTestDatabase(t);
  const { same } = await findIds(db, 2);
  const first = await openTransaction(db, (on) => upsertItem(on, item(same[0])));
  const second = upsertItem(db, item(same[1]));
  await first.end('commit');
  const { bucket, number } = await second;
  t.is(number, 2);
  t.deepEqual(idsOf(await changesAfter(db, bucket, 0)), same);
  const undone = await openTransaction(db, (on) => upsertItem(on, item(same[0], 'undone')));
  const kept = upsertItem(db, item(same[1], 'kept'));
  await undone.end('rollback');
  t.is((await kept).number, 3);
  t.deepEqual(idsOf(await changesAfter(db, bucket, 2)), same.slice(1));
});

test('an item that two transactions write has the revision of the later one', async (t) => {
  const db = await createTestDatabase(t);
  await upsertItem(db, item('a'));
  const open = await openTransaction(db, (on) => setItemEnabled(on, key('a'), false));
  const waiting = upsertItem(db, item('a', 'after'));
  await open.end('commit');
  t.like(await waiting, { revision: 3, number: 3, enabled: false });
  t.like(await changesAfter(db, (await waiting).bucket, 0), [{ revision: 3, document: { title: 'after' } }]);
});

test('changes of other environments are skipped', async (t) => {
  const db = await createTestDatabase(t);
  const elsewhere = await upsertItem(db, { ...item('a'), environment: 'news' });
  t.deepEqual(await changesAfter(db, elsewhere.bucket, 0), []);
});
