/** Settings of databases and roles do not change what is stored, counted, returned and deleted. */

import test from 'ava';
import { createPeople } from '../../src/events/people/people.ts';
import { createDatabase, type Database } from '../../src/repository/database.ts';
import type { EventRow } from '../../src/repository/event-row.ts';
import { findHistories } from '../../src/repository/events/histories.ts';
import { measures } from '../../src/repository/metrics/metric-measures.ts';
import { listCounts } from '../../src/repository/metrics/metric-reads.ts';
import { addTypedQueries, findTypedQueries } from '../../src/repository/search/typed-queries.ts';
import { createTestDatabase } from '../support/database.ts';
import { createTestNode } from '../support/events.ts';

const environment = 'shop';
const occurredAtMs = Date.UTC(2026, 1, 3, 4, 30);

const eventOf = (fields: Partial<EventRow>): EventRow => ({
  environment,
  eventType: 'detail_pageview',
  occurredAtMs,
  itemType: 'product',
  itemId: 'lamp',
  robot: false,
  details: { note: 'a\\b "quoted" \u{1f600}', purchased_price: 0.1 },
  ...fields,
});

const hostileSettings: Record<string, string> = {
  transform_null_equals: 'on',
  array_nulls: 'off',
  standard_conforming_strings: 'off',
  backslash_quote: 'off',
  datestyle: 'SQL, DMY',
  intervalstyle: 'sql_standard',
  timezone: 'Pacific/Chatham',
  extra_float_digits: '-15',
  bytea_output: 'escape',
  client_encoding: 'LATIN1',
  default_transaction_isolation: 'serializable',
  default_transaction_deferrable: 'on',
  synchronous_commit: 'off',
  row_security: 'off',
  plan_cache_mode: 'force_custom_plan',
};

/** Runs all kinds of statements. Returns the answers without clock times, sorted. */
async function doEverything(db: Database): Promise<object> {
  const node = await createTestNode(db);
  const people = createPeople({ db, catchUp: node.aggregation.catchUp, settleMs: 0 });
  await node.commit([
    eventOf({ deviceId: 'victim' }),
    eventOf({ deviceId: 'victim', userId: 'anna', eventType: 'click_on_recommendation' }),
    eventOf({ userId: 'anna', eventType: 'purchase', eventId: "order's 1" }),
    eventOf({ deviceId: 'stranger' }),
    eventOf({ deviceId: 'stranger', eventType: 'page_visit', itemId: undefined, itemType: undefined }),
  ]);
  const repeated = await node.commit([
    eventOf({ userId: 'anna', eventType: 'purchase', eventId: "order's 1" }),
  ]);
  await addTypedQueries(db, [
    { environment, subject: 'd:stranger', queries: ['lamp'] },
    { environment, subject: 'd:victim', linkedUser: 'anna', queries: ['sofa'] },
  ]);
  const exportOf = async (kind: 'user' | 'device', id: string) => {
    const records: object[] = [];
    for await (const some of people.export({ environment, kind, id })) records.push(...some);
    return records
      .filter((record) => !('queries' in record))
      .map(({ received_at: _, ...record }: { received_at?: Date }) => JSON.stringify(record))
      .sort();
  };
  const historiesOf = async () =>
    (
      await findHistories(db, [
        { environment, deviceId: 'victim' },
        { environment, deviceId: 'stranger' },
      ])
    ).map(({ version: _, ...history }) => history);
  const before = [await exportOf('device', 'victim'), await exportOf('user', 'anna'), await historiesOf()];
  const { deleted } = await people.delete({ environment, kind: 'device', id: 'victim' });
  return {
    repeated,
    before,
    deleted,
    after: [await exportOf('device', 'victim'), await exportOf('device', 'stranger'), await historiesOf()],
    typed: await findTypedQueries(db, { environment, subject: 'd:stranger' }),
    counts: (await listCounts(db, { measures, fromHour: 0, toHour: 2 ** 31 - 1, groupBy: [], where: {} }))
      .map((count) => JSON.stringify(count))
      .sort(),
  };
}

test('settings of the database or role do not change what is stored, counted, exported and deleted', async (t) => {
  const usual = await createTestDatabase(t);
  const { pool, connection } = await createTestDatabase(t);
  for (const [name, value] of Object.entries(hostileSettings))
    await pool.query(
      `alter role ${connection.user} in database ${connection.database} set ${name} = '${value}'`,
    );
  const hostile = createDatabase(connection, { poolSize: 4 });
  t.teardown(hostile.close);
  const expected = await doEverything(usual);
  t.like(expected, { repeated: [false], deleted: { events: 2 } });
  t.deepEqual(await doEverything(hostile), expected);
});

test('every connection has the settings that statements depend on, regardless of its role', async (t) => {
  const { pool, connection } = await createTestDatabase(t);
  for (const [name, value] of Object.entries(hostileSettings))
    await pool.query(
      `alter role ${connection.user} in database ${connection.database} set ${name} = '${value}'`,
    );
  const db = createDatabase(connection, { poolSize: 1 });
  t.teardown(db.close);
  const names = ['transform_null_equals', 'array_nulls', 'standard_conforming_strings', 'IntervalStyle'];
  const { rows } = await db.pool.query(
    'select name, setting from pg_settings where name = any($1) order by lower(name)',
    [[...names, 'bytea_output', 'client_encoding', 'DateStyle', 'synchronous_commit', 'TimeZone']],
  );
  t.deepEqual(Object.fromEntries(rows.map(({ name, setting }) => [name, setting])), {
    array_nulls: 'on',
    bytea_output: 'hex',
    client_encoding: 'UTF8',
    DateStyle: 'ISO, MDY',
    IntervalStyle: 'postgres',
    standard_conforming_strings: 'on',
    synchronous_commit: 'on',
    TimeZone: 'UTC',
    transform_null_equals: 'off',
  });
});

test('a stricter synchronous_commit is kept', async (t) => {
  const { pool, connection } = await createTestDatabase(t);
  await pool.query(`alter database ${connection.database} set synchronous_commit = 'remote_apply'`);
  const db = createDatabase(connection, { poolSize: 1 });
  t.teardown(db.close);
  t.deepEqual((await db.pool.query('show synchronous_commit')).rows, [
    { synchronous_commit: 'remote_apply' },
  ]);
});
