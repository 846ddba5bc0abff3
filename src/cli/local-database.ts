/** The database of a service, for commands that work on its machine without the service. */

import { resolve } from 'node:path';
import { Option } from 'commander';
import type { Connection, Database } from '../repository/database.ts';

export type LocalDatabaseOptions = { databaseUrl?: string; dataDir: string };

/** A copy of all tables, with the statements before and after it. */
const poolSize = 6;

export const databaseUrlOption = (description: string): Option =>
  new Option('--database-url <url>', description).env('DATABASE_URL');

export const dataDirOption = (): Option =>
  new Option('--data-dir <folder>', 'folder of the embedded database').env('DATA_DIR').default('.data');

type Expected = 'present' | 'new';

/** Opens the database of `--database-url`, or the embedded one, which is started for the work unless it runs. */
export async function withDatabase<T>(
  { databaseUrl, dataDir }: LocalDatabaseOptions,
  expected: Expected,
  work: (db: Database) => Promise<T>,
): Promise<T> {
  const { createDatabase } = await import('../repository/database.ts');
  const { checkServer } = await import('../repository/server-check.ts');
  /** An empty DATABASE_URL counts as absent. */
  const embedded = databaseUrl ? undefined : await openEmbedded(resolve(dataDir), expected);
  const db = createDatabase(embedded?.connection ?? databaseUrl!, { poolSize });
  try {
    await checkServer(db);
    return await work(db);
  } finally {
    await db.close();
    await embedded?.stop();
  }
}

type Embedded = { connection: Connection; stop(): Promise<void> };

async function openEmbedded(dataDir: string, expected: Expected): Promise<Embedded> {
  const { findRunning, hasDatabase, startEmbeddedPostgres } = await import(
    '../repository/embedded/embedded-postgres.ts'
  );
  const { createLogger } = await import('../servers/telemetry/logger.ts');
  if (expected === 'present' && !hasDatabase(dataDir))
    throw new Error(
      `There is no database in ${dataDir}; name its folder with --data-dir, or --database-url.`,
    );
  const connection = expected === 'present' ? findRunning(dataDir) : undefined;
  if (connection) return { connection, stop: async () => undefined };
  return startEmbeddedPostgres({ dataDir, logger: createLogger('warn') });
}
