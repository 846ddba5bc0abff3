/** `personalisation migrate`: brings the database up to date before the nodes of a new version start. */

import { type Command, InvalidArgumentError, Option } from 'commander';
import { mostBuckets } from '../repository/buckets.ts';
import { createLogger } from '../servers/telemetry/logger.ts';

type MigrateOptions = { databaseUrl: string; buckets?: number; dataDir?: string };

/** The migration, and what else asks meanwhile. */
const poolSize = 2;

export function registerMigrate(program: Command): void {
  program
    .command('migrate')
    .description(
      'bring the database up to date, before nodes of this version start. They would do it themselves too.',
    )
    .addOption(
      new Option('--database-url <url>', 'the Postgres of the services')
        .env('DATABASE_URL')
        .makeOptionMandatory(),
    )
    .option(
      '--buckets <number>',
      'of a database that is filled now, as `storage.buckets` of the deployment file says',
      readBuckets,
    )
    .option(
      '--data-dir <folder>',
      'its admin-credentials.json becomes the first client of a new database; made when it is not there',
    )
    .action(migrateDatabase);
}

function readBuckets(text: string): number {
  const buckets = Number(text);
  if (Number.isInteger(buckets) && buckets >= 1 && buckets <= mostBuckets) return buckets;
  throw new InvalidArgumentError(`Must be a whole number from 1 to ${mostBuckets}.`);
}

async function migrateDatabase({ databaseUrl, buckets, dataDir }: MigrateOptions): Promise<void> {
  const { createDatabase } = await import('../repository/database.ts');
  const { migrate } = await import('../repository/migrations.ts');
  const db = createDatabase(databaseUrl, { poolSize, logger: createLogger('warn') });
  try {
    const applied = await migrate(db, { bucketCount: buckets });
    console.log(applied.length === 0 ? 'The database is up to date.' : `Applied ${applied.join(', ')}.`);
    if (dataDir !== undefined) {
      const { ensureAdminCredentials } = await import('../security/admin-credentials.ts');
      const { createClients } = await import('../security/clients.ts');
      const { createClientStore } = await import('../security/stores.ts');
      const clients = createClients({ store: createClientStore(db) });
      const { outcome, path } = await ensureAdminCredentials({ dataDir, clients });
      if (outcome === 'created') console.log(`The administrator's client is that of ${path}.`);
    }
  } finally {
    await db.close();
  }
}
