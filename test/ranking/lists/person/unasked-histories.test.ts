/** Cached histories that are returned without a query. */

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

test('a history is not read again while other nodes are idle', async (t) => {
  const { node, readTwice } = await startQuiet(t);
  t.is(await readTwice(), 0);
  await node.commit([view('a', { deviceId: 'd' })]);
  t.deepEqual(await node.itemsOf({ deviceId: 'd' }), ['a']);
  await node.aggregation.catchUp();
  t.deepEqual(await node.itemsOf({ deviceId: 'd' }), ['a']);
  t.is(await readTwice(), 0);
});

test('without a recent poll of other nodes, every history is read', async (t) => {
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

test('events of another node are read after their aggregation and a poll', async (t) => {
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

test('events that a node drops during a poll are read after other nodes aggregate them', async (t) => {
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

test('a device that becomes linked to a user gets the user’s history', async (t) => {
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

test('after a deletion, the histories of the user and the user’s devices are read again', async (t) => {
  const { db, node } = await startQuiet(t);
  await node.commit([view('a', { deviceId: 'd', userId: 'ann' })]);
  await node.aggregation.catchUp();
  t.deepEqual(await node.itemsOf({ deviceId: 'd' }), ['a']);
  await db.pool.query('delete from histories');
  t.deepEqual(await node.itemsOf({ deviceId: 'd' }), ['a']);
  for (const forget of node.forgetting) forget((_, subject) => subject === 'u:ann');
  t.deepEqual(await node.itemsOf({ deviceId: 'd' }), []);
});

test('a read with do_not_store does not confirm an older cached history', async (t) => {
  const { node } = await startQuiet(t);
  t.deepEqual(await node.itemsOf({ deviceId: 'd' }), []);
  await node.commit([view('a', { deviceId: 'd' })]);
  await node.aggregation.catchUp();
  t.deepEqual(await node.itemsOf({ deviceId: 'd' }, 'shop', true), ['a']);
  t.deepEqual(await node.itemsOf({ deviceId: 'd' }), ['a']);
});

test('events left to other nodes appear after their aggregation', async (t) => {
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

/** The state after a crash of the database server that loses the last aggregates. */
const asBeforeAggregation = 'truncate histories, folded';

test('aggregates lost in a crash of the server are read after they are made again', async (t) => {
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

test('aggregates lost in a crash while polls fail are read after they are made again', async (t) => {
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

test('events with a lost response are read after this node aggregates them', async (t) => {
  const { db, node } = await startQuiet(t);
  await t.throwsAsync(loseAnswer(db, [view('a', { deviceId: 'd' })]), { instanceOf: DomainError });
  t.deepEqual(await node.itemsOf({ deviceId: 'd' }), []);
  await node.commit([view('b', { deviceId: 'e' })]);
  await node.aggregation.catchUp();
  t.deepEqual(await node.itemsOf({ deviceId: 'd' }), ['a']);
});

test('events with a lost response are read after another node aggregates them', async (t) => {
  const { db, node } = await startQuiet(t);
  await t.throwsAsync(loseAnswer(db, [view('a', { deviceId: 'd' })]), { instanceOf: DomainError });
  await node.look();
  t.deepEqual(await node.itemsOf({ deviceId: 'd' }), []);
  await aggregateAll(db);
  await node.look();
  t.deepEqual(await node.itemsOf({ deviceId: 'd' }), ['a']);
});

test('histories are cached again after events with a lost response are aggregated', async (t) => {
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

/** No event links a device to a user, because a node may learn of links later than of events. */
const mostStoring = 2;
const people: Who[] = [
  { deviceId: 'd' },
  { deviceId: 'e' },
  { userId: 'ann' },
  { deviceId: 'd', userId: 'ann' },
  { deviceId: 'e', userId: 'bob' },
];

test('each of two nodes reads its own events at once, and those of the other after a poll', async (t) => {
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
      /** Lanes of earlier nodes may have unknown events. */
      const nodes = [
        await createReadingNode(db, 2 * runs, { knowsPeople: true }),
        await createReadingNode(db, 2 * runs + 1, { knowsPeople: true }),
      ];
      /** All events so far. */
      const knowing = await createReadingNode(db, 1);
      /** By node, the events that it must know: its own, and those aggregated before its poll. */
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
