/**
 * Restores a backup into an empty database.
 *
 * The tables are created as of the backup, all rows are loaded in one transaction that commits if
 * the file's checksum is right, and then the database is migrated. Services that start meanwhile
 * wait for the lock of migrations. If the restore fails after loading the rows, a setting records
 * it, and no service uses the database.
 */

import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { DomainError } from '../../errors.ts';
import { connect, type Database, translateError } from '../database.ts';
import { locks } from '../locks.ts';
import {
  checksumSetting,
  isOfOurLine,
  listApplied,
  listUnknown,
  makeSchema,
  makeTablesOf,
  markUpToDate,
} from '../migrations.ts';
import { needsNewer } from '../releases.ts';
import { restoringSetting } from '../restoring.ts';
import { checkWritableServer } from '../server-check.ts';
import { type BackedTable, listBackedTables } from './backed-tables.ts';
import {
  type BackupHeader,
  damage,
  type Frame,
  parseContent,
  readFrames,
  type TableEnd,
  type TableHeader,
} from './backup-file.ts';

type RestoredBackup = { takenAt: string; rows: number };

type OnRestoreProgress = (progress: { table: string; rows: number }) => void;

type Client = pg.PoolClient;

type RestoreOptions = {
  onProgress?: OnRestoreProgress;
  /** Repeats deletions before any node uses the rows; if it fails, no service uses them. */
  beforeUse?(db: Database): Promise<void>;
};

/** @throws When the database is not empty or the file is damaged; then no row is loaded. */
export async function restoreBackup(
  db: Database,
  input: AsyncIterable<Buffer>,
  { onProgress = () => undefined, beforeUse }: RestoreOptions = {},
): Promise<RestoredBackup> {
  await checkWritableServer(db);
  const client = await connect(db);
  try {
    await claimDatabase(client);
    const frames = readFrames(input);
    const header = await readHeader(frames);
    await prepareTables(db, client, header);
    await client.query('begin');
    const rows = await loadTables(client, frames, onProgress);
    await releaseLanes(client);
    await client.query('insert into settings (key, value) values ($1, $2)', [restoringSetting, 'true']);
    await client.query('commit');
    await makeSchema(client);
    await client.query('analyze');
    await beforeUse?.(db);
    await markUpToDate(client);
    return { takenAt: header.taken_at, rows };
  } catch (error) {
    throw translateError(error);
  } finally {
    /** Closing the connection rolls back and frees the lock. */
    client.release(true);
  }
}

/** A connection that was just closed holds its lock a moment longer. */
const claimWithin = '10s';

async function claimDatabase(client: Client): Promise<void> {
  await client.query(`set statement_timeout = 0; set lock_timeout = '${claimWithin}'`);
  await client.query('set idle_in_transaction_session_timeout = 0');
  await client.query('select pg_advisory_lock($1)', [locks.migration]).catch((cause) => {
    const message = 'Another program is migrating or restoring the database.';
    throw new DomainError('UNAVAILABLE', message, { cause });
  });
  await client.query('set lock_timeout = 0');
}

async function readHeader(frames: AsyncGenerator<Frame>): Promise<BackupHeader> {
  const { value } = await frames.next();
  if (value?.kind !== 'H') throw damage('its header is missing');
  const header = parseContent<BackupHeader>(value);
  const reason = refusalOf(header);
  if (reason === undefined) return header;
  /** A damaged header may name any version; the checksum at the end of the file reveals it. */
  for await (const _ of frames);
  throw refusal(reason);
}

/** Returns why backups of this version cannot be restored; undefined when they can. */
function refusalOf({ migrations, release }: BackupHeader): string | undefined {
  if (!isOfOurLine(migrations))
    return 'The backup is of an older development version, which cannot be upgraded: import items and events again.';
  const unknown = listUnknown(migrations);
  return unknown.length === 0 ? undefined : needsNewer('backup', release, unknown);
}

async function prepareTables(db: Database, client: Client, { migrations }: BackupHeader): Promise<void> {
  const applied = await listApplied(db);
  if (applied.length > 0 && applied.join() !== migrations.join())
    throw refusal(
      'The database has tables of another version than the backup; restore into one without tables.',
    );
  for (const { name } of await listBackedTables(client)) {
    const filter = name === 'settings' ? ` where key <> ${pg.escapeLiteral(checksumSetting)}` : '';
    const { rowCount } = await client.query(`select from ${pg.escapeIdentifier(name)}${filter} limit 1`);
    if (rowCount) throw refusal(`The database is not empty (${name} has rows); restore into an empty one.`);
  }
  await makeTablesOf(client, migrations);
  await client.query('delete from settings where key = $1', [checksumSetting]);
}

async function loadTables(
  client: Client,
  frames: AsyncGenerator<Frame>,
  onProgress: OnRestoreProgress,
): Promise<number> {
  const known = new Map((await listBackedTables(client)).map((table) => [table.name, table]));
  let rows = 0;
  try {
    for (;;) {
      const { value: frame, done } = await frames.next();
      if (done) {
        onProgress({ table: '', rows });
        return rows;
      }
      if (frame.kind !== 'T') throw damage('a table begins in the wrong place');
      const header = parseContent<TableHeader>(frame);
      onProgress({ table: header.table, rows });
      rows += await loadTable(client, copyStatement(known, header), frames);
    }
  } catch (error) {
    /** The file may be damaged, which its checksum reveals. */
    for await (const _ of frames);
    throw error;
  }
}

function copyStatement(known: ReadonlyMap<string, BackedTable>, { table, columns }: TableHeader): string {
  const target = known.get(table);
  const missing = target ? columns.filter((column) => !target.columns.includes(column)) : [table];
  if (missing.length > 0) throw damage(`it has the unknown tables or columns "${missing.join('", "')}"`);
  return `copy ${pg.escapeIdentifier(table)} (${columns.map(pg.escapeIdentifier).join(', ')}) from stdin`;
}

async function loadTable(client: Client, statement: string, frames: AsyncGenerator<Frame>): Promise<number> {
  const copy = client.query(copyFrom(statement));
  let end: Frame | undefined;
  await pipeline(async function* () {
    for (;;) {
      const { value: frame } = await frames.next();
      if (frame?.kind !== 'D') {
        end = frame ?? undefined;
        return;
      }
      yield frame.content;
    }
  }, copy);
  if (end?.kind !== 'E') throw damage('a table ends in the wrong place');
  if (parseContent<TableEnd>(end).rows !== copy.rowCount) throw damage('a table has a wrong number of rows');
  return copy.rowCount;
}

/** Frees the lanes of the nodes that used the backed-up database. */
async function releaseLanes(client: Client): Promise<void> {
  await client.query(`update lanes set seen_at = '-infinity'`);
}

function refusal(message: string): DomainError {
  return new DomainError('PARAMETER_INVALID', message);
}
