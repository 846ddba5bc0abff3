import { type Kysely, sql } from 'kysely';

/** What may be a person's, in tables that are not keyed by who did it. */
const ofPeople: [table: string, columns: string[]][] = [
  ['events', ['user_id', 'device_id']],
  ['histories', ['linked_user']],
  ['metric_clicks', ['user_id', 'device_id']],
  ['metric_purchases', ['user_id', 'device_id']],
];

/**
 * Deletions of people, and a way to what is theirs.
 *
 * `subjects` are marks of the user and devices (repository/people/marks.ts), so that nobody is named here.
 * A deletion has a number when it is done. People have no index that every row would have to enter:
 * a summary of every 64 pages says who is not in them, and costs an insertion next to nothing.
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
  for (const [table, columns] of ofPeople) {
    const summaries = columns.map(
      (column) => `${column} text_bloom_ops(n_distinct_per_range = 1000, false_positive_rate = 0.01)`,
    );
    await sql`
      create index ${sql.ref(`${table}_people`)} on ${sql.table(table)} using brin (${sql.raw(summaries.join(', '))})
      with (pages_per_range = 64, autosummarize = on)`.execute(db);
  }
}
