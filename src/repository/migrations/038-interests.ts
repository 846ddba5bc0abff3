import { type Kysely, sql } from 'kysely';

/**
 * Standing interests, each a follower of the outbox like a webhook, and the items that they announce
 * or have announced. The announcements are changes, found by an index of their own.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table interests (
      environment text collate "C" not null,
      interest_id text collate "C" not null,
      document json not null,
      enabled boolean not null,
      position json not null,
      node text collate "C",
      leased_until timestamptz,
      created_at timestamptz not null default clock_timestamp(),
      primary key (environment, interest_id)
    )`.execute(db);
  await sql`
    create table interest_items (
      environment text collate "C" not null,
      interest_id text collate "C" not null,
      item_type text collate "C" not null,
      item_id text collate "C" not null,
      due_at timestamptz not null,
      done boolean not null default false,
      primary key (environment, interest_id, item_type, item_id),
      foreign key (environment, interest_id) references interests on delete cascade
    )`.execute(db);
  await sql`create index interest_items_due_at on interest_items (environment, interest_id, due_at)`.execute(
    db,
  );
  await sql`
    create index changes_matched on changes (bucket, environment, changed_at)
    where kind = 'interest.matched'`.execute(db);
}
