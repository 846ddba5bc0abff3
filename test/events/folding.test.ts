import { randomBytes } from 'node:crypto';
import test from 'ava';
import { createEventFolding } from '../../src/events/folding.ts';
import type { EventRow } from '../../src/repository/event-row.ts';
import { findFoldProgress } from '../../src/repository/events/event-folding.ts';
import { commitEvents } from '../../src/repository/events/events.ts';
import { findHistories } from '../../src/repository/events/histories.ts';
import { createUnfoldedEvents } from '../../src/repository/events/unfolded-events.ts';
import { listCounts } from '../../src/repository/metrics/metric-reads.ts';
import { createTestDatabase, silentLogger, type TestDatabase } from '../support/database.ts';

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

function createNode(db: TestDatabase, logger = silentLogger) {
  const unfolded = createUnfoldedEvents(attributionWindow);
  return { unfolded, folding: createEventFolding({ db, unfolded, attributionWindow, logger }) };
}

async function countEvents(db: TestDatabase): Promise<number> {
  const query = { environment: 'shop', fromHour: 0, toHour: 2 ** 31 - 1, groupBy: [], where: {} };
  const rows = await listCounts(db, { ...query, measures: ['events'] });
  return rows.reduce((sum, { value }) => sum + value, 0);
}

const readItems = async (db: TestDatabase) => {
  const [{ entries }] = await findHistories(db, [{ environment: 'shop', deviceId: 'd' }]);
  return entries.map(({ itemId }) => itemId);
};

test('catching up folds what any node stored, once', async (t) => {
  const db = await createTestDatabase(t);
  const [one, other] = [createNode(db), createNode(db)];
  for (const itemId of ['a', 'b', 'c', 'd'])
    await commitEvents(db, [view(itemId)], (itemId < 'c' ? one : other).unfolded);
  await commitEvents(db, [view('e')]);
  await Promise.all([one.folding.catchUp(), other.folding.catchUp(), other.folding.catchUp()]);
  t.is(await countEvents(db), 5);
  t.deepEqual(await readItems(db), ['e', 'd', 'c', 'b', 'a']);
  t.deepEqual([one.unfolded.count, other.unfolded.count], [0, 0]);
});

test('a start folds what a node that is no more has stored', async (t) => {
  const db = await createTestDatabase(t);
  await commitEvents(db, [view('a'), view('b', { environment: 'news' })], createNode(db).unfolded);
  const { folding } = createNode(db);
  await folding.start();
  t.is(await countEvents(db), 1);
  t.deepEqual(await readItems(db), ['a']);
  await folding.stop();
});

test('events are folded without being asked for, and what is left at a stop', async (t) => {
  const db = await createTestDatabase(t);
  const { folding, unfolded } = createNode(db);
  await folding.start();
  await commitEvents(db, [view('a')], unfolded);
  while (unfolded.count > 0) await new Promise((resolve) => setTimeout(resolve, 20));
  t.deepEqual(await readItems(db), ['a']);
  await commitEvents(db, [view('b')], unfolded);
  await folding.stop();
  t.is(await countEvents(db), 2);
});

test('an event that cannot be folded is passed over, and no other', async (t) => {
  const db = await createTestDatabase(t);
  const errors: string[] = [];
  const logger = { ...silentLogger, error: (_: object, message: string) => void errors.push(message) };
  const { folding, unfolded } = createNode(db, logger as typeof silentLogger);
  const tooLongForAnIndex = randomBytes(20_000).toString('hex');
  const events = Array.from({ length: 20 }, (_, i) => view(`i${i}`));
  events[7] = view('i7', { userId: tooLongForAnIndex });
  await commitEvents(db, events, unfolded);
  await folding.catchUp();
  t.is(await countEvents(db), 19);
  t.is((await readItems(db)).length, 19);
  t.is(errors.filter((message) => message === 'An event was not folded.').length, 1);
  const { foldedSequence, lastSequence } = await findFoldProgress(db);
  t.is(foldedSequence, lastSequence);
});

test('numbers that were never stored hold up nothing', async (t) => {
  const db = await createTestDatabase(t);
  const { folding, unfolded } = createNode(db);
  await commitEvents(db, [view('a')], unfolded);
  await db.pool.query(`select nextval('event_sequence')`);
  await commitEvents(db, [view('b')], unfolded);
  await db.pool.query(`select nextval('event_sequence')`);
  await folding.catchUp();
  t.is(await countEvents(db), 2);
  t.is(unfolded.count, 0);
});

test('while the database is away events stay to be folded, and are folded later', async (t) => {
  const db = await createTestDatabase(t);
  let isDown = false;
  const connect = () => (isDown ? Promise.reject(new Error('Connection terminated')) : db.pool.connect());
  const query = (...given: unknown[]) => (db.pool.query as (...all: unknown[]) => unknown)(...given);
  const flaky = { ...db, pool: { connect, query } as unknown as typeof db.pool };
  const { folding, unfolded } = createNode(flaky);
  await commitEvents(flaky, [view('a')], unfolded);
  isDown = true;
  await t.throwsAsync(folding.catchUp(), { message: /not available/ });
  t.is(unfolded.count, 1);
  await commitEvents(flaky, [view('b')], unfolded);
  isDown = false;
  await folding.catchUp();
  t.is(await countEvents(db), 2);
  await commitEvents(flaky, [view('c')], unfolded);
  await folding.catchUp();
  t.is(await countEvents(db), 3);
  t.is(unfolded.count, 0);
});

test('storing waits for folding when too much is unfolded', async (t) => {
  const db = await createTestDatabase(t);
  const { folding, unfolded } = createNode(db);
  const events = Array.from({ length: 4_000 }, (_, i) => view(`i${i % 10}`));
  for (let round = 0; round < 5; round++) await commitEvents(db, events, unfolded);
  t.is(unfolded.count, 20_000);
  await folding.awaitRoom();
  t.true(unfolded.count < 20_000);
  await folding.catchUp();
  t.is(await countEvents(db), 20_000);
});
