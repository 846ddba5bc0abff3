import { type Kysely, sql } from 'kysely';

/** Items of all environments; each write takes the next number of its bucket. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table items (
      bucket integer not null,
      environment text collate "C" not null,
      item_type text collate "C" not null,
      item_id text collate "C" not null,
      document json not null,
      enabled boolean not null default true,
      revision integer not null default 1,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      number bigint not null,
      primary key (bucket, environment, item_type, item_id)
    )`.execute(db);
  await sql`create unique index items_number on items (bucket, number)`.execute(db);
}
