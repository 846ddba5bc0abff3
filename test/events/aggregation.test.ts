import test from 'ava';
import type { EventRow } from '../../src/repository/event-row.ts';
import { countPending, listLaneProgress } from '../../src/repository/events/aggregate-events.ts';
import { findHistories } from '../../src/repository/events/histories.ts';
import { listCounts } from '../../src/repository/metrics/metric-reads.ts';
import { createTestDatabase, silentLogger, type TestDatabase } from '../support/database.ts';
import { commitEvents, createTestNode, type TestNodeOptions } from '../support/events.ts';
import { poolOf } from '../support/pool-of.ts';

const noonMs = Date.UTC(2026, 4, 1, 12);
const attributionWindow = () => 3_600_000;

const view = (itemId: string, more: Partial<EventRow> = {}): EventRow => ({
  environment: 'shop',
  eventType: 'detail_pageview',
  occurredAtMs: noonMs,
  deviceId: 'd',
  itemType: 'product',
  itemId,
  robot: false,
  details: {},
  ...more,
});

const createNode = (db: TestDatabase, options: TestNodeOptions = {}) =>
  createTestNode(db, { attributionWindow, ...options });

async function countEvents(db: TestDatabase): Promise<number> {
  const query = { environment: 'shop', fromHour: 0, toHour: 2 ** 31 - 1, groupBy: [], where: {} };
  const rows = await listCounts(db, { ...query, measures: ['events'] });
  return rows.reduce((sum, { value }) => sum + value, 0);
}

const readItems = async (db: TestDatabase) => {
  const [{ entries }] = await findHistories(db, [{ environment: 'shop', deviceId: 'd' }]);
  return entries.map(({ itemId }) => itemId);
};

test('catching up aggregates the events of all nodes once', async (t) => {
  const db = await createTestDatabase(t);
  const [one, other] = [await createNode(db), await createNode(db, { lane: 2 })];
  for (const itemId of ['a', 'b', 'c', 'd']) await (itemId < 'c' ? one : other).commit([view(itemId)]);
  await commitEvents(db, [view('e')], { lane: 3 });
  await Promise.all([one.aggregation.catchUp(), other.aggregation.catchUp(), other.aggregation.catchUp()]);
  t.is(await countEvents(db), 5);
  t.deepEqual((await readItems(db)).sort(), ['a', 'b', 'c', 'd', 'e']);
  t.deepEqual([one.pending.count, other.pending.count], [0, 0]);
});

test('a start aggregates the events of a lost node', async (t) => {
  const db = await createTestDatabase(t);
  await (await createNode(db)).commit([view('a'), view('b', { environment: 'news' })]);
  const { aggregation } = await createNode(db, { lane: 2 });
  await aggregation.start();
  t.is(await countEvents(db), 1);
  t.deepEqual(await readItems(db), ['a']);
  await aggregation.stop();
});

test('events are aggregated in the background, and the rest at a stop', async (t) => {
  const db = await createTestDatabase(t);
  const { aggregation, pending, commit } = await createNode(db);
  await aggregation.start();
  await commit([view('a')]);
  while (pending.count > 0) await new Promise((resolve) => setTimeout(resolve, 20));
  t.deepEqual(await readItems(db), ['a']);
  await commit([view('b')]);
  await aggregation.stop();
  t.is(await countEvents(db), 2);
});

test('events that exceed the time limit are aggregated in parts, by their node and by any other', async (t) => {
  const db = await createTestDatabase(t);
  const mostEvents = 5;
  let refusals = 0;
  const query = db.pool.query.bind(db.pool);
  const pool = poolOf(async (statement: { name: string; values: number[][] }) => {
    if (statement.name === 'fold-events') {
      const [, , from, until] = statement.values;
      const count = until.reduce((sum, number, place) => sum + number - from[place], 0);
      if (count > mostEvents) {
        refusals += 1;
        throw Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' });
      }
    }
    return query(statement as never);
  });
  const slow = { ...db, pool };
  const node = await createNode(slow);
  await node.commit(Array.from({ length: 40 }, (_, i) => view(`a${i}`)));
  await node.aggregation.catchUp();
  t.is(await countEvents(db), 40);
  await commitEvents(
    db,
    Array.from({ length: 40 }, (_, i) => view(`b${i}`)),
    { lane: 2 },
  );
  await node.aggregation.catchUp();
  t.is(await countEvents(db), 80);
  t.is((await readItems(db)).length, 80);
  t.true(refusals > 0);
});

test('only an event that cannot be aggregated is skipped', async (t) => {
  const db = await createTestDatabase(t);
  const errors: string[] = [];
  const logger = { ...silentLogger, error: (_: object, message: string) => void errors.push(message) };
  const { aggregation, commit } = await createNode(db, { logger: logger as typeof silentLogger });
  const tooLongForAnIndex = Array.from({ length: 20_000 }, (_, i) => ((i * 7919) % 9_973).toString(36)).join(
    '',
  );
  const events = Array.from({ length: 20 }, (_, i) => view(`i${i}`));
  events[7] = view('i7', { deviceId: 'other', userId: tooLongForAnIndex });
  await commit(events);
  await aggregation.catchUp();
  /** Buckets without the event's subject have counted it. */
  t.true([19, 20].includes(await countEvents(db)));
  t.is((await readItems(db)).length, 19);
  t.is(new Set(errors).size, 1);
  t.is(countPending(await listLaneProgress(db)), 0);
});

test('events stay pending while the database is unavailable, and are aggregated later', async (t) => {
  const db = await createTestDatabase(t);
  let isDown = false;
  const query = (statement: { name: string }) =>
    isDown && statement.name === 'fold-events'
      ? Promise.reject(new Error('Connection terminated'))
      : db.pool.query(statement as never);
  const flaky = { ...db, pool: poolOf(query) };
  const { aggregation, pending, commit } = await createNode(flaky);
  await commit([view('a')]);
  isDown = true;
  await t.throwsAsync(aggregation.catchUp(), { message: /not available/ });
  t.is(pending.count, 1);
  await commit([view('b')]);
  isDown = false;
  await aggregation.catchUp();
  t.is(await countEvents(db), 2);
  await commit([view('c')]);
  await aggregation.catchUp();
  t.is(await countEvents(db), 3);
  t.is(pending.count, 0);
});

test('intake waits for aggregation when too many events are pending', async (t) => {
  const db = await createTestDatabase(t);
  const { aggregation, pending, commit } = await createNode(db);
  const events = Array.from({ length: 4_000 }, (_, i) => view(`i${i % 10}`));
  for (let round = 0; round < 7; round++) await commit(events);
  t.is(pending.count, 28_000);
  await aggregation.awaitRoom();
  t.true(pending.count < 24_000);
  await aggregation.catchUp();
  t.is(await countEvents(db), 28_000);
});
