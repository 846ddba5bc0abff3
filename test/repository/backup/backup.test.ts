/** A backup is restored as it was, or not at all. */

import test, { type ExecutionContext } from 'ava';
import { readFrames } from '../../../src/repository/backup/backup-file.ts';
import { restoreBackup } from '../../../src/repository/backup/restore-backup.ts';
import { writeBackup } from '../../../src/repository/backup/write-backup.ts';
import { createDatabase, type Database } from '../../../src/repository/database.ts';
import { claimLane } from '../../../src/repository/lanes.ts';
import { makeTablesOf, migrate, pendingMigrations } from '../../../src/repository/migrations.ts';
import { findSetting, upsertSetting } from '../../../src/repository/settings.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { addressOf } from '../../support/database-address.ts';
import { upsertItem } from '../../support/items.ts';
import { fc } from '../../support/properties.ts';

const item = (itemId: string) => ({
  environment: 'shop',
  itemType: 'product',
  itemId,
  document: { title: 'tab\t, line\n, backslash \\N and é 漢字' },
});

async function emptyDatabase(t: ExecutionContext): Promise<TestDatabase> {
  const db = await createTestDatabase(t);
  await db.pool.query('drop schema public cascade; create schema public');
  return db;
}

/** With rows in tables of several kinds: a feed, bytes, arrays, a foreign key. */
async function filledDatabase(t: ExecutionContext): Promise<TestDatabase> {
  const db = await createTestDatabase(t);
  for (let i = 0; i < 50; i++) await upsertItem(db, item(`i${i}`));
  await upsertSetting(db, 'demo', { loaded: true });
  await claimLane(db, 'a node that is gone');
  await db.pool.query(`
    insert into model_versions (environment, version, byte_length, chunk_count) values ('shop', 1, 4, 1);
    insert into model_snapshots values ('shop', 1, 0, '\\x00ff5c0a');
    insert into served_models values ('shop', 1);
    insert into clients (client_id, kind, name, scopes, origins)
      values ('c', 'confidential', 'n', '{admin:*,"a b,c"}', '{}')`);
  return db;
}

async function backUp(db: Database): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of writeBackup(db)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function* inPieces(bytes: Buffer, size = 1_000): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** The rows of each table, by its name. */
async function rowsOf(backup: Buffer): Promise<Record<string, string>> {
  const rows: Record<string, string> = {};
  let table = '';
  for await (const { kind, content } of readFrames(inPieces(backup))) {
    if (kind === 'T') table = JSON.parse(content.toString()).table;
    if (kind === 'D') rows[table] = (rows[table] ?? '') + content;
  }
  return rows;
}

const rowCountOf = async (db: Database, table: string) =>
  Number((await db.pool.query(`select count(*) as count from ${table}`)).rows[0].count);

test('every row is restored as it was, and feeds continue from their offsets', async (t) => {
  const source = await filledDatabase(t);
  const target = await emptyDatabase(t);
  const backup = await backUp(source);
  await restoreBackup(target, inPieces(backup));
  const { lanes: _, ...restored } = await rowsOf(await backUp(target));
  const { lanes: __, ...expected } = await rowsOf(backup);
  t.deepEqual(restored, expected);
  t.is(Object.keys(expected).length, 8);
  const next = [await upsertItem(source, item('next')), await upsertItem(target, item('next'))];
  t.is(next[1].number, next[0].number);
});

test('the lanes of former nodes are free after a restore', async (t) => {
  const source = await filledDatabase(t);
  const target = await emptyDatabase(t);
  await restoreBackup(target, inPieces(await backUp(source)));
  t.is(await claimLane(target, 'a new node'), 1);
});

test('a backup is one snapshot despite concurrent writes', async (t) => {
  const source = await filledDatabase(t);
  const chunks: Buffer[] = [];
  for await (const chunk of writeBackup(source)) {
    chunks.push(chunk);
    await upsertItem(source, item(`later ${chunks.length}`));
  }
  const target = await emptyDatabase(t);
  await restoreBackup(target, inPieces(Buffer.concat(chunks)));
  t.is(await rowCountOf(target, 'items'), 50);
});

test('a backup lists the migrations of its snapshot', async (t) => {
  const source = await filledDatabase(t);
  let last = '';
  /** Another program migrates the database until the backup has begun. */
  const connect = async () => {
    const client = await source.pool.connect();
    last = `999-later${last}`;
    await client.query(`insert into kysely_migration values ($1, '2026-01-01T00:00:00Z')`, [last]);
    return client;
  };
  const query = source.pool.query.bind(source.pool);
  const pool = { query, connect } as unknown as TestDatabase['pool'];
  for await (const { kind, content } of readFrames(inPieces(await backUp({ ...source, pool })))) {
    if (kind === 'H') t.is(JSON.parse(content.toString()).migrations.at(-1), last);
  }
});

test('a backup of an earlier version is migrated', async (t) => {
  const source = await emptyDatabase(t);
  const client = await source.pool.connect();
  await makeTablesOf(client, ['001-buckets', '002-items']);
  client.release();
  await source.pool.query(`insert into settings values ('bucket_count', '7'), ('of then', 'true')`);
  const target = await emptyDatabase(t);
  await restoreBackup(target, inPieces(await backUp(source)));
  t.deepEqual(await pendingMigrations(target), []);
  t.is(await findSetting(target, 'bucket_count'), 7);
  t.is((await upsertItem(target, item('a'))).number, 1);
});

test('a backup of a newer version is refused', async (t) => {
  const source = await filledDatabase(t);
  await source.pool.query(`insert into kysely_migration values ('999-of-tomorrow', '2099-01-01');
    update settings set value = '"0.9.0"' where key = 'release'`);
  const target = await emptyDatabase(t);
  const message = /^The backup needs 0\.9\.0 or newer; this is /;
  await t.throwsAsync(restoreBackup(target, inPieces(await backUp(source))), { message });
});

test('deletions are repeated before any node uses a restored database', async (t) => {
  const source = await filledDatabase(t);
  const target = await emptyDatabase(t);
  const node = createDatabase(target.connection, { poolSize: 2 });
  t.teardown(node.close);
  let starting: Promise<number> | undefined;
  await restoreBackup(target, inPieces(await backUp(source)), {
    async beforeUse(db) {
      starting = migrate(node).then(() => rowCountOf(node, 'items'));
      await db.pool.query('delete from items');
    },
  });
  t.is(await starting, 0);
});

test('no node uses a database after a restore that failed with its rows loaded', async (t) => {
  const source = await filledDatabase(t);
  const target = await emptyDatabase(t);
  const beforeUse = async () => {
    throw new Error('It broke off.');
  };
  await t.throwsAsync(restoreBackup(target, inPieces(await backUp(source)), { beforeUse }));
  await t.throwsAsync(migrate(target), { message: /failed; restore into a new one/ });
});

test('a database that has rows is refused and keeps them', async (t) => {
  const source = await filledDatabase(t);
  const target = await createTestDatabase(t);
  await upsertItem(target, item('own'));
  await t.throwsAsync(restoreBackup(target, inPieces(await backUp(source))), { message: /is not empty/ });
  t.is(await rowCountOf(target, 'items'), 1);
  t.deepEqual(await pendingMigrations(target), []);
});

test('tables of other programs are not backed up and do not prevent a restore', async (t) => {
  const source = await filledDatabase(t);
  const target = await emptyDatabase(t);
  const others = `create table items_before as select 'a secret of others' as text; create schema others;
    create table others.clients (id int references others.clients, primary key (id))`;
  for (const db of [source, target]) await db.pool.query(others);
  const backup = await backUp(source);
  t.false(backup.includes('a secret of others'));
  await restoreBackup(target, inPieces(backup));
  t.is(await rowCountOf(target, 'items'), 50);
});

test('a backup finds its tables whatever the search path is', async (t) => {
  const source = await filledDatabase(t);
  const options = encodeURIComponent('-c search_path=later,public');
  await source.pool.query('create schema later');
  const db = createDatabase(`${addressOf(source.connection)}?options=${options}`, { poolSize: 2 });
  t.teardown(() => db.close());
  t.deepEqual(await rowsOf(await backUp(db)), await rowsOf(await backUp(source)));
});

test('an incomplete or changed backup restores nothing', async (t) => {
  const backup = await backUp(await filledDatabase(t));
  const target = await emptyDatabase(t);
  const faults = fc.sample(
    fc.record({ at: fc.nat(backup.length - 1), bit: fc.nat(7), isCut: fc.boolean() }),
    12,
  );
  /** The ends of the file, and names of migrations in its header, too. */
  const name = backup.indexOf('005-histories');
  for (const bit of [0, 3, 6]) faults.push({ at: name + 4, bit, isCut: false });
  for (const at of [0, backup.length - 1])
    faults.push({ at, bit: 0, isCut: true }, { at, bit: 0, isCut: false });
  for (const { at, bit, isCut } of faults) {
    const broken = Buffer.from(isCut ? backup.subarray(0, at) : backup);
    if (!isCut) broken[at] ^= 1 << bit;
    const error = await t.throwsAsync(restoreBackup(target, inPieces(broken)), undefined, `${at} ${isCut}`);
    t.regex(error.message, /damaged|is not a backup/, `${at} ${isCut}`);
    const { rows } = await target.pool.query(`select to_regclass('items') as items`);
    if (rows[0].items !== null) t.is(await rowCountOf(target, 'items'), 0);
  }
  await restoreBackup(target, inPieces(backup));
  t.is(await rowCountOf(target, 'items'), 50);
});

test('no table uses a sequence, which a backup would not contain', async (t) => {
  const db = await createTestDatabase(t);
  const { rows } = await db.pool.query(
    `select relname from pg_class where relkind = 'S' and relnamespace = 'public'::regnamespace`,
  );
  t.deepEqual(rows, []);
});
