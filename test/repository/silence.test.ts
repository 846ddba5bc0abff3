import test from 'ava';
import pg from 'pg';
import { type SilenceTimes, watchSilence } from '../../src/repository/silence.ts';
import { createTestDatabase } from '../support/database.ts';
import { relayTo } from '../support/relay.ts';

const times: SilenceTimes = { suspiciousMs: 100, patienceMs: 4_000 };

function createWatchedPool(target: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool(target);
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  watchSilence(pool, target, times);
  return pool;
}

test('who waits for a server that fell silent is told so, and the next one is answered', async (t) => {
  const database = await createTestDatabase(t);
  const { relay, connection } = await relayTo(database.connection);
  const pool = createWatchedPool(connection);
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
  t.like(await pool.query('select 5 as five'), { rows: [{ five: 5 }] });
});

test('a statement may take as long as it likes while the server is there, also when it takes no more connections', async (t) => {
  const database = await createTestDatabase(t);
  const pool = createWatchedPool(database.connection);
  t.teardown(() => pool.end());
  t.is((await pool.query('select pg_sleep(1)')).rowCount, 1);
  const outside = new pg.Client({ ...database.connection, database: 'template1' });
  await outside.connect();
  await outside.query(`alter database "${database.connection.database}" allow_connections false`);
  await outside.end();
  t.is((await pool.query('select pg_sleep(1)')).rowCount, 1);
});
