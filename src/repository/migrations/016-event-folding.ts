import { type Kysely, sql } from 'kysely';
import { createCountingFunctions } from './counting/count-events.ts';
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
  await remakeHistories(db);
  await sql`drop function if exists commit_events(text, text, text, json, text, text, json, json, json)`.execute(
    db,
  );
  await sql`drop index metric_purchases_time`.execute(db);
  await sql`
    create index metric_purchases_attributed on metric_purchases (environment, purchased_at) where dimension_id is not null`.execute(
    db,
  );
  await createCountingFunctions(db);
  await createStoreFunction(db);
  await createHistoriesFunction(db);
}

/**
 * What changes every time stands before the texts, so that the log need not repeat their unchanged ends; 005-histories.ts says the rest.
 */
async function remakeHistories(db: Kysely<unknown>): Promise<void> {
  await sql`alter table histories rename to former_histories`.execute(db);
  await sql`alter index histories_pkey rename to former_histories_pkey`.execute(db);
  await sql`
    create table histories (
      environment text collate "C" not null,
      subject text collate "C" not null,
      folded_until bigint not null,
      linked_user text collate "C",
      entries text collate "C" not null default '',
      older_entries text collate "C" not null default '',
      impressions text collate "C" not null default '',
      older_impressions text collate "C" not null default '',
      primary key (environment, subject)
    ) with (fillfactor = 70, toast_tuple_target = 4080)`.execute(db);
  for (const column of ['older_entries', 'older_impressions']) {
    await sql`alter table histories alter column ${sql.ref(column)} set storage external`.execute(db);
  }
  await sql`
    insert into histories
    select environment, subject, 0, linked_user, entries, older_entries, impressions, older_impressions
    from former_histories`.execute(db);
  await sql`drop table former_histories`.execute(db);
}
