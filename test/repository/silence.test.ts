import test from 'ava';
import pg from 'pg';
import { createWatchedPool, type SilenceOptions, type SilenceTimes } from '../../src/repository/silence.ts';
import { createTestDatabase } from '../support/database.ts';
import { relayTo } from '../support/relay.ts';

/** A busy server may seem silent with it. */
const times: SilenceTimes = { suspiciousMs: 100, patienceMs: 1_000 };

function createPool(target: pg.PoolConfig, options: SilenceOptions = { times }): pg.Pool {
  const pool = createWatchedPool(target, options);
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

test('a statement on a silent server fails, and the next one is answered', async (t) => {
  const database = await createTestDatabase(t);
  const { relay, connection } = await relayTo(database.connection);
  const pool = createPool(connection);
  t.teardown(async () => {
    relay.close();
    await pool.end();
  });
  await Promise.all([pool.query('select 1'), pool.query('select 2')]);
  relay.hold();
  const held = await pool.connect();
  await t.throwsAsync(pool.query('select 3'), { message: /^Connection terminated/ });
  await t.throwsAsync(held.query('select 4'), { message: /^Client has encountered|^Connection terminated/ });
  held.release(true);
  relay.goOn();
  const answer = () => pool.query('select 5 as five').catch(() => undefined);
  let answered = await answer();
  while (answered === undefined) answered = await answer();
  t.deepEqual(answered.rows, [{ five: 5 }]);
});

test('a long statement continues while the server is there, even if it accepts no more connections', async (t) => {
  const database = await createTestDatabase(t);
  const pool = createPool(database.connection, { times: { ...times, patienceMs: 600_000 } });
  t.teardown(() => pool.end());
  t.is((await pool.query('select pg_sleep(1)')).rowCount, 1);
  const outside = new pg.Client({ ...database.connection, database: 'template1' });
  await outside.connect();
  await outside.query(`alter database "${database.connection.database}" allow_connections false`);
  await outside.end();
  t.is((await pool.query('select pg_sleep(1)')).rowCount, 1);
});

/** Imitates a cluster's coordinator in a plain database: one worker, silent while the table says so. */
const clusterText = `
create table pg_dist_node (nodename text, nodeport int, groupid int, noderole text);
insert into pg_dist_node values ('worker-1', 5432, 1, 'primary');
create table pg_dist_placement (shardid bigint, groupid int);
insert into pg_dist_placement values (100, 1);
create function get_shard_id_for_distribution_column(text, int) returns bigint return 100;
create table silent (is_silent boolean);
insert into silent values (true);
create function citus_check_connection_to_node(text, int) returns boolean
  return case when (select is_silent from silent) then pg_sleep(60) is not null else true end;
`;

test('silent servers of a cluster are logged once, and once more when they answer again', async (t) => {
  const database = await createTestDatabase(t);
  await database.pool.query(clusterText);
  const told: { servers?: string[] }[] = [];
  const logger = { warn: (facts: object) => void told.push(facts) };
  const pool = createPool(database.connection, { times, logger });
  t.teardown(() => pool.end());
  const waitLong = () => pool.query('select pg_sleep(1)').catch(() => undefined);
  while (told.length < 1) await waitLong();
  t.deepEqual(told, [{ servers: ['worker-1:5432'] }]);
  await waitLong();
  await database.pool.query('update silent set is_silent = false');
  while (told.length < 2) await waitLong();
  t.deepEqual(told[1], {});
});
