import test, { type ExecutionContext } from 'ava';
import pg from 'pg';
import {
  type AudienceEventRow,
  copyAudienceEvents,
  findableStatements,
} from '../../../src/repository/audiences/audience-events.ts';
import { createDatabase, type Database } from '../../../src/repository/database.ts';
import type { EventRow } from '../../../src/repository/event-row.ts';
import { listEventRanges } from '../../../src/repository/events/event-ranges.ts';
import { findHistories } from '../../../src/repository/events/histories.ts';
import { dimensionNames } from '../../../src/repository/metrics/metric-dimensions.ts';
import { measures } from '../../../src/repository/metrics/metric-measures.ts';
import { type CountQuery, listCounts } from '../../../src/repository/metrics/metric-reads.ts';
import { migrate } from '../../../src/repository/migrations.ts';
import { createPace } from '../../../src/repository/retention/pace.ts';
import {
  firstHourKept,
  forget,
  giveTurnBack,
  type Retention,
  takeTurn,
} from '../../../src/repository/retention/retention.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { aggregateAll, commitEvents } from '../../support/events.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const nowMs = Date.now();

const event = (eventType: string, more: Partial<EventRow> = {}): EventRow => ({
  environment: 'shop',
  eventType,
  occurredAtMs: nowMs,
  deviceId: 'd1',
  userId: 'u1',
  itemType: 'product',
  itemId: 'sofa',
  robot: false,
  details: {},
  ...more,
});

const forgetting = (more: Partial<Retention>): Retention => ({
  environment: 'shop',
  eventsDays: undefined,
  historiesDays: undefined,
  metricsDays: undefined,
  metricNamesDays: 400,
  attributionWindowMs: 24 * hourMs,
  ...more,
});

const counts = (db: TestDatabase, more: Partial<CountQuery> = {}) =>
  listCounts(db, {
    measures,
    fromHour: -(2 ** 31),
    toHour: 2 ** 31 - 1,
    groupBy: [],
    where: {},
    ...more,
  });

async function countRows(db: TestDatabase, table: string, environment = 'shop'): Promise<number> {
  const { rows } = await db.pool.query(`select count(*) as count from ${table} where environment = $1`, [
    environment,
  ]);
  return Number(rows[0].count);
}

test('expired events are deleted once aggregated, except opt-outs, and no count changes', async (t) => {
  const db = await createTestDatabase(t);
  const day = { eventsDays: 30 };
  await commitEvents(db, [
    event('detail_pageview'),
    event('purchase', { eventId: 'e1', details: { amount: 2, purchased_price: 5 } }),
    event('cancel_subscription'),
    event('user_interaction', { details: { interaction_type: 'OPT_OUT' } }),
    event('detail_pageview', { environment: 'news' }),
  ]);
  const later = nowMs + 31 * dayMs;
  const pending = await forget(db, forgetting(day), later, createPace());
  t.is(pending.events, 0, 'what is not aggregated is still needed');
  await aggregateAll(db);
  const before = await counts(db, { groupBy: dimensionNames });
  t.is((await forget(db, forgetting(day), nowMs + 29 * dayMs, createPace())).events, 0);
  t.is((await forget(db, forgetting(day), later, createPace())).events, 2);
  t.is(await countRows(db, 'events'), 2);
  t.is(await countRows(db, 'events', 'news'), 1);
  t.deepEqual(await counts(db, { groupBy: dimensionNames }), before);
  await commitEvents(db, [event('detail_pageview')]);
  await aggregateAll(db);
  t.is(
    (await counts(db, { environment: 'shop', measures: ['pageviews'] })).reduce(
      (sum, { value }) => sum + value,
      0,
    ),
    2,
    'counting goes on behind the gap',
  );
});

test('an interaction that is no opt-out is deleted like any other event', async (t) => {
  const db = await createTestDatabase(t);
  await commitEvents(db, [event('user_interaction'), event('user_interaction', { robot: true })]);
  await aggregateAll(db);
  const forgotten = await forget(db, forgetting({ eventsDays: 1 }), nowMs + 2 * dayMs, createPace());
  t.is(forgotten.events, 2);
});

/** A locale in which `lower('I')` is not `i`. */
async function turkishDatabase(t: ExecutionContext): Promise<Database> {
  const { pool, connection } = await createTestDatabase(t);
  const database = `${connection.database}_turkish`;
  await pool.query(`create database ${database} template template0 locale_provider icu icu_locale 'tr-TR'`);
  const db = createDatabase({ ...connection, database }, { poolSize: 10 });
  t.teardown(async () => {
    await db.close();
    const client = new pg.Client(connection);
    await client.connect();
    await client.query(`drop database ${database} with (force)`);
    await client.end();
  });
  await migrate(db);
  return db;
}

test('opt-outs are found by their own index', async (t) => {
  const db = await createTestDatabase(t);
  const page = Array.from({ length: 2_000 }, (_, i) => event('page_visit', { deviceId: `d${i}` }));
  await commitEvents(db, page);
  await db.pool.query('analyze events');
  const { rows } = await db.pool.query<{ 'QUERY PLAN': string }>(`explain select number from events
    where bucket = 1 and environment = 'shop' and lane = 1 and number > 0 and number <= 2000 and ${findableStatements}
    order by number`);
  t.regex(rows.map((row) => row['QUERY PLAN']).join('\n'), /using events_contact_statements/);
});

test('opt-outs are kept and found in a database of any locale', async (t) => {
  const db = await turkishDatabase(t);
  t.is((await db.pool.query(`select lower('I')`)).rows[0].lower, 'ı');
  const says = (interaction_type: string) => event('user_interaction', { details: { interaction_type } });
  await commitEvents(db, [says('UNSUBSCRIBE'), { ...says('like'), deviceId: 'd2', userId: 'u2' }]);
  await aggregateAll(db);
  const forgotten = await forget(db, forgetting({ eventsDays: 1 }), nowMs + 2 * dayMs, createPace());
  t.is(forgotten.events, 1);
  const found: AudienceEventRow[] = [];
  const ranges = await listEventRanges(db);
  await copyAudienceEvents(db, 'shop', { ranges, statementsOnly: true }, (row) => void found.push(row));
  t.deepEqual(
    found.map(({ contact }) => contact?.interaction),
    ['UNSUBSCRIBE'],
  );
});

test('more events than one statement deletes are deleted, too', async (t) => {
  const db = await createTestDatabase(t);
  const many = Array.from({ length: 12_000 }, (_, i) => event('page_visit', { deviceId: `d${i % 9}` }));
  await commitEvents(db, many);
  await aggregateAll(db);
  const forgotten = await forget(db, forgetting({ eventsDays: 1 }), nowMs + 2 * dayMs, createPace());
  t.is(forgotten.events, 12_000);
});

test('only histories without recent events are deleted', async (t) => {
  const db = await createTestDatabase(t);
  await commitEvents(db, [event('detail_pageview'), event('detail_pageview', { environment: 'news' })]);
  await aggregateAll(db);
  const days = forgetting({ historiesDays: 10 });
  t.is((await forget(db, days, nowMs + 9 * dayMs, createPace())).histories, 0);
  t.is((await forget(db, days, nowMs + 12 * dayMs, createPace())).histories, 2);
  t.is(await countRows(db, 'histories'), 0);
  t.not(await countRows(db, 'histories', 'news'), 0);
});

test('a device with a recent event of its user is kept as long as the user', async (t) => {
  const db = await createTestDatabase(t);
  const seen = async () => {
    await commitEvents(db, [event('detail_pageview')]);
    await aggregateAll(db);
  };
  await seen();
  await db.pool.query('update histories set seen_day = seen_day - 12');
  await seen();
  t.is((await forget(db, forgetting({ historiesDays: 10 }), nowMs, createPace())).histories, 0);
  const [{ entries }] = await findHistories(db, [{ environment: 'shop', deviceId: 'd1' }]);
  t.is(entries.length, 2);
});

test('metrics before the first hour are empty at once, and later ones are exact', async (t) => {
  const db = await createTestDatabase(t);
  const firstHour = firstHourKept(7, nowMs);
  const at = (hour: number) => ({ occurredAtMs: hour * hourMs + 60_000 });
  const clicked = { itemId: 'chair', version: 'A' };
  await commitEvents(db, [
    event('detail_pageview', at(firstHour - 1)),
    event('detail_pageview', at(firstHour)),
    event('detail_pageview', { ...at(firstHour - 1), environment: 'news' }),
    event('click_on_recommendation', { ...at(firstHour - 2), ...clicked }),
  ]);
  await aggregateAll(db);
  const firstHours = new Map([['shop', firstHour]]);
  const views = async (more: Partial<CountQuery> = {}) =>
    (await counts(db, { measures: ['pageviews'], firstHours, ...more })).map(({ hour, value }) => [
      hour - firstHour,
      value,
    ]);
  const check = async (label: string) => {
    t.deepEqual(await views({ environment: 'shop' }), [[0, 1]], label);
    t.deepEqual(await views({ environment: 'shop', groupBy: dimensionNames }), [[0, 1]], label);
    t.deepEqual(await views({ environment: 'shop', toHour: firstHour }), [], label);
    const together = [
      [-1, 1],
      [0, 1],
    ];
    t.deepEqual((await views()).sort(), together, label);
    t.deepEqual((await views({ groupBy: ['page_type', 'channel'] })).sort(), together, label);
  };
  await check('before they are forgotten');
  const { metrics } = await forget(db, forgetting({ metricsDays: 7 }), nowMs, createPace());
  t.true(metrics > 0);
  await check('when they are forgotten');
  const { rows } = await db.pool.query(
    `select count(*) as count from metric_totals where environment = 'shop' and hour < $1`,
    [firstHour],
  );
  t.is(Number(rows[0].count), 0);
  await commitEvents(db, [
    event('purchase', { ...at(firstHour), itemId: 'chair', version: 'A' }),
    event('detail_pageview', at(firstHour - 1)),
  ]);
  await aggregateAll(db);
  await check('when something for a forgotten hour comes late');
  const attributed = await counts(db, { measures: ['attributed_purchased_items'], firstHours });
  t.deepEqual(
    attributed.map(({ value }) => value),
    [1],
    'its click is within the window',
  );
});

test('counts by name expire after their own limit: totals are kept, and unused combinations deleted', async (t) => {
  const db = await createTestDatabase(t);
  const nowMs = Date.now();
  const oldHour = Math.floor(nowMs / hourMs) - 24 * 401;
  const at = (hour: number) => ({ occurredAtMs: hour * hourMs + 1, deviceId: 'd', pageType: 'home' });
  await commitEvents(db, [
    event('detail_pageview', { ...at(oldHour), listName: 'made up' }),
    event('detail_pageview', { ...at(oldHour + 48), listName: 'kept' }),
    event('click_on_recommendation', { ...at(oldHour), listName: 'clicked' }),
    event('detail_pageview', { ...at(oldHour), listName: 'made up', environment: 'news' }),
  ]);
  await aggregateAll(db);
  await db.pool.query(`update metric_dimensions set added_at = now() - interval '500 days'`);
  const views = async (more: Partial<CountQuery> = {}) =>
    (await counts(db, { measures: ['pageviews'], ...more })).map(({ hour, group, value }) => [
      hour - oldHour,
      ...group,
      value,
    ]);
  const combinations = async () => {
    const { rows } = await db.pool.query(
      `select distinct environment || ' ' || list_name as name from metric_dimensions order by 1`,
    );
    return rows.map(({ name }) => name);
  };
  t.deepEqual(await combinations(), ['news made up', 'shop clicked', 'shop kept', 'shop made up']);
  const { metrics } = await forget(db, forgetting({ metricNamesDays: 400 }), nowMs, createPace());
  t.true(metrics > 0);
  t.deepEqual(
    (await views({ environment: 'shop' })).sort(),
    [
      [0, 1],
      [48, 1],
    ].sort(),
  );
  t.deepEqual(await views({ environment: 'shop', groupBy: ['list_name'] }), [[48, 'kept', 1]]);
  t.deepEqual(await views({ environment: 'shop', groupBy: ['list_name', 'page_type'] }), [
    [48, 'kept', 'home', 1],
  ]);
  t.deepEqual(await views({ environment: 'news', groupBy: ['list_name'] }), [[0, 'made up', 1]]);
  t.deepEqual(await combinations(), ['news made up', 'shop clicked', 'shop kept']);
  await commitEvents(db, [event('detail_pageview', { ...at(oldHour), deviceId: 'e', listName: 'late' })]);
  await aggregateAll(db);
  t.deepEqual((await views({ environment: 'shop', toHour: oldHour + 1 })).sort(), [[0, 2]]);
});

test('one node a day runs maintenance, or another one if the first returns its turn', async (t) => {
  const db = await createTestDatabase(t);
  const taken = await Promise.all([takeTurn(db), takeTurn(db), takeTurn(db)]);
  t.is(taken.filter(Boolean).length, 1);
  t.false(await takeTurn(db));
  await giveTurnBack(db);
  t.true(await takeTurn(db));
});
