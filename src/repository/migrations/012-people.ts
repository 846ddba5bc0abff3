import { type Kysely, sql } from 'kysely';

/**
 * Deletions of people, and a way to a person's events.
 *
 * `subjects` are marks of the user and devices (repository/people/marks.ts), so that nobody is named here.
 * A deletion has a number when it is done. Events have no index of people that each of them would
 * have to enter; a summary of every 64 pages says who is not in them, and costs an insertion nothing.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table deletions (
      receipt_id uuid primary key,
      environment text collate "C" not null,
      kind text not null check (kind in ('user', 'device')),
      subjects text[] not null,
      requested_at timestamptz not null default clock_timestamp(),
      completed_at timestamptz,
      deleted json not null default '{}',
      number bigint unique
    )`.execute(db);
  await sql`
    create index events_people on events using brin (
      user_id text_bloom_ops(n_distinct_per_range = 1000, false_positive_rate = 0.01),
      device_id text_bloom_ops(n_distinct_per_range = 1000, false_positive_rate = 0.01)
    ) with (pages_per_range = 64, autosummarize = on)`.execute(db);
}
