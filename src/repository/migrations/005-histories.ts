import { type Kysely, sql } from 'kysely';

/** What a user or device did last, and what they were shown, apart so that seeing much does not push doing out. No index but the key's and free space in each page, so that updates stay in the page. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table histories (
      environment text collate "C" not null,
      subject text collate "C" not null,
      linked_user text collate "C",
      entries text[] collate "C" not null default '{}',
      impressions text[] collate "C" not null default '{}',
      updated_at timestamptz not null default now(),
      primary key (environment, subject)
    ) with (fillfactor = 70)`.execute(db);
}
