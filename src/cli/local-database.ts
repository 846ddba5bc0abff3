/** The database of a service, for commands that work on its machine without the service. */

import { resolve } from 'node:path';
import type { Connection, Database } from '../repository/database.ts';

export type LocalDatabaseOptions = { databaseUrl?: string; dataDir: string };

/** A copy of all tables, and what is asked before it and done after it. */
const poolSize = 6;

type Wanted = 'present' | 'new';

/** The database of `--database-url`; else the embedded one: as it runs, or started for this and stopped afterwards. */
export async function withDatabase(
  { databaseUrl, dataDir }: LocalDatabaseOptions,
  wanted: Wanted,
  work: (db: Database) => Promise<void>,
): Promise<void> {
  const { createDatabase } = await import('../repository/database.ts');
  const { checkServer } = await import('../repository/server-check.ts');
  /** An empty DATABASE_URL is none. */
  const embedded = databaseUrl ? undefined : await openEmbedded(resolve(dataDir), wanted);
  const db = createDatabase(embedded?.connection ?? databaseUrl!, { poolSize });
  try {
    await checkServer(db);
    await work(db);
  } finally {
    await db.close();
    await embedded?.stop();
  }
}

type Embedded = { connection: Connection; stop(): Promise<void> };

async function openEmbedded(dataDir: string, wanted: Wanted): Promise<Embedded> {
  const { findRunning, hasDatabase, startEmbeddedPostgres } = await import(
    '../repository/embedded/embedded-postgres.ts'
  );
  const { createLogger } = await import('../servers/telemetry/logger.ts');
  if (wanted === 'present' && !hasDatabase(dataDir))
    throw new Error(
      `There is no database in ${dataDir}; name its folder with --data-dir, or --database-url.`,
    );
  const connection = wanted === 'present' ? findRunning(dataDir) : undefined;
  if (connection) return { connection, stop: async () => undefined };
  return startEmbeddedPostgres({ dataDir, logger: createLogger('warn') });
}
