/** Histories of unrecorded subjects are not read. */

import test, { type ExecutionContext } from 'ava';
import { createTestDatabase, type TestDatabase } from '../../../support/database.ts';
import { aggregateAll, commitEvents } from '../../../support/events.ts';
import {
  aggregateOwn,
  createReadingNode,
  loseAnswer,
  type ReadingNode,
  view,
} from '../../../support/reading-node.ts';

const knowsPeople = true;

/** A node that has read the keys of all histories. */
async function startKnowing(t: ExecutionContext, fill?: (db: TestDatabase) => Promise<unknown>) {
  const db = await createTestDatabase(t);
  await fill?.(db);
  const node = await createReadingNode(db, 1, { knowsPeople });
  await node.look();
  return { db, node };
}

/** Returns a device's history, and whether it was read from the database. */
async function readOf(node: ReadingNode, deviceId: string) {
  const before = node.askedCount();
  const items = await node.itemsOf({ deviceId });
  return { items, isAsked: node.askedCount() > before };
}

const nothing = { items: [], isAsked: false };

test('only recorded devices and users are read', async (t) => {
  const { node } = await startKnowing(t, async (db) => {
    await commitEvents(db, [view('a', { deviceId: 'd', userId: 'ann' })], { lane: 2 });
    await aggregateAll(db);
  });
  t.deepEqual(await readOf(node, 'stranger'), nothing);
  t.deepEqual(await readOf(node, 'd'), { items: ['a'], isAsked: true });
  t.deepEqual(await node.itemsOf({ deviceId: 'stranger', userId: 'ann' }), ['a']);
  t.true(node.lacks('shop', { userId: 'bob' }));
  t.true(node.lacks('other shop', { deviceId: 'd', userId: 'ann' }), 'environments are apart');
});

test('no subject is unrecorded before all keys are read', async (t) => {
  const db = await createTestDatabase(t);
  const node = await createReadingNode(db, 1, { knowsPeople });
  t.false(node.lacks('shop', { deviceId: 'd' }));
  const people = Array.from({ length: 30_000 }, (_, i) => view('a', { deviceId: `d${i}` }));
  await commitEvents(db, people, { lane: 2 });
  await aggregateAll(db);
  await node.look();
  t.false(node.lacks('shop', { deviceId: 'stranger' }), 'a look reads 20,000 of them');
  await node.look();
  t.true(node.lacks('shop', { deviceId: 'stranger' }));
  t.false(people.some(({ deviceId }) => node.lacks('shop', { deviceId })));
});

test('the first event of a subject is in its history at once and after aggregation', async (t) => {
  const { db, node } = await startKnowing(t);
  t.deepEqual(await readOf(node, 'd'), nothing);
  await node.commit([view('a', { deviceId: 'd' })]);
  t.deepEqual(await node.itemsOf({ deviceId: 'd' }), ['a']);
  t.deepEqual(await readOf(node, 'e'), nothing);
  await node.commit([view('b', { deviceId: 'e' })]);
  await aggregateOwn(db, node);
  t.deepEqual(await node.itemsOf({ deviceId: 'e' }), ['b']);
  await node.look();
  t.deepEqual(await node.itemsOf({ deviceId: 'e' }), ['b']);
  t.deepEqual(await readOf(node, 'stranger'), nothing);
});

test('an event of another node is read after a poll, and other subjects stay unrecorded', async (t) => {
  const { db, node } = await startKnowing(t);
  const other = await createReadingNode(db, 2, { knowsPeople });
  await other.commit([view('a', { deviceId: 'd', userId: 'ann' })]);
  await aggregateOwn(db, other);
  await node.look();
  t.deepEqual(await node.itemsOf({ deviceId: 'd' }), ['a']);
  t.deepEqual(await node.itemsOf({ userId: 'ann' }), ['a']);
  t.deepEqual(await readOf(node, 'stranger'), nothing, 'though others are at work');
  await other.commit([view('b', { deviceId: 'e' })]);
  await node.look();
  await aggregateOwn(db, other);
  t.deepEqual(await node.itemsOf({ deviceId: 'e' }), ['b'], 'it was stored before the look');
});

test('events pending when the keys were read are read after their aggregation', async (t) => {
  const { db, node } = await startKnowing(t, async (db) => {
    await commitEvents(db, [view('a', { deviceId: 'd' })], { lane: 2 });
  });
  t.deepEqual(await readOf(node, 'stranger'), nothing);
  await aggregateAll(db);
  t.deepEqual(await node.itemsOf({ deviceId: 'd' }), ['a']);
});

test('a node without a recent poll reads all histories', async (t) => {
  const db = await createTestDatabase(t);
  const node = await createReadingNode(db, 1, { knowsPeople, longestBlindMs: 100 });
  await node.look();
  await new Promise((resolve) => setTimeout(resolve, 150));
  t.true((await readOf(node, 'stranger')).isAsked);
});

const crowd = (count: number) => Array.from({ length: count }, (_, i) => view('a', { deviceId: `d${i}` }));

const isStranger = (node: ReadingNode) => node.lacks('shop', { deviceId: 'stranger' });

test('a node that lags behind reads all histories until it has caught up', async (t) => {
  const { db, node } = await startKnowing(t);
  await commitEvents(db, crowd(4_100), { lane: 2 });
  for (let list = 0; list < 1_000; list++) isStranger(node);
  await node.look();
  t.false(isStranger(node), 'a look reads 4,000 of them at most');
  await node.look();
  t.true(isStranger(node));
  t.false(crowd(4_100).some(({ deviceId }) => node.lacks('shop', { deviceId })));
});

test('a node reads events of others in proportion to its lookups', async (t) => {
  const { db, node } = await startKnowing(t);
  await commitEvents(db, crowd(1_000), { lane: 2 });
  await node.look();
  t.false(isStranger(node), '400 and 40 for each of its questions');
  for (let list = 0; list < 20; list++) isStranger(node);
  await node.look();
  t.true(isStranger(node));
});

test('a node that is too far behind reads all keys again, but not at once', async (t) => {
  const { db, node } = await startKnowing(t);
  const hasty = await createReadingNode(db, 3, { knowsPeople, leastRestMs: 0 });
  await hasty.look();
  await commitEvents(db, crowd(20_001), { lane: 2 });
  await aggregateAll(db);
  for (let look = 0; look < 10; look++) await Promise.all([node.look(), hasty.look()]);
  t.false(node.lacks('shop', { deviceId: 'stranger' }));
  t.true(hasty.lacks('shop', { deviceId: 'stranger' }));
  t.false(crowd(20_001).some(({ deviceId }) => hasty.lacks('shop', { deviceId })));
});

test('a node’s own pending events do not make other subjects recorded', async (t) => {
  const { node } = await startKnowing(t);
  await node.commit(crowd(20_001));
  await node.look();
  t.true(node.lacks('shop', { deviceId: 'stranger' }));
  t.false(crowd(20_001).some(({ deviceId }) => node.lacks('shop', { deviceId })));
});

test('after events with a lost response, all histories are read', async (t) => {
  const { db, node } = await startKnowing(t);
  await node.look();
  t.true(node.lacks('shop', { deviceId: 'd' }));
  await t.throwsAsync(loseAnswer(db, [view('a', { deviceId: 'd' })]));
  await node.look();
  await node.look();
  await aggregateAll(db);
  t.deepEqual(await node.itemsOf({ deviceId: 'd' }), ['a']);
});

test('after the node aggregates unknown events of its lane, all histories are read', async (t) => {
  const { node } = await startKnowing(t);
  await node.commit([view('a', { deviceId: 'd' })]);
  t.true(isStranger(node));
  node.pending.noteOthers(2);
  t.true(isStranger(node), 'what it aggregates for others it follows');
  node.pending.noteOthers(1);
  t.false(isStranger(node));
});

test('after a change of the database, all histories are read', async (t) => {
  const { db, node } = await startKnowing(t, (filled) => commitEvents(filled, crowd(10), { lane: 2 }));
  await aggregateAll(db);
  await node.look();
  t.true(node.lacks('shop', { deviceId: 'stranger' }));
  await db.pool.query(`update feeds set last = 0 where feed = 'events' and lane = 2`);
  await node.look();
  t.false(node.lacks('shop', { deviceId: 'stranger' }));
});
