import { type Kysely, sql } from 'kysely';

/** The event ids of the last days, by which a repeated event is recognised. A block-range index finds the old ones cheaply. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table event_ids (
      environment text collate "C" not null,
      event_id text collate "C" not null,
      received_at timestamptz not null default now(),
      primary key (environment, event_id)
    )`.execute(db);
  await sql`create index event_ids_received_at on event_ids using brin (received_at) with (pages_per_range = 16)`.execute(
    db,
  );
}
