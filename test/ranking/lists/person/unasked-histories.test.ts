/** Histories that are given again without asking the database. */

import test, { type ExecutionContext } from 'ava';
import { DomainError } from '../../../../src/errors.ts';
import { bucketOf } from '../../../../src/repository/buckets.ts';
import { createTestDatabase } from '../../../support/database.ts';
import { aggregateAll } from '../../../support/events.ts';
import { fc } from '../../../support/properties.ts';
import {
  aggregateOwn,
  createReadingNode,
  loseAnswer,
  view,
  type Who,
} from '../../../support/reading-node.ts';

async function startQuiet(t: ExecutionContext) {
  const db = await createTestDatabase(t);
  const node = await createReadingNode(db, 1);
  const readTwice = async () => {
    await node.itemsOf({ deviceId: 'd' });
    const before = node.askedCount();
    await node.itemsOf({ deviceId: 'd' });
    return node.askedCount() - before;
  };
  await node.look();
  await node.look();
  return { db, node, readTwice };
}

test('nobody is asked again for a history while others are quiet', async (t) => {
  const { node, readTwice } = await startQuiet(t);
  t.is(await readTwice(), 0);
  await node.commit([view('a', { deviceId: 'd' })]);
  t.deepEqual(await node.itemsOf({ deviceId: 'd' }), ['a']);
  await node.aggregation.catchUp();
  t.deepEqual(await node.itemsOf({ deviceId: 'd' }), ['a']);
  t.is(await readTwice(), 0);
});

test('before others were looked at, and for long after, every history is asked for', async (t) => {
  const db = await createTestDatabase(t);
  const node = await createReadingNode(db, 1, { longestBlindMs: 100 });
  await node.itemsOf({ deviceId: 'd' });
  await node.itemsOf({ deviceId: 'd' });
  t.is(node.askedCount(), 2);
  await node.look();
  await node.look();
  await node.itemsOf({ deviceId: 'd' });
  await new Promise((resolve) => setTimeout(resolve, 150));
  await node.itemsOf({ deviceId: 'd' });
  t.is(node.askedCount(), 4);
});

test('what another node stores is read when it is aggregated and this one has looked', async (t) => {
  const { db, node } = await startQuiet(t);
  const other = await createReadingNode(db, 2);
  t.deepEqual(await node.itemsOf({ deviceId: 'd' }), []);
  await other.commit([view('a', { deviceId: 'd' })]);
  await node.look();
  t.deepEqual(await node.itemsOf({ deviceId: 'd' }), []);
  await aggregateOwn(db, other);
  await node.look();
  t.deepEqual(await node.itemsOf({ deviceId: 'd' }), ['a']);
  await node.look();
  await node.itemsOf({ deviceId: 'd' });
  const before = node.askedCount();
  t.deepEqual(await node.itemsOf({ deviceId: 'd' }), ['a']);
  t.is(node.askedCount(), before);
});

test('what a node leaves to others while it looks is read when they have aggregated it', async (t) => {
  const { db, node } = await startQuiet(t);
  t.deepEqual(await node.itemsOf({ deviceId: 'd' }), []);
  await node.lookBeside(async () => {
    await node.commit([view('a', { deviceId: 'd' })]);
    for (let bucket = 0; bucket < 4; bucket++) node.pending.drop(bucket);
  });
  await aggregateAll(db);
  await node.look();
  t.deepEqual(await node.itemsOf({ deviceId: 'd' }), ['a']);
});

test('whoever is somebody else’s device from now on has their history', async (t) => {
  const { node } = await startQuiet(t);
  await node.commit([view('a', { userId: 'ann' })]);
  await node.aggregation.catchUp();
  t.deepEqual(await node.itemsOf({ deviceId: 'd' }), []);
  await node.commit([view('b', { deviceId: 'd', userId: 'ann' })]);
  t.deepEqual((await node.itemsOf({ deviceId: 'd' })).sort(), ['a', 'b']);
  await node.aggregation.catchUp();
  t.deepEqual((await node.itemsOf({ deviceId: 'd' })).sort(), ['a', 'b']);
  await node.commit([view('c', { userId: 'ann' })]);
  await node.aggregation.catchUp();
  t.deepEqual((await node.itemsOf({ deviceId: 'd' })).sort(), ['a', 'b', 'c']);
});

test('who is forgotten is asked for again, and so is a device that was theirs', async (t) => {
  const { db, node } = await startQuiet(t);
  await node.commit([view('a', { deviceId: 'd', userId: 'ann' })]);
  await node.aggregation.catchUp();
  t.deepEqual(await node.itemsOf({ deviceId: 'd' }), ['a']);
  await db.pool.query('delete from histories');
  t.deepEqual(await node.itemsOf({ deviceId: 'd' }), ['a']);
  for (const forget of node.forgetting) forget((_, subject) => subject === 'u:ann');
  t.deepEqual(await node.itemsOf({ deviceId: 'd' }), []);
});

test('what is read for a request that is not to be stored makes no older copy right', async (t) => {
  const { node } = await startQuiet(t);
  t.deepEqual(await node.itemsOf({ deviceId: 'd' }), []);
  await node.commit([view('a', { deviceId: 'd' })]);
  await node.aggregation.catchUp();
  t.deepEqual(await node.itemsOf({ deviceId: 'd' }, 'shop', true), ['a']);
  t.deepEqual(await node.itemsOf({ deviceId: 'd' }), ['a']);
});

test('what was left to be aggregated by others is waited for', async (t) => {
  const { node } = await startQuiet(t);
  await node.commit([view('a', { deviceId: 'd' })]);
  for (let bucket = 0; bucket < 4; bucket++) node.pending.drop(bucket);
  await node.look();
  await node.look();
  t.deepEqual(await node.itemsOf({ deviceId: 'd' }), []);
  await node.aggregation.catchUp();
  await node.look();
  t.deepEqual(await node.itemsOf({ deviceId: 'd' }), ['a']);
});

/** As a crash of the database server leaves them when it loses the last aggregates. */
const asBeforeAggregation = 'truncate histories, folded';

test('what a crash of the server takes back is read when it is aggregated again', async (t) => {
  const { db, node } = await startQuiet(t);
  await node.commit([view('a', { deviceId: 'd' })]);
  await node.aggregation.catchUp();
  await db.pool.query(asBeforeAggregation);
  await node.look();
  t.deepEqual(await node.itemsOf({ deviceId: 'd' }), []);
  await aggregateAll(db);
  await node.look();
  t.deepEqual(await node.itemsOf({ deviceId: 'd' }), ['a']);
});

test('what a crash of the server takes back while nobody can look is read when it is aggregated again', async (t) => {
  const { db, node } = await startQuiet(t);
  await node.commit([view('a', { deviceId: 'd' })]);
  await node.aggregation.catchUp();
  const isAway = () => Promise.reject(new Error('The server is away.'));
  await t.throwsAsync(node.lookBeside(isAway), { instanceOf: DomainError });
  await db.pool.query(asBeforeAggregation);
  t.deepEqual(await node.itemsOf({ deviceId: 'd' }), []);
  await aggregateAll(db);
  await node.lookBeside(async () => undefined);
  t.deepEqual(await node.itemsOf({ deviceId: 'd' }), ['a']);
});

test('events whose answer was lost are read when this node has aggregated them', async (t) => {
  const { db, node } = await startQuiet(t);
  await t.throwsAsync(loseAnswer(db, [view('a', { deviceId: 'd' })]), { instanceOf: DomainError });
  t.deepEqual(await node.itemsOf({ deviceId: 'd' }), []);
  await node.commit([view('b', { deviceId: 'e' })]);
  await node.aggregation.catchUp();
  t.deepEqual(await node.itemsOf({ deviceId: 'd' }), ['a']);
});

test('events whose answer was lost are read when another node has aggregated them', async (t) => {
  const { db, node } = await startQuiet(t);
  await t.throwsAsync(loseAnswer(db, [view('a', { deviceId: 'd' })]), { instanceOf: DomainError });
  await node.look();
  t.deepEqual(await node.itemsOf({ deviceId: 'd' }), []);
  await aggregateAll(db);
  await node.look();
  t.deepEqual(await node.itemsOf({ deviceId: 'd' }), ['a']);
});

test('nobody is asked again for what was lost once and is aggregated, while events without ids go on', async (t) => {
  const { db, node } = await startQuiet(t);
  const ids = Array.from({ length: 100 }, (_, i) => `id ${i}`);
  const elsewhere = ids.find((id) => bucketOf(4, 'shop', id) !== 1);
  const lost = { ...view('a', { deviceId: 'd' }), eventId: elsewhere };
  await t.throwsAsync(loseAnswer(db, [lost]), { instanceOf: DomainError });
  await node.look();
  await aggregateAll(db);
  await node.look();
  await node.commit([view('b', { deviceId: 'e' })]);
  await node.look();
  await node.look();
  t.deepEqual(await node.itemsOf({ deviceId: 'd' }), ['a']);
  const before = node.askedCount();
  await node.look();
  t.deepEqual(await node.itemsOf({ deviceId: 'd' }), ['a']);
  t.is(node.askedCount(), before);
});

type Step =
  | { kind: 'store'; node: number; who: number }
  | { kind: 'aggregate' | 'aggregate_all' | 'look'; node: number }
  | { kind: 'read'; node: number; who: number };

/** No event says whose a device is: a node may know that later than what they did. */
const mostStoring = 2;
const people: Who[] = [
  { deviceId: 'd' },
  { deviceId: 'e' },
  { userId: 'ann' },
  { deviceId: 'd', userId: 'ann' },
  { deviceId: 'e', userId: 'bob' },
];

test('two nodes store, aggregate, look and read: each reads its own at once, and others’ after a look', async (t) => {
  const db = await createTestDatabase(t);
  const node = fc.nat(1);
  const who = fc.nat(people.length - 1);
  const step: fc.Arbitrary<Step> = fc.oneof(
    fc.record({ kind: fc.constant('store' as const), node, who: fc.nat(mostStoring) }),
    fc.record({
      kind: fc.constantFrom('aggregate' as const, 'aggregate_all' as const, 'look' as const),
      node,
    }),
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('read' as const), node, who }) },
  );
  let runs = 0;
  let unasked = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
      const environment = `e${runs++}`;
      /** Nobody knows what nodes of before have left in their lanes. */
      const nodes = [
        await createReadingNode(db, 2 * runs, { knowsPeople: true }),
        await createReadingNode(db, 2 * runs + 1, { knowsPeople: true }),
      ];
      /** Everything that happened, for who knows all. */
      const knowing = await createReadingNode(db, 1);
      /** Of each node, what it has to know: its own, and what was aggregated before it looked. */
      const own: string[][] = [[], []];
      const aggregated: string[] = [];
      const seen: string[][] = [[], []];
      const stored: string[] = [];
      for (const [place, { kind, node: at, ...rest }] of steps.entries()) {
        const person = 'who' in rest ? people[rest.who] : {};
        if (kind === 'store') {
          await nodes[at].commit([view(`i${place}`, person, environment)]);
          own[at].push(`i${place}`);
          stored.push(`i${place}`);
        } else if (kind === 'aggregate') {
          await aggregateOwn(db, nodes[at]);
          aggregated.push(...own[at]);
        } else if (kind === 'aggregate_all') {
          await aggregateAll(db);
          aggregated.push(...stored);
        } else if (kind === 'look') {
          await nodes[at].look();
          seen[at] = [...aggregated];
        } else {
          const before = nodes[at].askedCount();
          const items = await nodes[at].itemsOf(person, environment);
          if (nodes[at].askedCount() === before) unasked += 1;
          const all = await knowing.itemsOf(person, environment);
          t.is(new Set(items).size, items.length);
          const must = new Set([...own[at], ...seen[at]]);
          for (const item of all) if (must.has(item)) t.true(items.includes(item), `${item} of ${all}`);
        }
      }
    }),
    { numRuns: 40 },
  );
  t.true(unasked > 0, 'not all were asked for');
});
