import test from 'ava';
import { sql } from 'kysely';
import {
  createDatabase,
  type Database,
  execute,
  query,
  translateError,
} from '../../src/repository/database.ts';
import { findSetting } from '../../src/repository/settings.ts';
import { createTestDatabase } from '../support/database.ts';

const run = (db: Database, text: string, values: unknown[] = []) => execute(db, text, text, values);

test('an address reaches the same database as its parts', async (t) => {
  const { connection } = await createTestDatabase(t);
  const { host, port, user, database } = connection;
  const address = `postgres://${user}@${encodeURIComponent(host)}:${port}/${database}`;
  const db = createDatabase(address, { poolSize: 1 });
  t.teardown(db.close);
  const [row] = await query<{ name: string }>(db, '', 'select current_database()::text as name', []);
  t.is(row.name, database);
});

test('a 64-bit integer is a number', async (t) => {
  const db = await createTestDatabase(t);
  const [row] = await query<{ count: number }>(db, '', 'select 9007199254740991::int8 as count', []);
  t.is(row.count, Number.MAX_SAFE_INTEGER);
});

test('date formats of the database or role have no effect', async (t) => {
  const { pool, connection } = await createTestDatabase(t);
  await pool.query(`alter database ${connection.database} set datestyle = 'SQL, DMY'`);
  const db = createDatabase(connection, { poolSize: 1 });
  t.teardown(db.close);
  const [row] = await query<{ moment: Date }>(db, '', 'select to_timestamp(86400) as moment', []);
  t.deepEqual(row.moment, new Date(86_400_000));
});

test('time limits of the database or role for idle sessions and transactions have no effect', async (t) => {
  const { pool, connection } = await createTestDatabase(t);
  const bounds = ['idle_session_timeout', 'transaction_timeout'];
  for (const bound of bounds) await pool.query(`alter database ${connection.database} set ${bound} = '1h'`);
  const db = createDatabase(connection, { poolSize: 1 });
  t.teardown(db.close);
  /** A real short limit could end a connection before its first statement. */
  for (const bound of bounds) {
    const { rows } = await db.pool.query('select setting, reset_val from pg_settings where name = $1', [
      bound,
    ]);
    t.deepEqual(rows, [{ setting: '0', reset_val: '3600000' }], bound);
  }
});

test('numbers keep all digits, regardless of the settings of the database or role', async (t) => {
  const { pool, connection } = await createTestDatabase(t);
  await pool.query(`alter database ${connection.database} set extra_float_digits = 0`);
  const db = createDatabase(connection, { poolSize: 1 });
  t.teardown(db.close);
  const [row] = await query<{ sum: number }>(db, '', 'select 0.1::float8 + 0.2::float8 as sum', []);
  t.is(row.sum, 0.1 + 0.2);
});

test('statements wait for each other, regardless of the default isolation', async (t) => {
  const { pool, connection } = await createTestDatabase(t);
  await pool.query('create table sums (sum int)');
  await pool.query('insert into sums values (0)');
  await pool.query(
    `alter database ${connection.database} set default_transaction_isolation = 'serializable'`,
  );
  const db = createDatabase(connection, { poolSize: 4 });
  t.teardown(db.close);
  const holder = await db.pool.connect();
  await holder.query('begin');
  await holder.query('update sums set sum = sum + 1');
  const waiting = run(db, 'update sums set sum = sum + 1');
  const isWaiting = `select from pg_stat_activity where datname = $1 and wait_event_type = 'Lock'`;
  while ((await pool.query(isWaiting, [connection.database])).rowCount === 0);
  await holder.query('commit');
  holder.release();
  t.is(await waiting, 1);
});

test('the start-up packet has only settings that every pooler knows, and the session is still limited', async (t) => {
  const db = await createTestDatabase(t);
  const begun = `select name from pg_settings where source = 'client' order by name`;
  const names = await query<{ name: string }>(db, '', begun, []);
  t.deepEqual(names, [{ name: 'application_name' }, { name: 'client_encoding' }]);
  const text = `select setting from pg_settings where name = any($1) order by name`;
  const bounds = ['idle_in_transaction_session_timeout', 'lock_timeout', 'statement_timeout'];
  const settings = await query<{ setting: string }>(db, '', text, [bounds]);
  t.deepEqual(
    settings.map(({ setting }) => setting),
    ['10000', '10000', '30000'],
  );
});

const faults = [
  { title: 'a statement that is wrong', text: 'select nothing_known', reason: 'INTERNAL' },
  {
    title: 'a connection that the server ends',
    text: 'select pg_terminate_backend(pg_backend_pid())',
    reason: 'UNAVAILABLE',
  },
  { title: 'a statement past its time', text: 'select pg_sleep(60)', limit: '50ms', reason: 'UNAVAILABLE' },
  {
    title: 'a character that cannot be stored',
    text: 'select $1::text',
    values: ['\u0000'],
    reason: 'PARAMETER_INVALID',
  },
];

for (const { title, text, values = [], limit, reason } of faults) {
  test(`${title} gives ${reason}, and the pool goes on`, async (t) => {
    const db = await createTestDatabase(t);
    if (limit) await db.pool.query(`set statement_timeout = '${limit}'`);
    t.like(await t.throwsAsync(run(db, text, values)), { name: 'DomainError', reason });
    t.is(await findSetting(db, 'any'), undefined);
  });
}

test('a server that is not there gives UNAVAILABLE, prepared or by Kysely', async (t) => {
  const db = createDatabase('postgres://nobody@127.0.0.1:1/none', { poolSize: 1 });
  t.teardown(db.close);
  t.like(await t.throwsAsync(run(db, 'select 1')), { reason: 'UNAVAILABLE' });
  t.like(await t.throwsAsync(findSetting(db, 'any')), { reason: 'UNAVAILABLE' });
});

test('a server that refuses connections gives UNAVAILABLE, prepared or by Kysely', async (t) => {
  const { connection } = await createTestDatabase(t);
  const db = createDatabase(connection, { poolSize: 1 });
  t.teardown(db.close);
  const { pool } = await createTestDatabase(t);
  await pool.query(`alter database ${connection.database} allow_connections false`);
  t.like(await t.throwsAsync(run(db, 'select 1')), { reason: 'UNAVAILABLE' });
  t.like(await t.throwsAsync(findSetting(db, 'any')), { reason: 'UNAVAILABLE' });
});

test('temporary failures are UNAVAILABLE', (t) => {
  const codes = {
    'a process without files left': 'EMFILE',
    'a machine without files left': 'ENFILE',
    'a machine without ports left': 'EADDRNOTAVAIL',
    'a machine without buffers left': 'ENOBUFS',
    'a transaction that nothing came in for too long': '25P03',
    'a transaction longer than the server allows': '25P04',
  };
  for (const [title, code] of Object.entries(codes))
    t.is(translateError(Object.assign(new Error(title), { code })).reason, 'UNAVAILABLE', title);
});

test('the loss of idle connections is survived', async (t) => {
  const db = await createTestDatabase(t);
  const other = await createTestDatabase(t);
  await Promise.all([1, 2, 3].map(() => run(db, 'select pg_sleep(0.01)')));
  await other.pool.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
    db.connection.database,
  ]);
  while (db.pool.totalCount > 0) await new Promise((resolve) => setImmediate(resolve));
  t.is(await findSetting(db, 'any'), undefined);
});

test('the loss of a connection between two statements of a transaction fails the next one', async (t) => {
  const db = await createTestDatabase(t);
  const lost = db.kysely.transaction().execute(async (transaction) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(transaction);
    await db.pool.query('select pg_terminate_backend($1)', [rows[0].pid]);
    while (true) await sql`select pg_sleep(0.01)`.execute(transaction);
  });
  t.like(await t.throwsAsync(lost), { reason: 'UNAVAILABLE' });
  t.is(await findSetting(db, 'any'), undefined);
});
