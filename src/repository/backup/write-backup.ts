/** Backs up a database in use: one transaction with a single snapshot, table after table by COPY, in bounded memory. */

import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { DomainError } from '../../errors.ts';
import { connect, type Database, queryOn, translateError } from '../database.ts';
import { distributedTables, isCluster } from '../distribution.ts';
import { checksumSetting, listAppliedOn } from '../migrations.ts';
import { findRelease } from '../releases.ts';
import { type BackedTable, listBackedTables } from './backed-tables.ts';
import { createBackupWriter } from './backup-file.ts';

/** Called after each chunk with the current table and the totals so far. */
type OnBackupProgress = (progress: { table: string; rows: number; bytes: number }) => void;

export async function* writeBackup(
  db: Database,
  onProgress: OnBackupProgress = () => undefined,
): AsyncGenerator<Buffer, void, undefined> {
  const client = await connect(db);
  let bytes = 0;
  try {
    await beginSnapshot(client);
    const migrations = await listAppliedOn(client);
    if (migrations.length === 0)
      throw new DomainError('PARAMETER_INVALID', 'The database has no tables yet.');
    const writer = createBackupWriter();
    const [{ takenAt }] = await queryOn<{ takenAt: Date }>(client, 'select now() as "takenAt"');
    const tables = await listBackedTables(client);
    const release = await findRelease(client);
    yield writer.begin({ taken_at: takenAt.toISOString(), migrations, release });
    let rows = 0;
    for (const table of tables) {
      yield writer.table({ table: table.name, columns: table.columns });
      const copy = client.query(copyTo(`copy (${selectOf(table)}) to stdout`));
      for await (const chunk of copy) {
        bytes += chunk.length;
        onProgress({ table: table.name, rows, bytes });
        yield* writer.rows(chunk);
      }
      rows += copy.rowCount;
      yield writer.tableEnd({ rows: copy.rowCount });
    }
    onProgress({ table: '', rows, bytes });
    yield writer.end();
  } catch (error) {
    throw translateError(error);
  } finally {
    /** Closing the connection ends the transaction. */
    client.release(true);
  }
}

/** Begins a transaction that sees the database as it is now. */
async function beginSnapshot(client: pg.PoolClient): Promise<void> {
  await client.query(
    'set statement_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 0',
  );
  await client.query('begin isolation level repeatable read');
  if (!(await isCluster(client))) return;
  /** Servers of a cluster share no snapshot, so writers wait until all tables have been read. */
  await client.query(`lock table ${distributedTables.join(', ')} in share mode`);
}

/** Omits the checksum of the functions, which the restoring program creates. */
function selectOf({ name, columns }: BackedTable): string {
  const list = columns.map(pg.escapeIdentifier).join(', ');
  const filter = name === 'settings' ? ` where key <> ${pg.escapeLiteral(checksumSetting)}` : '';
  return `select ${list} from ${pg.escapeIdentifier(name)}${filter}`;
}
