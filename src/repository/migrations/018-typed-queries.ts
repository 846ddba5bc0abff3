import { type Kysely, sql } from 'kysely';

/**
 * What people searched for last, by user and by device, for their own completions: a device's are
 * those of the user that it was last used by. And of each query by whom it was asked, as marks of four
 * bytes, until it is known that many did.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table typed_queries (
      bucket integer not null,
      environment text collate "C" not null,
      subject text collate "C" not null,
      linked_user text collate "C",
      queries text[] not null,
      updated_at timestamptz not null default now(),
      primary key (bucket, environment, subject)
    ) with (fillfactor = 70)`.execute(db);
  await sql`create index typed_queries_user on typed_queries (bucket, environment, linked_user)`.execute(db);
  await sql`alter table search_queries add column askers bytea not null default ''`.execute(db);
}
