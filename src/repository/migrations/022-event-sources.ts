import { type Kysely, sql } from 'kysely';

/**
 * Who an event is from, and event ids that are known within their scope: an id that a write key uses says nothing of the events
 * of a back end, and one type's nothing of another's.
 *
 * Ids that are stored already stay in `event_ids`, where they count for every scope until their seven days are over; to build
 * a wider key over millions of them would lock the table for minutes. Stored events count as a back end's, as nobody can tell.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table events add column is_public boolean not null default false`.execute(db);
  await sql`
    create table event_claims (
      bucket integer not null,
      environment text collate "C" not null,
      event_id text collate "C" not null,
      event_type text collate "C" not null,
      is_public boolean not null,
      received_at timestamptz not null,
      primary key (bucket, environment, event_id, event_type, is_public)
    )`.execute(db);
  await sql`
    create index event_claims_received_at on event_claims
    using brin (received_at) with (pages_per_range = 16)`.execute(db);
}
