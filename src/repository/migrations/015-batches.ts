import { type Kysely, sql } from 'kysely';

/**
 * Lists for many people at once: the record of what was asked for, and the people with their lists,
 * some hundred a row, since they are written and read as a whole. A schedule asks once for each moment.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table batches (
      batch_id uuid primary key,
      environment text collate "C" not null,
      state text not null,
      request json not null,
      schedule text collate "C",
      due_at timestamptz,
      is_gathered boolean not null default false,
      people_count integer not null default 0,
      next_part integer not null default 0,
      attempts integer not null default 0,
      node text collate "C",
      heartbeat_at timestamptz,
      requested_at timestamptz not null default clock_timestamp(),
      started_at timestamptz,
      ended_at timestamptz,
      expires_at timestamptz,
      failure text,
      unique (environment, schedule, due_at)
    )`.execute(db);
  await sql`create index batches_requested_at on batches (environment, requested_at)`.execute(db);
  await sql`
    create table batch_parts (
      bucket integer not null,
      environment text collate "C" not null,
      batch_id uuid not null,
      part integer not null,
      people text not null,
      results text,
      primary key (bucket, environment, batch_id, part)
    )`.execute(db);
}
