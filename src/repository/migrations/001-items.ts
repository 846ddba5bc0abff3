import { type Kysely, sql } from 'kysely';

/** Items of all environments; `changed_xid` is what followers of the table read by (see change-feed.ts). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table items (
      environment text collate "C" not null,
      item_type text collate "C" not null,
      item_id text collate "C" not null,
      document json not null,
      enabled boolean not null default true,
      revision integer not null default 1,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      changed_xid xid8 not null default pg_current_xact_id(),
      primary key (environment, item_type, item_id)
    )`.execute(db);
  await sql`create index items_changed_xid on items (changed_xid)`.execute(db);
}
