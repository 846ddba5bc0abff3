import { type Kysely, sql } from 'kysely';

/**
 * Audiences that were computed, their people in chunks of JSON text (what is written and read as a
 * whole needs no columns), and an index of the events by which people say whether they want to be
 * reached: these count however old they are. A statement must repeat its condition to use it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table audiences (
      environment text collate "C" not null,
      audience_id text collate "C" not null,
      audience_name text not null,
      integration_type text not null,
      request json not null,
      member_count int not null,
      held_out_count int not null,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null,
      primary key (environment, audience_id)
    )`.execute(db);
  await sql`create index audiences_expires_at on audiences (expires_at)`.execute(db);
  await sql`create index audiences_created_at on audiences (environment, created_at)`.execute(db);
  await sql`
    create table audience_members (
      environment text collate "C" not null,
      audience_id text collate "C" not null,
      held_out boolean not null,
      chunk int not null,
      members text not null,
      primary key (environment, audience_id, held_out, chunk),
      foreign key (environment, audience_id) references audiences on delete cascade
    )`.execute(db);
  await sql`
    create index events_contact_statements on events (bucket, environment, lane, number)
    where not robot and (event_type in ('start_subscription', 'cancel_subscription')
      or event_type in ('user_interaction', 'item_interaction', 'group_interaction')
        and lower(details ->> 'interaction_type') in (
          'unsubscribe', 'unsubscribed', 'opt_out', 'opt-out', 'optout',
          'subscribe', 'subscribed', 'opt_in', 'opt-in', 'optin', 'resubscribe'))`.execute(db);
}
