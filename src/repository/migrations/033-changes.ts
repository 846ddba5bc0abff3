import { type Kysely, sql } from 'kysely';

/**
 * The outbox of changes, numbered by bucket like every feed; an empty environment means all of them.
 * And the webhooks, each a follower of the outbox: `position` holds the last delivered number of
 * every bucket. A node delivers while it holds the lease; `revision` counts the edits, so that a
 * delivery under way does not undo one.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table changes (
      bucket integer not null,
      number bigint not null,
      environment text collate "C" not null,
      change_id uuid not null,
      kind text collate "C" not null,
      data json not null,
      changed_at timestamptz not null,
      primary key (bucket, number)
    )`.execute(db);
  await sql`
    create table webhooks (
      webhook_id uuid primary key,
      environment text collate "C" not null,
      url text not null,
      kinds text[] not null,
      description text not null,
      state text not null default 'active',
      secrets json not null,
      position json not null,
      revision integer not null default 1,
      attempts integer not null default 0,
      next_at timestamptz not null default clock_timestamp(),
      node text collate "C",
      leased_until timestamptz,
      deliveries jsonb not null default '[]',
      created_at timestamptz not null default clock_timestamp(),
      updated_at timestamptz not null default clock_timestamp()
    )`.execute(db);
  await sql`create index webhooks_environment on webhooks (environment, created_at)`.execute(db);
}
