/** Brings the schema up to date, once, however many nodes start together. */
import { type Migration, Migrator } from 'kysely';
import { assertServerVersion, type Database, kyselyOn, translateError } from './database.ts';
import { ensureEventPartitions } from './events/event-partitions.ts';
import * as items from './migrations/001-items.ts';
import * as configurations from './migrations/002-configurations.ts';
import * as events from './migrations/003-events.ts';
import * as eventIds from './migrations/004-event-ids.ts';
import * as histories from './migrations/005-histories.ts';
import * as lists from './migrations/006-lists.ts';
import * as clients from './migrations/007-clients.ts';
import * as signingKeys from './migrations/008-signing-keys.ts';
import * as settings from './migrations/009-settings.ts';
import * as recordedRequests from './migrations/010-recorded-requests.ts';
import * as modelSnapshots from './migrations/011-model-snapshots.ts';
import * as metrics from './migrations/012-metrics.ts';
import * as audiences from './migrations/013-audiences.ts';
import * as trainings from './migrations/014-trainings.ts';
import * as search from './migrations/015-search.ts';
import * as eventFolding from './migrations/016-event-folding.ts';

/** Names decide the order and are remembered in the database: never rename one. */
const migrations: Record<string, Migration> = {
  '001-items': items,
  '002-configurations': configurations,
  '003-events': events,
  '004-event-ids': eventIds,
  '005-histories': histories,
  '006-lists': lists,
  '007-clients': clients,
  '008-signing-keys': signingKeys,
  '009-settings': settings,
  '010-recorded-requests': recordedRequests,
  '011-model-snapshots': modelSnapshots,
  '012-metrics': metrics,
  '013-audiences': audiences,
  '014-trainings': trainings,
  '015-search': search,
  '016-event-folding': eventFolding,
};

const provider = { getMigrations: async () => migrations };

/** Any number, as long as nothing else takes it. */
const migrationLock = 7_317_001;

/** Applies what is missing and makes the coming days' event partitions. Nodes that start together wait for the first. */
export async function migrate(db: Database): Promise<void> {
  await assertServerVersion(db);
  const client = await db.pool.connect().catch((error) => {
    throw translateError(error);
  });
  try {
    await client.query('set statement_timeout = 0');
    await client.query('select pg_advisory_lock($1)', [migrationLock]);
    const { error } = await new Migrator({ db: kyselyOn(client), provider }).migrateToLatest();
    if (error !== undefined) throw error;
  } catch (error) {
    throw translateError(error);
  } finally {
    client.release(true);
  }
  await ensureEventPartitions(db);
}

/** The names of migrations this program has and the database has not. */
export async function pendingMigrations(db: Database): Promise<string[]> {
  const applied = await new Migrator({ db: db.kysely, provider }).getMigrations();
  return applied.filter((migration) => migration.executedAt === undefined).map((migration) => migration.name);
}
