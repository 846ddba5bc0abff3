import { type Kysely, sql } from 'kysely';

/**
 * What is followed, and who writes where.
 *
 * A bucket is a small number, the first column of every key of a large table, by which the tables
 * can be distributed. A feed is a table whose rows are numbered by a counter of their bucket: the
 * counter's row is locked until the statement commits, so numbers have no gaps and are in the order
 * of commit, and who read up to one has missed nothing. Counters are written all the time: their
 * pages keep room for it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table feeds (
      bucket integer not null,
      feed text collate "C" not null,
      lane integer not null,
      last bigint not null,
      primary key (bucket, feed, lane)
    ) with (fillfactor = 10)`.execute(db);
  await sql`
    create table local_feeds (
      feed text collate "C" primary key,
      last bigint not null
    ) with (fillfactor = 10)`.execute(db);
  await sql`
    create table lanes (
      lane integer primary key,
      node text not null,
      seen_at timestamptz not null
    )`.execute(db);
  await sql`create table settings (key text collate "C" primary key, value json not null)`.execute(db);
}
