import test from 'ava';
import { createDatabase, type Database } from '../../src/repository/database.ts';
import type { EventRow } from '../../src/repository/event-row.ts';
import { findHistories } from '../../src/repository/events/histories.ts';
import { findLists, insertLists, renewLists } from '../../src/repository/kept/lists.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { createTestNode, type TestNode } from '../support/events.ts';

const noonMs = Date.UTC(2026, 4, 1, 12);
const growth = 1_500;
/** Tables of so many keys take several pages, and the planner still underestimates their rows. */
const planAgainAt = 800;

/**
 * Limit per table: a key is looked up, found, and written a few times; lines move to another key, and
 * a click looks up its device. That is 7 to 8 reads of a history, and up to 12 while vacuum is late and
 * entries of replaced rows are still read. A plan that reads the table once a key makes hundreds.
 */
const mostReadsOfKey = 30;

/** Handovers wait for their move and are then deleted: a plan may read all that wait, at most 400 at a time. */
const mostReadsOf = (table: string) => (table === 'handovers' ? 400 : mostReadsOfKey);

/** Events of any type, of many subjects, items and requests. */
const eventAt = (i: number): EventRow => ({
  environment: 'shop',
  eventType: ['impression', 'click_on_recommendation', 'purchase', 'detail_pageview'][i % 4],
  occurredAtMs: noonMs + i,
  deviceId: `d${i % 700}`,
  userId: i % 3 ? `u${(i % 700) % 500}` : undefined,
  itemType: 'product',
  itemId: `p${i % 90}`,
  requestId: `r${i % 800}`,
  version: ['A', 'B'][i % 2],
  eventId: i % 2 ? undefined : `e${i}`,
  robot: false,
  details: { amount: 1 },
});

/** Runs each statement of events and lists for the keys `first` to `until`. */
async function useKeys(db: Database, node: TestNode, [first, until]: [number, number]): Promise<void> {
  const places = Array.from({ length: until - first }, (_, i) => first + i);
  await node.commit(places.map(eventAt));
  await node.aggregation.catchUp();
  await findHistories(
    db,
    places.map((i) => ({ environment: 'shop', deviceId: `d${i % 700}`, withImpressions: true })),
  );
  const keys = places.map((i) => ({ environment: 'shop', listKey: `k${i}` }));
  const expiresAt = new Date(Date.now() + 600_000);
  await insertLists(
    db,
    keys.map((key) => ({ ...key, expiresAt, payload: '{}' })),
  );
  await findLists(db, keys);
  await renewLists(db, keys, new Date(expiresAt.getTime() + 1_000));
}

/** Rows and index entries read so far by table, over all connections. */
async function countReads(db: Database): Promise<Map<string, number>> {
  await db.pool.query('select pg_stat_force_next_flush()');
  const { rows } = await db.pool.query<{ name: string; reads: number }>(`
    select relname as name, (seq_tup_read + coalesce(idx_tup_fetch, 0) + coalesce(
      (select sum(idx_tup_read) from pg_stat_user_indexes as index where index.relid = tables.relid), 0)
    )::float8 as reads
    from pg_stat_user_tables as tables`);
  return new Map(rows.map(({ name, reads }) => [name, reads]));
}

const nothing = async () => undefined;
const analyse = (db: Pool) => db.pool.query('analyze');
/** As the server does when many tables were created or dropped meanwhile. */
const planAgain = (db: Pool) => db.pool.query('discard plans');

type Pool = Pick<TestDatabase, 'pool'>;
type Prepare = (db: Pool) => Promise<unknown>;

const plannedBy: [name: string, prepare: Prepare, halfway: Prepare][] = [
  ['while tables were empty', nothing, nothing],
  ['while tables were nearly empty, and analysed', analyse, nothing],
  ['again since tables have grown, without statistics', nothing, planAgain],
  ['again since tables have grown, with old statistics', analyse, planAgain],
];

for (const [name, prepare, halfway] of plannedBy) {
  test(`statements planned ${name} read few rows of large tables`, async (t) => {
    const db = await createTestDatabase(t);
    /** One connection, so that plans are made once. */
    const single = createDatabase(db.connection, { poolSize: 1 });
    t.teardown(single.close);
    const node = await createTestNode(single);
    const use = (first: number, until: number) => useKeys(single, node, [first, until]);
    for (let first = 0; first < 10; first++) await use(first, first + 1);
    await prepare(db);
    await use(10, 20);
    await use(20, planAgainAt);
    await halfway(single);
    await use(planAgainAt, growth);
    const before = await countReads(single);
    await use(growth, 2 * growth);
    const reads = Array.from(await countReads(single), ([table, count]) => ({
      table,
      readsOfKey: (count - before.get(table)!) / growth,
    }));
    t.deepEqual(
      reads.filter(({ table, readsOfKey }) => readsOfKey > mostReadsOf(table)),
      [],
    );
  });
}

test('every function that disables plan types also disables JIT', async (t) => {
  const db = await createTestDatabase(t);
  const { rows } = await db.pool.query<{ name: string; settings: string[] }>(`
    select proname as name, proconfig as settings from pg_proc
    where pronamespace = current_schema()::regnamespace and array_to_string(proconfig, ' ') ~ 'enable_\\w+=off'`);
  t.true(rows.length > 0);
  for (const { name, settings } of rows) t.true(settings.includes('jit=off'), name);
});

test('the reads of a request are planned once, even for few keys', async (t) => {
  const single = createDatabase((await createTestDatabase(t)).connection, { poolSize: 1 });
  t.teardown(single.close);
  for (let i = 0; i < 20; i++) {
    await findHistories(single, [{ environment: 'shop', deviceId: `d${i}` }]);
    await findLists(single, [{ environment: 'shop', listKey: `k${i}` }]);
  }
  const { rows } = await single.pool.query(`
    select name, generic_plans > 0 as "isKept" from pg_prepared_statements
    where name <> '' and custom_plans > 0 order by name`);
  t.deepEqual(rows, [
    { name: 'find-histories', isKept: true },
    { name: 'find-lists', isKept: true },
  ]);
});
