import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import type { EventRow } from '../../../../src/repository/event-row.ts';
import { listCounts } from '../../../../src/repository/metrics/metric-reads.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/database.ts';
import { aggregateAll, commitEvents } from '../../../support/events.ts';

const startMs = Date.UTC(2026, 4, 1);
const batchSize = 1_000;

const event = (eventType: string, occurredAtMs: number, more: Partial<EventRow> = {}): EventRow => ({
  environment: 'shop',
  eventType,
  occurredAtMs,
  deviceId: 'd',
  userId: 'u',
  itemType: 'product',
  itemId: 'sofa',
  robot: false,
  details: {},
  ...more,
});

async function commitAndAggregate(db: TestDatabase, events: EventRow[]): Promise<void> {
  await commitEvents(db, events);
  await aggregateAll(db);
}

async function commitAll(db: TestDatabase, events: EventRow[]): Promise<void> {
  for (let at = 0; at < events.length; at += batchSize)
    await commitAndAggregate(db, events.slice(at, at + batchSize));
}

async function attributedByVersion(db: TestDatabase): Promise<Record<string, number>> {
  const rows = await listCounts(db, {
    measures: ['attributed_purchased_items'],
    environment: 'shop',
    fromHour: 0,
    toHour: 2 ** 31 - 1,
    groupBy: ['version'],
    where: {},
  });
  const sums: Record<string, number> = {};
  for (const { group, value } of rows) sums[group[0]] = (sums[group[0]] ?? 0) + value;
  return sums;
}

const readsText = `
  select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::float8 as reads from pg_stat_user_tables
  where relname ~ '^metric_(clicks|purchases)(_[0-9]+)?$'`;

const clusterReadsText = `
  select sum(result::float8) as reads from run_command_on_all_nodes($reads$${readsText}$reads$)`;

/** Workers of a cluster report statistics with a delay of some seconds. */
const tellingMs = 12_000;

/** Rows read from the tables of clicks and purchases by the only connection. */
async function countReads(db: TestDatabase): Promise<number> {
  const onCluster = process.env.TEST_CITUS !== undefined;
  if (onCluster) await delay(tellingMs);
  else await db.pool.query('select pg_stat_force_next_flush()');
  const { rows } = await db.pool.query(onCluster ? clusterReadsText : readsText);
  return rows[0].reads;
}

const secondMs = 1_000;
const crowdSize = 4_000;
/** Reads for each event: 100 to 260, and 750 to 2,000 without a limit. */
const mostReads = 500;
const crowds: [name: string, makeEvents: (count: number) => EventRow[]][] = [
  [
    'clicks and purchases by turns',
    (count) =>
      Array.from({ length: count }, (_, i) =>
        event(i % 2 ? 'purchase' : 'click_on_recommendation', startMs + i * secondMs, { version: 'A' }),
      ),
  ],
  [
    'purchases first, and then clicks from before them',
    (count) =>
      Array.from({ length: count }, (_, i) =>
        i < count / 2
          ? event('purchase', startMs + 40_000 * secondMs + i, { version: 'A' })
          : event('click_on_recommendation', startMs + i * secondMs, { version: 'A' }),
      ),
  ],
  [
    'clicks at one moment by many devices of the user, and then purchases',
    (count) =>
      Array.from({ length: count }, (_, i) =>
        event(i < count / 2 ? 'click_on_recommendation' : 'purchase', startMs + (i < count / 2 ? 0 : i), {
          version: 'A',
          deviceId: `d${i}`,
        }),
      ),
  ],
];

for (const [name, makeEvents] of crowds) {
  test(`${crowdSize} events of one user and item cost a bounded number of reads each: ${name}`, async (t) => {
    const db = await createTestDatabase(t);
    await commitAll(db, makeEvents(crowdSize));
    const reads = await countReads(db);
    t.true(reads >= crowdSize / 2 && reads < crowdSize * mostReads, `${reads} rows were read`);
  });
}

test('a late click takes over the purchases up to the next click, and no others', async (t) => {
  const db = await createTestDatabase(t);
  const click = (version: string, second: number) =>
    event('click_on_recommendation', startMs + second * secondMs, { version });
  const purchases = Array.from({ length: 100 }, (_, i) => event('purchase', startMs + (i + 1) * secondMs));
  await commitAndAggregate(db, [click('first', 0), ...purchases]);
  t.deepEqual(await attributedByVersion(db), { first: 100 });
  await commitAndAggregate(db, [click('last', 91)]);
  t.deepEqual(await attributedByVersion(db), { first: 90, last: 10 });
  await commitAndAggregate(db, [click('middle', 51)]);
  t.deepEqual(await attributedByVersion(db), { first: 50, middle: 40, last: 10 });
});
