import { type Kysely, sql } from 'kysely';
import { createCountingFunctions, deviceSums, measures } from './counting/count-events.ts';

/**
 * Hourly counts, and what keeps them exact. `metric_hours` has a row for each hour and combination of dimensions, `metric_totals` one for each hour and
 * value of a single dimension; measures are columns, null where there is nothing, so that a group of events touches few rows. `metric_keys` and
 * `metric_devices` remember whom and what an hour has seen already; clicks and purchases stand apart because either may arrive first. Pages
 * keep free space so that updates stay in them.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table metric_dimensions (
      dimension_id bigint primary key,
      environment text collate "C" not null,
      user_group text collate "C" not null,
      version text collate "C" not null,
      page_type text collate "C" not null,
      list_name text collate "C" not null,
      channel text collate "C" not null,
      configuration text collate "C" not null
    )`.execute(db);
  const measureColumns = sql.raw(measures.map((name) => `${name} double precision`).join(', '));
  await sql`
    create table metric_hours (
      hour integer not null,
      dimension_id bigint not null,
      counted bigint not null,
      ${measureColumns},
      primary key (hour, dimension_id, counted)
    ) with (fillfactor = 70)`.execute(db);
  await sql`
    create table metric_totals (
      environment text collate "C" not null,
      dimension smallint not null,
      hour integer not null,
      value text collate "C" not null,
      ${measureColumns},
      primary key (environment, dimension, hour, value)
    ) with (fillfactor = 70)`.execute(db);
  await sql`
    create table metric_keys (
      environment text collate "C" not null,
      kind text collate "C" not null,
      hour integer not null,
      key text collate "C" not null,
      dimensions bigint[] not null,
      known_count smallint not null,
      primary key (environment, kind, hour, key)
    ) with (fillfactor = 90)`.execute(db);
  await createDevices(db);
  await createAttribution(db);
  await createBackfill(db);
  await createCountingFunctions(db);
}

async function createDevices(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table metric_devices (
      environment text collate "C" not null,
      hour integer not null,
      device_id text collate "C" not null,
      dimensions bigint[] not null,
      known_count smallint not null,
      ${sql.raw(deviceSums.map((name) => `${name} double precision not null`).join(', '))},
      primary key (environment, hour, device_id)
    ) with (fillfactor = 70)`.execute(db);
  await sql`
    create table metric_exposures (
      environment text collate "C" not null,
      day integer not null,
      device_id text collate "C" not null,
      user_group text collate "C" not null,
      version text collate "C" not null,
      primary key (environment, day, device_id, user_group, version)
    )`.execute(db);
}

async function createAttribution(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table metric_clicks (
      environment text collate "C" not null,
      user_id text collate "C",
      device_id text collate "C",
      item_id text collate "C" not null,
      item_type text collate "C" not null,
      clicked_at bigint not null,
      dimension_id bigint not null
    )`.execute(db);
  await sql`
    create table metric_purchases (
      purchase_id bigint generated always as identity primary key,
      environment text collate "C" not null,
      user_id text collate "C",
      device_id text collate "C",
      item_id text collate "C" not null,
      item_type text collate "C" not null,
      purchased_at bigint not null,
      window_ms bigint not null,
      items double precision not null,
      revenue double precision not null,
      dimension_id bigint
    ) with (fillfactor = 90)`.execute(db);
  for (const [table, moment] of [
    ['metric_clicks', 'clicked_at'],
    ['metric_purchases', 'purchased_at'],
  ]) {
    for (const who of ['user_id', 'device_id']) {
      await sql`
        create index ${sql.ref(`${table}_${who}`)} on ${sql.table(table)}
        (environment, item_id, ${sql.ref(who)}, ${sql.ref(moment)}) where ${sql.ref(who)} is not null`.execute(
        db,
      );
    }
  }
  await sql`create index metric_purchases_time on metric_purchases (environment, purchased_at)`.execute(db);
}

/** What was stored before there were metrics is counted by the running service, up to here. */
async function createBackfill(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table metric_backfill (
      environment text collate "C" primary key,
      counted_sequence bigint not null,
      last_sequence bigint not null
    )`.execute(db);
  await sql`
    insert into metric_backfill select environment, 0, max(sequence) from events group by environment`.execute(
    db,
  );
}
