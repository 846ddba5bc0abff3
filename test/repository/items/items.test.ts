import test from 'ava';
import { findHorizon, firstXid } from '../../../src/repository/change-feed.ts';
import {
  findItem,
  type ItemState,
  listChangedItems,
  listItems,
  setItemEnabled,
  streamItemStates,
  streamItems,
  touchItem,
  upsertItem,
  upsertItems,
} from '../../../src/repository/items/items.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

const key = (itemId: string) => ({ environment: 'shop', itemType: 'product', itemId });
const item = (itemId: string, title = itemId) => ({ ...key(itemId), document: { title } });

/** Writes an item in a transaction that stays open until `commit`. */
async function openWrite(db: TestDatabase, itemId: string): Promise<{ commit(): Promise<void> }> {
  const client = await db.pool.connect();
  await client.query('begin');
  await client.query(
    `insert into items (environment, item_type, item_id, document) values ('shop', 'product', $1, '{}')
     on conflict (environment, item_type, item_id) do update
     set revision = items.revision + 1, changed_xid = pg_current_xact_id()`,
    [itemId],
  );
  const commit = async () => {
    await client.query('commit');
    client.release();
  };
  return { commit };
}

const idsSince = async (db: TestDatabase, xid: string) => {
  const { rows } = await listChangedItems(db, xid);
  return rows.map((row) => row.itemId).sort();
};

/** Follows until nothing comes again: transactions of other tests on the same server hold the horizon back for a moment. */
async function settle(db: TestDatabase, sinceXid: string): Promise<string> {
  const { rows, horizonXid } = await listChangedItems(db, sinceXid);
  return rows.length === 0 ? horizonXid : settle(db, horizonXid);
}

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

test('an upsert replaces the document, takes the next revision and leaves the status alone', async (t) => {
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

test('a write may bring a status of its own', async (t) => {
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

test('bulk upserts of the same items in opposite orders do not wait for each other for ever', async (t) => {
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
  for await (const state of streamItemStates(db, environment)) states.push(state);
  return states;
}

test('a stream gives every item of an environment once', async (t) => {
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

test('a replica is given what it holds of every item, as it was sent', async (t) => {
  const db = await createTestDatabase(t);
  const document = { title: 'Späti "24/7"\n', price: 1.5, tags: ['\u2028', '\\'], nested: { list: [[]] } };
  await upsertItems(db, [
    { ...key('b'), document },
    { ...key("a'b"), document: {}, enabled: false },
    { ...key('c'), environment: "it's", document: {} },
  ]);
  await setItemEnabled(db, key('b'), true);
  t.deepEqual(await statesOf(db, 'shop'), [
    { ...key("a'b"), enabled: false, revision: 1, document: {} },
    { ...key('b'), enabled: true, revision: 2, document },
  ]);
  t.is((await statesOf(db, "it's")).length, 1);
  t.deepEqual(await statesOf(db, 'none'), []);
});

test('the first read of the change feed gives everything, a later one what has changed since', async (t) => {
  const db = await createTestDatabase(t);
  t.deepEqual((await listChangedItems(db, firstXid)).rows, []);
  await upsertItems(db, [item('a'), item('b')]);
  const { rows, horizonXid } = await listChangedItems(db, firstXid);
  t.is(rows.length, 2);
  const settled = await settle(db, horizonXid);
  await setItemEnabled(db, key('b'), false);
  t.deepEqual(await idsSince(db, settled), ['b']);
});

test('a change that began earlier and committed later than another is not lost', async (t) => {
  const db = await createTestDatabase(t);
  const start = await findHorizon(db);
  const early = await openWrite(db, 'early');
  const late = await openWrite(db, 'late');
  await late.commit();
  const { rows, horizonXid } = await listChangedItems(db, start);
  t.deepEqual(
    rows.map((row) => row.itemId),
    ['late'],
  );
  await early.commit();
  t.true((await idsSince(db, horizonXid)).includes('early'));
});

test('a long transaction delays nobody else’s change and is itself seen at its end', async (t) => {
  const db = await createTestDatabase(t);
  const long = await openWrite(db, 'long');
  let { horizonXid } = await listChangedItems(db, firstXid);
  for (const itemId of ['a', 'b', 'c']) {
    await upsertItem(db, item(itemId));
    const changes = await listChangedItems(db, horizonXid);
    t.true(changes.rows.some((row) => row.itemId === itemId));
    horizonXid = changes.horizonXid;
  }
  await long.commit();
  t.true((await idsSince(db, horizonXid)).includes('long'));
  t.truthy(await settle(db, horizonXid));
});

test('an item written twice keeps its highest revision last, also when its transaction waited', async (t) => {
  const db = await createTestDatabase(t);
  await upsertItem(db, item('a'));
  const open = await openWrite(db, 'a');
  const { horizonXid } = await listChangedItems(db, firstXid);
  const waiting = upsertItem(db, item('a', 'after'));
  await open.commit();
  t.is((await waiting).revision, 3);
  const { rows } = await listChangedItems(db, horizonXid);
  t.like(rows[0], { revision: 3, document: { title: 'after' } });
});
