/**
 * A backup of a database that is used meanwhile: one transaction that sees a single moment, table after table by COPY, so that
 * neither the tables' size nor the load matters to the memory of this process.
 */

import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { DomainError } from '../../errors.ts';
import { connect, type Database, queryOn, translateError } from '../database.ts';
import { distributedTables, isCluster } from '../distribution.ts';
import { checksumSetting, listAppliedOn } from '../migrations.ts';
import { type BackedTable, listBackedTables } from './backed-tables.ts';
import { createBackupWriter } from './backup-file.ts';

/** Called after each piece. `table` is the one that is being read; the bytes are all so far. */
export type OnBackupProgress = (progress: { table: string; rows: number; bytes: number }) => void;

/** The bytes of the backup's file. */
export async function* writeBackup(
  db: Database,
  onProgress: OnBackupProgress = () => undefined,
): AsyncGenerator<Buffer, void, undefined> {
  const client = await connect(db);
  let bytes = 0;
  try {
    await beginMoment(client);
    const migrations = await listAppliedOn(client);
    if (migrations.length === 0)
      throw new DomainError('PARAMETER_INVALID', 'The database has no tables yet.');
    const writer = createBackupWriter();
    const [{ takenAt }] = await queryOn<{ takenAt: Date }>(
      client,
      { text: 'select now() as "takenAt"', values: [] },
      { takenAt: 'timestamptz' },
    );
    const tables = await listBackedTables(client);
    yield writer.begin({ taken_at: takenAt.toISOString(), migrations });
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
    /** Closed, which ends the transaction however far it came. */
    client.release(true);
  }
}

/** From here on the transaction sees the database as it is now. */
async function beginMoment(client: pg.PoolClient): Promise<void> {
  await client.query(
    'set statement_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 0',
  );
  await client.query('begin isolation level repeatable read');
  if (!(await isCluster(client))) return;
  /** Servers of a cluster have no moment in common: writers wait until all tables have been read. */
  await client.query(`lock table ${distributedTables.join(', ')} in share mode`);
}

/** Whose functions the database has is a matter of the program that uses it. */
function selectOf({ name, columns }: BackedTable): string {
  const list = columns.map(pg.escapeIdentifier).join(', ');
  const filter = name === 'settings' ? ` where key <> ${pg.escapeLiteral(checksumSetting)}` : '';
  return `select ${list} from ${pg.escapeIdentifier(name)}${filter}`;
}
