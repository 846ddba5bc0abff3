import { type Kysely, sql } from 'kysely';
import { createHistoriesFunction } from './counting/fold-histories.ts';
import { createStoreFunction } from './counting/store-events.ts';

/**
 * Events are stored first, and folded into histories and counts a moment later, many at once. One row says up to which event that is
 * done, and each history up to which it is complete. Everything stored before was folded when it was stored.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`lock table events in share mode`.execute(db);
  await sql`
    create table event_folding (
      is_only boolean primary key default true check (is_only),
      folded_sequence bigint not null
    ) with (fillfactor = 10)`.execute(db);
  await sql`
    insert into event_folding (folded_sequence)
    select case when is_called then last_value else 0 end from event_sequence`.execute(db);
  await sql`alter table histories add column folded_until bigint not null default 0`.execute(db);
  await sql`drop function if exists commit_events(text, text, text, json, text, text, json, json, json)`.execute(
    db,
  );
  await createStoreFunction(db);
  await createHistoriesFunction(db);
}
