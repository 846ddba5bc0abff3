import { type Kysely, sql } from 'kysely';

/**
 * What a user or device did last, and what they were shown, apart so that seeing much does not push
 * doing out.
 *
 * What came last stays short and in the row; when it is full it moves before the older part, which
 * lies outside the row (TOAST) and costs an update nothing as long as it stays. With 300 entries in
 * one column an event rewrote all of them: twenty times the cost. No index but the key's and free
 * space in each page, so that updates stay in the page. What changes every time stands before the
 * texts, so that the log need not repeat their unchanged ends.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table histories (
      bucket integer not null,
      environment text collate "C" not null,
      subject text collate "C" not null,
      seen_day integer not null,
      linked_at bigint,
      linked_user text collate "C",
      entries text collate "C" not null default '',
      older_entries text collate "C" not null default '',
      impressions text collate "C" not null default '',
      older_impressions text collate "C" not null default '',
      primary key (bucket, environment, subject)
    ) with (fillfactor = 70, toast_tuple_target = 4080)`.execute(db);
  for (const column of ['older_entries', 'older_impressions']) {
    await sql`alter table histories alter column ${sql.ref(column)} set storage external`.execute(db);
  }
}
