import { type Kysely, sql } from 'kysely';

/**
 * Experiments: what was declared, and how far each is. Every change takes a number of the feed
 * `experiments`; followers read the table when the feed moved. `checked_at` is when a node last
 * took the experiment to decide about it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table experiments (
      environment text collate "C" not null,
      experiment_id text collate "C" not null,
      state text not null,
      definition json not null,
      progress json not null,
      updated_at timestamptz not null default now(),
      checked_at timestamptz,
      number bigint not null unique,
      primary key (environment, experiment_id)
    )`.execute(db);
}
