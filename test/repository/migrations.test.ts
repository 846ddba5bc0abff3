import { globSync } from 'node:fs';
import test from 'ava';
import { createDatabase } from '../../src/repository/database.ts';
import { ensureEventPartitions } from '../../src/repository/events/event-partitions.ts';
import { streamEvents } from '../../src/repository/events/event-stream.ts';
import { migrate, pendingMigrations } from '../../src/repository/migrations.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

const dropAll = (db: TestDatabase) => db.pool.query('drop schema public cascade; create schema public');

const partitions = async (db: TestDatabase): Promise<string[]> => {
  const text = `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'events'::regclass order by 1`;
  return (await db.pool.query(text)).rows.map((row) => row.name);
};

/** Puts an event into whatever partition its day belongs to, and says which. */
const insertOn = async (db: TestDatabase, day: string): Promise<string> => {
  const text = `insert into events (environment, received_at, occurred_at, event_type, robot, details)
    values ('shop', ${day}, now(), 'detail_view', false, '{}') returning tableoid::regclass::text as name`;
  return (await db.pool.query(text)).rows[0].name;
};

test('an empty database is brought up to date, once, by nodes that start together', async (t) => {
  const db = await createTestDatabase(t);
  await dropAll(db);
  t.is((await pendingMigrations(db)).length, globSync('src/repository/migrations/*.ts').length);
  const nodes = [1, 2, 3].map(() => createDatabase(db.connection, { poolSize: 2 }));
  await Promise.all(nodes.map(migrate));
  await Promise.all(nodes.map((node) => node.close()));
  t.deepEqual(await pendingMigrations(db), []);
  await t.notThrowsAsync(migrate(db));
});

test('each day of this week has its partition of events', async (t) => {
  const db = await createTestDatabase(t);
  t.is((await partitions(db)).length, 9);
  t.not(await insertOn(db, 'now()'), 'events_default');
  t.not(await insertOn(db, "now() + interval '7 days'"), 'events_default');
});

test('an event on a day without a partition is kept, and the day stays where it is', async (t) => {
  const db = await createTestDatabase(t);
  const missing = (await partitions(db)).filter((name) => name !== 'events_default').at(-1)!;
  await db.pool.query(`drop table ${missing}`);
  t.is(await insertOn(db, "now() + interval '7 days'"), 'events_default');
  await ensureEventPartitions(db);
  t.false((await partitions(db)).includes(missing));
  const { value } = await streamEvents(db, 'shop').next();
  t.is(value?.length, 1);
});

test('a missing partition is made by several nodes at once', async (t) => {
  const db = await createTestDatabase(t);
  const before = await partitions(db);
  await db.pool.query(`drop table ${before[0]}`);
  await Promise.all([ensureEventPartitions(db), ensureEventPartitions(db)]);
  t.deepEqual(await partitions(db), before);
});
