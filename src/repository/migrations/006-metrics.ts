import { type Kysely, sql } from 'kysely';

/** Columns of sums, as they were when this migration was written; a new one comes by a new migration. */
const measures = [
  'events',
  'impressions',
  'clicks',
  'pageviews',
  'item_interactions',
  'add_to_carts',
  'purchased_items',
  'revenue',
  'search_impressions',
  'search_clicks',
  'batch_opens',
  'batch_impressions',
  'batch_clicks',
  'impressions_sets',
  'users',
  'devices',
  'attributed_purchased_items',
  'attributed_revenue',
  'requests',
  'recommendation_sets',
  'search_requests',
  'searches_without_results',
  'completions',
  'audience_requests',
];

const deviceSums = [
  'pageviews',
  'item_interactions',
  'impressions',
  'clicks',
  'search_impressions',
  'search_clicks',
  'add_to_carts',
  'purchased_items',
  'revenue',
];

/**
 * Hourly counts, and what keeps them exact. `metric_hours` has a row for each hour and combination
 * of dimensions, `metric_totals` one for each hour and value of a single dimension; measures are
 * columns, null where there is nothing, so that a group of events touches few rows. Both are sums:
 * each bucket adds its own, and readers add up the buckets. `metric_keys` and `metric_devices`
 * remember whom and what an hour has seen already; clicks and purchases stand apart, in the bucket
 * of their item, because either may arrive first. Pages keep free space so that updates stay in them.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createSums(db);
  await createPeople(db);
  await createAttribution(db);
  await sql`
    create table metric_served (
      bucket integer not null,
      node text collate "C" not null,
      batch bigint not null,
      served_at timestamptz not null,
      primary key (bucket, node)
    )`.execute(db);
}

async function createSums(db: Kysely<unknown>): Promise<void> {
  const columns = sql.raw(measures.map((name) => `${name} double precision`).join(', '));
  await sql`
    create table metric_dimensions (
      bucket integer not null,
      dimension_id bigint not null,
      environment text collate "C" not null,
      user_group text collate "C" not null,
      version text collate "C" not null,
      page_type text collate "C" not null,
      list_name text collate "C" not null,
      channel text collate "C" not null,
      configuration text collate "C" not null,
      primary key (bucket, dimension_id)
    )`.execute(db);
  await sql`
    create table metric_hours (
      bucket integer not null,
      hour integer not null,
      dimension_id bigint not null,
      counted bigint not null,
      ${columns},
      primary key (bucket, hour, dimension_id, counted)
    ) with (fillfactor = 70)`.execute(db);
  await sql`
    create table metric_totals (
      bucket integer not null,
      environment text collate "C" not null,
      dimension smallint not null,
      hour integer not null,
      value text collate "C" not null,
      ${columns},
      primary key (bucket, environment, dimension, hour, value)
    ) with (fillfactor = 70)`.execute(db);
}

async function createPeople(db: Kysely<unknown>): Promise<void> {
  const sums = sql.raw(deviceSums.map((name) => `${name} double precision not null`).join(', '));
  await sql`
    create table metric_keys (
      bucket integer not null,
      environment text collate "C" not null,
      kind text collate "C" not null,
      hour integer not null,
      key text collate "C" not null,
      dimensions bigint[] not null,
      known_count smallint not null,
      primary key (bucket, environment, kind, hour, key)
    ) with (fillfactor = 90)`.execute(db);
  await sql`
    create table metric_devices (
      bucket integer not null,
      environment text collate "C" not null,
      hour integer not null,
      device_id text collate "C" not null,
      dimensions bigint[] not null,
      known_count smallint not null,
      ${sums},
      primary key (bucket, environment, hour, device_id)
    ) with (fillfactor = 70)`.execute(db);
  await sql`
    create table metric_exposures (
      bucket integer not null,
      environment text collate "C" not null,
      day integer not null,
      device_id text collate "C" not null,
      user_group text collate "C" not null,
      version text collate "C" not null,
      primary key (bucket, environment, day, device_id, user_group, version)
    )`.execute(db);
}

async function createAttribution(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table metric_clicks (
      bucket integer not null,
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
      bucket integer not null,
      purchase_id bigint not null,
      environment text collate "C" not null,
      user_id text collate "C",
      device_id text collate "C",
      item_id text collate "C" not null,
      item_type text collate "C" not null,
      purchased_at bigint not null,
      window_ms bigint not null,
      items double precision not null,
      revenue double precision not null,
      dimension_id bigint,
      primary key (bucket, purchase_id)
    ) with (fillfactor = 90)`.execute(db);
  for (const [table, moment] of [
    ['metric_clicks', 'clicked_at'],
    ['metric_purchases', 'purchased_at'],
  ]) {
    for (const who of ['user_id', 'device_id']) {
      await sql`
        create index ${sql.ref(`${table}_${who}`)} on ${sql.table(table)}
        (bucket, environment, item_id, ${sql.ref(who)}, ${sql.ref(moment)})
        where ${sql.ref(who)} is not null`.execute(db);
    }
  }
  await sql`
    create index metric_purchases_attributed on metric_purchases (bucket, environment, purchased_at)
    where dimension_id is not null`.execute(db);
}
