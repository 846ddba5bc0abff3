import { type Kysely, sql } from 'kysely';

/** A sample of the latest recommendation requests of each environment, for trying drafts of configurations on them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table recorded_requests (
      environment text collate "C" not null,
      sequence bigint generated always as identity,
      recorded_at timestamptz not null default now(),
      request json not null,
      primary key (environment, sequence)
    )`.execute(db);
}
