import { type Kysely, sql } from 'kysely';

/** The current configurations, and every version that ever was; versions go on counting after a deletion. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table configurations (
      configuration_id text collate "C" primary key,
      version integer not null,
      deleted boolean not null,
      document json,
      updated_at timestamptz not null default now(),
      changed_xid xid8 not null default pg_current_xact_id()
    )`.execute(db);
  await sql`create index configurations_changed_xid on configurations (changed_xid)`.execute(db);
  await sql`
    create table configuration_versions (
      configuration_id text collate "C" not null,
      version integer not null,
      document json,
      created_at timestamptz not null default now(),
      client_id text,
      comment text,
      changed_xid xid8 not null default pg_current_xact_id(),
      primary key (configuration_id, version)
    )`.execute(db);
  await sql`create index configuration_versions_changed_xid on configuration_versions (changed_xid)`.execute(
    db,
  );
}
