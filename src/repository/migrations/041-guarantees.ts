import { type Kysely, sql } from 'kysely';

/**
 * Progress of the guarantees of an environment: events counted up to a position of the log, and the
 * time at which a node last took them (milliseconds since 1970). A new revision replaces the one it
 * was computed from.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table guarantee_progress (
      environment text collate "C" primary key,
      revision bigint not null default 0,
      claimed_at bigint not null,
      position json,
      progress json
    )`.execute(db);
}
