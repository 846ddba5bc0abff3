import { type Kysely, sql } from 'kysely';

/** Explored lists of a recorded request, with the probabilities of their items. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table recorded_requests add column explored json`.execute(db);
  await sql`
    create index recorded_requests_explored on recorded_requests (bucket, environment, recorded_at)
      where explored is not null`.execute(db);
}
