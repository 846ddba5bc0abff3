/** `personalisation migrate`: brings the database up to date, or with a subcommand moves from another product. */

import type { Command } from 'commander';
import { mostBuckets } from '../repository/buckets.ts';
import { createLogger } from '../servers/telemetry/logger.ts';
import { parseWhole } from './arguments.ts';
import { databaseUrlOption } from './local-database.ts';
import { registerRivals } from './migration/commands.ts';

type MigrateOptions = { databaseUrl?: string; buckets?: number; dataDir?: string };

/** The migration and its locks. */
const poolSize = 2;

export function registerMigrate(program: Command): void {
  const command = program
    .command('migrate')
    .description(
      'bring the database up to date, before nodes of this version start (they also do it themselves), or move from another product',
    )
    .addOption(databaseUrlOption('the Postgres of the services'))
    .option(
      '--buckets <number>',
      'buckets of a new database, as `storage.buckets` of the deployment file',
      parseWhole(1, mostBuckets),
    )
    .option(
      '--data-dir <folder>',
      'folder of admin-credentials.json, the first client of a new database; created when it is missing',
    )
    .action(migrateDatabase);
  registerRivals(command);
}

async function migrateDatabase({ databaseUrl, buckets, dataDir }: MigrateOptions): Promise<void> {
  if (databaseUrl === undefined)
    throw new Error('Name the Postgres of the services with --database-url, or the product to move from.');
  const { createDatabase } = await import('../repository/database.ts');
  const { migrate } = await import('../repository/migrations.ts');
  const db = createDatabase(databaseUrl, { poolSize, logger: createLogger('warn') });
  try {
    const applied = await migrate(db, { bucketCount: buckets });
    const { currentRelease } = await import('../repository/releases.ts');
    const outcome = applied.length === 0 ? 'was up to date' : `was upgraded (${applied.join(', ')})`;
    console.log(`The database ${outcome}; it is of ${currentRelease}.`);
    if (dataDir !== undefined) {
      const { ensureAdminCredentials } = await import('../security/admin-credentials.ts');
      const { createClients } = await import('../security/clients.ts');
      const { createClientStore } = await import('../security/stores.ts');
      const clients = createClients({ store: createClientStore(db) });
      const { outcome, path } = await ensureAdminCredentials({ dataDir, clients });
      if (outcome === 'created') console.log(`The administrator's client is in ${path}.`);
    }
  } finally {
    await db.close();
  }
}
