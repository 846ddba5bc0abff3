import { mock } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import { kyselyOn } from '../../src/repository/database.ts';
import {
  claimLane,
  countOtherNodes,
  createLaneKeeper,
  holdLane,
  leaveLane,
} from '../../src/repository/lanes.ts';
import { createTestDatabase, silentLogger, type TestDatabase } from '../support/database.ts';
import { commitEvents } from '../support/events.ts';

const silence = (db: TestDatabase, node: string) =>
  db.pool.query(`update lanes set seen_at = seen_at - interval '61 seconds' where node = $1`, [node]);

const event = { environment: 'shop', eventType: 'page_visit', occurredAtMs: 1, robot: false, details: {} };

/** A keeper that remembers which lanes it took, and how far they had come. */
function createKeeper(db: TestDatabase, node: string) {
  const taken: [lane: number, ends: number[]][] = [];
  const onTaken = (lane: number, ends: number[]) => void taken.push([lane, ends]);
  return { taken, keeper: createLaneKeeper({ db, node, onTaken, logger: silentLogger }) };
}

test('each node that asks gets a lane of its own', async (t) => {
  const db = await createTestDatabase(t);
  const lanes = await Promise.all(Array.from({ length: 8 }, (_, i) => claimLane(db, `node-${i}`)));
  t.deepEqual(
    lanes.toSorted((a, b) => a - b),
    [1, 2, 3, 4, 5, 6, 7, 8],
  );
});

test('other nodes are counted until they leave or fall silent', async (t) => {
  const db = await createTestDatabase(t);
  const [a, b] = [await claimLane(db, 'a'), await claimLane(db, 'b')];
  t.is(await countOtherNodes(db, a), 1);
  await claimLane(db, 'c');
  t.is(await countOtherNodes(db, a), 2);
  await silence(db, 'c');
  await leaveLane(db, b, 'b');
  t.is(await countOtherNodes(db, a), 0);
});

test('a silent lane is taken over by one node, and its former node notices', async (t) => {
  const db = await createTestDatabase(t);
  const [a, b] = [await claimLane(db, 'a'), await claimLane(db, 'b')];
  t.true(await holdLane(db, a, 'a'));
  await silence(db, 'a');
  const client = await db.pool.connect();
  await client.query('begin');
  t.is(await claimLane({ ...db, kysely: kyselyOn(client) }, 'c'), a);
  t.is(await claimLane(db, 'd'), 3);
  await client.query('commit');
  client.release();
  t.false(await holdLane(db, a, 'a'));
  t.true(await holdLane(db, b, 'b'));
  await leaveLane(db, a, 'a');
  t.is(await claimLane(db, 'e'), 4);
});

test('a silent node keeps its lane if no other node took it', async (t) => {
  const db = await createTestDatabase(t);
  const lane = await claimLane(db, 'a');
  await silence(db, 'a');
  t.true(await holdLane(db, lane, 'a'));
  t.is(await claimLane(db, 'b'), 2);
});

test('a free lane is taken at once, with the last number of each bucket', async (t) => {
  const db = await createTestDatabase(t);
  const [first, second, third] = ['first', 'second', 'third'].map((node) => createKeeper(db, node));
  await first.keeper.start();
  await second.keeper.start();
  t.deepEqual([first.keeper.lane, second.keeper.lane], [1, 2]);
  await commitEvents(db, [event, event, event], { lane: 1 });
  await commitEvents(db, [event, event], { lane: 2 });
  await first.keeper.stop();
  await third.keeper.start();
  t.deepEqual(third.taken, [[1, [0, 3, 0, 0]]]);
  t.deepEqual(second.taken, [[2, [0, 0, 0, 0]]]);
  await Promise.all([second.keeper.stop(), third.keeper.stop()]);
  t.deepEqual((await Promise.all([1, 2, 3].map((n) => claimLane(db, `${n}`)))).toSorted(), [1, 2, 3]);
});

test.serial('a node that lost its lane continues in another one', async (t) => {
  const db = await createTestDatabase(t);
  mock.timers.enable({ apis: ['setInterval'] });
  t.teardown(async () => mock.timers.reset());
  const { keeper, taken } = createKeeper(db, 'paused');
  await keeper.start();
  await silence(db, 'paused');
  t.is(await claimLane(db, 'quick'), 1);
  mock.timers.tick(5_000);
  while (taken.length < 2) await delay(5);
  t.deepEqual(
    taken.map(([lane]) => lane),
    [1, 2],
  );
  while (keeper.lane !== 2) await delay(5);
  t.true(await holdLane(db, 1, 'quick'));
  await keeper.stop();
  t.is(await claimLane(db, 'next'), 2);
});
