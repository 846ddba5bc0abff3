import { globSync, readFileSync } from 'node:fs';
import test from 'ava';
import { listBuckets } from '../../src/repository/buckets.ts';
import { createDatabase } from '../../src/repository/database.ts';
import { distributedTables } from '../../src/repository/distribution.ts';
import { listFunctions } from '../../src/repository/functions.ts';
import { locks } from '../../src/repository/locks.ts';
import { migrate, pendingMigrations } from '../../src/repository/migrations.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { addressOf } from '../support/database-address.ts';
import { upsertItem } from '../support/items.ts';

const dropAll = (db: TestDatabase) => db.pool.query('drop schema public cascade; create schema public');

const anItem = { environment: 'shop', itemType: 'product', itemId: 'a', document: {} };

/** A row that is written again, and a function that is made again, gets another one. */
const readMarks = async (db: TestDatabase): Promise<unknown[]> => {
  const { rows } = await db.pool.query(`
    select 'setting' as kind, key as name, xmin::text as mark from settings
    union all select 'function', oid::regprocedure::text, oid || ' ' || xmin from pg_proc
    where pronamespace = 'public'::regnamespace order by 1, 2`);
  return rows;
};

test('an empty database is migrated once by nodes that start together', async (t) => {
  const db = await createTestDatabase(t);
  await dropAll(db);
  t.is((await pendingMigrations(db)).length, globSync('src/repository/migrations/*.ts').length);
  const nodes = [3, 5, 7].map((bucketCount) => ({
    bucketCount,
    db: createDatabase(db.connection, { poolSize: 2 }),
  }));
  await Promise.all(nodes.map((node) => migrate(node.db, { bucketCount: node.bucketCount })));
  t.deepEqual(await pendingMigrations(db), []);
  const counts = await Promise.all(nodes.map(async (node) => (await listBuckets(node.db)).length));
  t.true(nodes.some(({ bucketCount }) => counts.every((count) => count === bucketCount)));
  await Promise.all(nodes.map((node) => node.db.close()));
  t.is((await upsertItem(db, anItem)).number, 1);
});

test('the number of buckets is set when the database is created', async (t) => {
  const db = await createTestDatabase(t);
  await dropAll(db);
  await migrate(db, { bucketCount: 7 });
  await db.pool.query(`update settings set value = '"of an older program"' where key = 'functions'`);
  await migrate(db, { bucketCount: 3 });
  t.deepEqual(await listBuckets(db), [0, 1, 2, 3, 4, 5, 6]);
});

test('an up-to-date database is used without waiting for a migration', async (t) => {
  const db = await createTestDatabase(t);
  const before = await readMarks(db);
  const other = await db.pool.connect();
  await other.query('select pg_advisory_lock($1)', [locks.migration]);
  await migrate(db, { bucketCount: 9 });
  await other.query('select pg_advisory_unlock($1)', [locks.migration]);
  other.release();
  t.deepEqual(await readMarks(db), before);
});

test('migration tables of another program in another schema are ignored', async (t) => {
  const { pool, connection } = await createTestDatabase(t);
  await pool.query('create schema "Ours"');
  const applied = await pool.query('select name from public.kysely_migration order by name');
  const options = encodeURIComponent('-c search_path="Ours"');
  const db = createDatabase(`${addressOf(connection)}?options=${options}`, { poolSize: 2 });
  t.deepEqual(
    await migrate(db),
    applied.rows.map(({ name }) => name),
  );
  t.deepEqual(await pendingMigrations(db), []);
  t.is((await upsertItem(db, anItem)).number, 1);
  await db.pool.query(`update settings set value = '"of an older program"' where key = 'functions'`);
  t.deepEqual(await migrate(db), []);
  t.is((await pool.query('select from public.items')).rowCount, 0);
  await db.close();
});

test('tables of another program later in the search path are ignored', async (t) => {
  const { pool, connection } = await createTestDatabase(t);
  await pool.query(`drop schema public cascade; create schema public; create schema ours;
    create table public.settings (name text, contents text); insert into public.settings values ('a', 'b')`);
  const options = encodeURIComponent('-c search_path=ours,public');
  const db = createDatabase(`${addressOf(connection)}?options=${options}`, { poolSize: 2 });
  t.teardown(() => db.close());
  await migrate(db);
  t.is((await upsertItem(db, anItem)).number, 1);
  t.is((await pool.query('select from public.settings')).rowCount, 1);
});

test('functions find their tables whatever the search path', async (t) => {
  const { pool, connection } = await createTestDatabase(t);
  await pool.query('create schema ours');
  const connect = (path: string) => {
    const options = encodeURIComponent(`-c search_path=${path}`);
    const db = createDatabase(`${addressOf(connection)}?options=${options}`, { poolSize: 2 });
    t.teardown(() => db.close());
    return db;
  };
  await migrate(connect('whose,ours'));
  await pool.query('create schema whose; create table whose.items (number int)');
  t.is((await upsertItem(connect('ours'), anItem)).number, 1);
});

test('functions are replaced when they differ from those of the program', async (t) => {
  const db = await createTestDatabase(t);
  const breakFunction = `create or replace function next_numbers(
    at_bucket integer, of_feed text, of_lane integer, amount bigint
  ) returns bigint language sql as 'select 41'`;
  await db.pool.query(breakFunction);
  await migrate(db);
  t.is((await upsertItem(db, anItem)).number, 41);
  await db.pool.query(`update settings set value = '"of an older program"' where key = 'functions'`);
  const nodes = [1, 2, 3].map(() => createDatabase(db.connection, { poolSize: 2 }));
  await Promise.all(nodes.map((node) => migrate(node)));
  await Promise.all(nodes.map((node) => node.close()));
  t.is((await upsertItem(db, { ...anItem, itemId: 'b' })).number, 1);
  const before = await readMarks(db);
  await migrate(db);
  t.deepEqual(await readMarks(db), before);
});

test('functions are replaced in their schema', async (t) => {
  const db = await createTestDatabase(t);
  const text = `select oid::regprocedure::text as name, oid::int4 from pg_proc
    where pronamespace = 'public'::regnamespace order by 1`;
  const { rows: before } = await db.pool.query(text);
  await db.pool.query(`update settings set value = '"of an older program"' where key = 'functions'`);
  await migrate(db);
  t.deepEqual((await db.pool.query(text)).rows, before);
});

test('a function with another result type is replaced, too', async (t) => {
  const db = await createTestDatabase(t);
  await db.pool.query(`update settings set value = '"of an older program"' where key = 'functions';
    drop function next_numbers(integer, text, integer, bigint);
    create function next_numbers(integer, text, integer, bigint) returns text language sql as 'select null'`);
  await migrate(db);
  t.is((await upsertItem(db, anItem)).number, 1);
});

test('each migration that runs is logged with its duration and release', async (t) => {
  const db = await createTestDatabase(t);
  await dropAll(db);
  const told: Record<string, unknown>[] = [];
  const logger = { info: (facts: object) => void told.push(facts as Record<string, unknown>) };
  const applied = await migrate(db, { logger });
  t.true(applied.length > 0);
  t.deepEqual(
    told.map(({ migration }) => migration),
    applied,
  );
  t.true(told.every(({ duration_ms: duration }) => Number.isInteger(duration)));
  const releases = [...new Set(told.map(({ release }) => release))];
  const changelog = readFileSync('CHANGELOG.md', 'utf8').matchAll(/^## (\d\S+)/gm);
  const headings = Array.from(changelog, ([, release]) => release).toReversed();
  t.deepEqual(
    releases,
    headings.filter((release) => releases.includes(release)),
  );
  await migrate(db, { logger });
  t.is(told.length, applied.length);
});

/** Databases of versions before 0.1.0, with other migrations or other tables. */
const ofDevelopment: [title: string, statements: string, why: string][] = [
  [
    'migrations that no release has',
    `delete from kysely_migration where name > '002-items';
     insert into kysely_migration values ('003-events', '2026-11-20'), ('004-event-ids', '2026-11-20')`,
    'it has 003-events, 004-event-ids',
  ],
  [
    'a gap among its migrations',
    `delete from kysely_migration where name = '005-histories'`,
    '005-histories',
  ],
  ['our tables and no record of migrations', 'drop table kysely_migration', 'already exists'],
];

for (const [title, statements, why] of ofDevelopment) {
  test(`a database with ${title} is refused in one line, which says what to do`, async (t) => {
    const db = await createTestDatabase(t);
    await db.pool.query(statements);
    const before = await readMarks(db);
    const error = await t.throwsAsync(migrate(db), {
      message: /older development version, .* empty database/,
    });
    t.true(error.message.includes(why), error.message);
    t.false(error.message.includes('\n'));
    t.deepEqual(await readMarks(db), before);
  });
}

/** As the program before the last migrations left it. */
const lastMigrations = [
  '025-query-witnesses',
  '026-blocked-queries',
  '030-negative-interactions',
  '031-handovers',
  '032-variants',
  '033-changes',
  '034-streams',
  '035-explored',
  '036-experiments',
  '037-console',
  '038-interests',
  '039-alerts',
  '041-guarantees',
  '042-metric-days',
  '043-configuration-drafts',
  '044-imports',
  '045-people-roles',
  '047-list-signals',
  '048-training-hits',
  '050-pages',
  '051-second-factor',
  '052-draft-comments',
  '053-saved-views',
  '054-metric-segments',
];

const undoLast = (db: TestDatabase) =>
  db.pool.query(`alter table search_queries drop column witnesses, drop column typed, add column askers bytea not null default '';
    drop table blocked_queries, handovers, changes, webhooks, interest_items, interests, experiments, stream_offsets, stream_publications, alerts, alert_checks, guarantee_progress, metric_days, metric_days_progress, configuration_drafts, rejected_records, import_parts, imports, pages, saved_views;
    alter table recorded_requests drop column explored;
    alter table histories drop column freed_at, drop column past_devices;
    alter table events drop column item_group;
    alter table metric_hours drop column negative_interactions, drop column list_freshness, drop column list_scores;
    alter table metric_totals drop column negative_interactions, drop column list_freshness, drop column list_scores;
    alter table clients drop column email, drop column session, drop column link_hash, drop column link_expires_at, drop column totp_key, drop column totp_step, drop column recovery_hashes, drop column oidc_subject;
    alter table search_synonyms drop column client_id;
    alter table trainings drop column hit_count, drop column served_hit_count;
    alter table metric_clicks drop column variant_id, drop column search_id;
    alter table metric_dimensions drop column segments;
    alter table metric_purchases drop column variant_id;
    delete from kysely_migration where name >= '${lastMigrations[0]}'`);

test('nodes keep working while a migration waits for a long reader', async (t) => {
  const db = await createTestDatabase(t);
  await undoLast(db);
  const node = createDatabase(db.connection, { poolSize: 2 });
  t.teardown(() => node.close());
  const backup = await db.pool.connect();
  t.teardown(() => backup.release(true));
  await backup.query('set idle_in_transaction_session_timeout = 0; begin; select from search_queries');
  const migrating = migrate(node);
  const waits = `select from pg_locks where relation = 'search_queries'::regclass and not granted`;
  while ((await db.pool.query(waits)).rowCount === 0);
  await t.notThrowsAsync(db.pool.query('select from search_queries'));
  t.deepEqual(await pendingMigrations(db), lastMigrations);
  await backup.query('commit');
  t.deepEqual(await migrating, lastMigrations);
});

test('the tables with a bucket are those that a cluster distributes, and it is their first column', async (t) => {
  const db = await createTestDatabase(t);
  const { rows } = await db.pool.query(`
    select attrelid::regclass::text as name, attnum as place from pg_attribute
    join pg_class on pg_class.oid = attrelid
    where attname = 'bucket' and relkind in ('r', 'p') and relnamespace = 'public'::regnamespace
    order by name`);
  t.deepEqual(
    rows.map(({ name }) => name),
    distributedTables.toSorted(),
  );
  t.true(rows.every(({ place }) => place === 1));
});

test('every unique index of a distributed table begins with the bucket', async (t) => {
  const db = await createTestDatabase(t);
  const { rows } = await db.pool.query(
    `select indrelid::regclass::text as name, indexrelid::regclass::text as index,
       attname as first, indisprimary as "isKey"
     from pg_index join pg_attribute on attrelid = indrelid and attnum = indkey[0]
     where indisunique and indrelid::regclass::text = any($1)`,
    [distributedTables],
  );
  t.deepEqual(
    rows.filter(({ first }) => first !== 'bucket'),
    [],
  );
  const withKey = rows.filter(({ isKey }) => isKey).map(({ name }) => name);
  t.deepEqual(
    distributedTables.filter((name) => !withKey.includes(name)),
    /** Clicks of an item are alike; nothing refers to one. */
    ['metric_clicks'],
  );
});

test('every function exists, and those of one bucket take it as their first parameter', async (t) => {
  const db = await createTestDatabase(t);
  const { rows } = await db.pool.query(`
    select oid::regprocedure::text as signature, proargnames[1] as name, proargtypes[0]::regtype::text as type
    from pg_proc where pronamespace = 'public'::regnamespace and prorettype <> 'trigger'::regtype`);
  const functions = listFunctions(false);
  const plain = (signature: string) => signature.replaceAll(' ', '').replaceAll('float8', 'doubleprecision');
  const found = new Map(
    rows.map((row) => [plain(row.signature.replace(/timestamp with time zone/g, 'timestamptz')), row]),
  );
  t.deepEqual([...found.keys()].toSorted(), functions.map(({ signature }) => plain(signature)).toSorted());
  for (const { signature } of functions.filter(({ isOfBucket }) => isOfBucket)) {
    t.like(found.get(plain(signature)), { name: 'at_bucket', type: 'integer' });
  }
});
