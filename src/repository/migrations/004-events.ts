import { type Kysely, sql } from 'kysely';

/**
 * The log of events, the ids by which a repeated one is recognised, and how far it is folded.
 *
 * Each node writes into a lane of its own, and numbers are those of a bucket and lane. `folded` says
 * of a bucket which events of a lane it has taken in: `reached[n]` is the number of the last one that
 * was stored in bucket n - 1. A block-range index finds ids past their time cheaply.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table events (
      bucket integer not null,
      environment text collate "C" not null,
      lane integer not null,
      number bigint not null,
      received_at timestamptz not null,
      occurred_at timestamptz not null,
      event_type text collate "C" not null,
      device_id text collate "C",
      user_id text collate "C",
      item_type text collate "C",
      item_id text collate "C",
      request_id text collate "C",
      list_name text collate "C",
      page_type text collate "C",
      channel text collate "C",
      user_group text collate "C",
      version text collate "C",
      robot boolean not null,
      event_id text collate "C",
      details json not null,
      primary key (bucket, environment, lane, number)
    )`.execute(db);
  await sql`
    create table event_ids (
      bucket integer not null,
      environment text collate "C" not null,
      event_id text collate "C" not null,
      received_at timestamptz not null,
      primary key (bucket, environment, event_id)
    )`.execute(db);
  await sql`
    create index event_ids_received_at on event_ids
    using brin (received_at) with (pages_per_range = 16)`.execute(db);
  await sql`
    create table folded (
      bucket integer not null,
      lane integer not null,
      reached bigint[] not null,
      primary key (bucket, lane)
    ) with (fillfactor = 10)`.execute(db);
}
