import { type Kysely, sql } from 'kysely';

/**
 * Events by day of arrival. One index serves reading an environment in order; rows that arrive on a day without a partition
 * go to the default one, so none is lost.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create sequence event_sequence`.execute(db);
  await sql`
    create table events (
      environment text collate "C" not null,
      sequence bigint not null default nextval('event_sequence'),
      received_at timestamptz not null default now(),
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
      details json not null
    ) partition by range (received_at)`.execute(db);
  await sql`create index events_environment_sequence on events (environment, sequence)`.execute(db);
  await sql`create table events_default partition of events default`.execute(db);
}
