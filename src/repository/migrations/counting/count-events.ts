import { type Kysely, sql } from 'kysely';
import { countRows, declareRows, rowsOf } from './columns.ts';

/**
 * What is done to the tables of counts with the events of a fold, as functions: it takes one round trip.
 *
 * Each statement of a function sees what was committed before that statement, so what a row's lock was waited for is seen by the next one. All
 * transactions lock in one order: histories, the turn to count, combinations, keys, devices, attribution, totals, hours.
 */
export async function createCountingFunctions(db: Kysely<unknown>): Promise<void> {
  for (const text of [addCombinations, addHours, countSightings, attribute, countEvents])
    await sql.raw(text).execute(db);
}

/**
 * Of functions that are called from outside. Planned once for a connection, since the plan of a statement this wide costs more than to run
 * it; and so that the plan is right for tables of any size, though they may be empty when it is made: rows are found by their keys.
 */
export const plannedOnce = `language plpgsql set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off`;

const dimensions = ['user_group', 'version', 'page_type', 'list_name', 'channel', 'configuration'];

export const measures = [
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

export const deviceSums = [
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

const each = (names: readonly string[], write: (name: string, place: number) => string) =>
  names.map(write).join(', ');

/** A person's further combinations in an hour are not told apart. */
const mostCombinations = 256;

/** Clicks looked at for a purchase, and purchases for a click: no person does the same to an item as often within the window. */
const mostLookedAt = 200;

const addCombinations = `
create or replace function add_combinations(combinations json) returns void language plpgsql as $body$
begin
  insert into metric_dimensions (dimension_id, environment, ${dimensions.join(', ')})
  select dimension_id, environment, ${dimensions.join(', ')}
  from json_to_recordset(combinations) as input(
    dimension_id bigint, environment text, ${each(dimensions, (name) => `${name} text`)})
  order by dimension_id
  on conflict (dimension_id) do nothing;
end
$body$`;

/** What was absent stays null, which takes no space. */
const added = each(
  measures,
  (name) => `
    ${name} = case when excluded.${name} is null then known.${name} else coalesce(known.${name}, 0) + excluded.${name} end`,
);

const sums = each(measures, (name) => `sum(${name})`);

/** In totals the number of a dimension is its place and one; zero stands for all together. */
const places = [
  `(0::smallint, '', 0)`,
  ...dimensions.map((name, place) => `(${place + 1}::smallint, ${name}, ${1 << place})`),
];

const addHours = `
create or replace function add_hours(parts json[]) returns void language plpgsql as $body$
begin
  with added as materialized (
    select hour, dimension_id, counted, ${each(measures, (name) => `sum(${name}) as ${name}`)}
    from unnest(parts) as part cross join lateral json_to_recordset(part) as input(
      hour int, dimension_id bigint, counted bigint, ${each(measures, (name) => `${name} float8`)})
    group by hour, dimension_id, counted
  ),
  totalled as (
    insert into metric_totals as known (environment, dimension, hour, value, ${measures.join(', ')})
    select environment, place.dimension, hour, place.value, ${sums}
    from added join metric_dimensions using (dimension_id)
    cross join lateral (values ${places.join(', ')}) as place(dimension, value, grouping_mask)
    where (counted >> grouping_mask) & 1 = 1
    group by environment, place.dimension, hour, place.value order by environment, place.dimension, hour, place.value
    on conflict (environment, dimension, hour, value) do update set ${added}
    returning 1
  )
  insert into metric_hours as known (hour, dimension_id, counted, ${measures.join(', ')})
  select * from added where (select count(*) from totalled) >= 0 order by hour, dimension_id, counted
  on conflict (hour, dimension_id, counted) do update set ${added};
end
$body$`;

/** By the agreement of two combinations, a mask: the groupings in which the later one is no new sighting. */
const agreedGroupings = Array.from({ length: 64 }, (_, agreement) => {
  let bits = 0n;
  for (let grouping = 0; grouping < 64; grouping++)
    if ((grouping & ~agreement) === 0) bits |= 1n << BigInt(grouping);
  return BigInt.asIntN(64, bits);
});

const agreement = dimensions
  .map((name, place) => `case when one.${name} = other.${name} then ${1 << place} else 0 end`)
  .join(' + ');

/** Each of a key's combinations after the first `known_count` counts wherever no earlier one has the same values. */
const countSightings = `
create or replace function count_sightings(seen json) returns json language plpgsql as $body$
declare
  counted_rows json;
begin
  select json_agg(sightings) into counted_rows from (
    select hour, dimensions[place] as dimension_id, counted,
      sum(case when kind = 'u' then count end) as users,
      sum(case when kind = 's' then count end) as impressions_sets,
      sum(case when kind = 'd' then count end) as devices
    from json_to_recordset(seen) as input(kind text, hour int, dimensions bigint[], known_count int, count int)
    cross join lateral generate_series(known_count + 1, cardinality(dimensions)) as place
    cross join lateral (
      select case when place = 1 then -1 else (
        select ~bit_or(('{${agreedGroupings.join(',')}}'::bigint[])[1 + ${agreement}])
        from metric_dimensions as one, metric_dimensions as other
        where one.dimension_id = dimensions[place] and other.dimension_id = any(dimensions[1:place - 1])
      ) end as counted
    ) as counts
    where counted <> 0
    group by 1, 2, 3
  ) as sightings;
  return counted_rows;
end
$body$`;

const moment = 'environment text, user_id text, device_id text, item_id text, item_type text, at bigint';

/** What a click and a purchase have in common besides the user. */
const sameItem = `
  click.environment = purchase.environment and click.item_id = purchase.item_id
  and (click.item_type = purchase.item_type or click.item_type = '' or purchase.item_type = '')`;
const sameUser = 'click.user_id = purchase.user_id';
const sameDevice = `
  click.device_id = purchase.device_id and (click.user_id is null or purchase.user_id is null)`;
const newestFirst = 'order by clicked_at desc, dimension_id desc limit 1';

const lastClick = (who: string, same: string) => `
  (select clicked_at, dimension_id from (
    select * from metric_clicks as click
    where click.environment = purchase.environment and click.item_id = purchase.item_id and click.${who} = purchase.${who}
      and clicked_at between purchased_at - window_ms and purchased_at order by clicked_at desc limit ${mostLookedAt}
  ) as click where ${sameItem} and ${same} ${newestFirst})`;

/** Purchases that a new click could be the last one of: those before the same person's next click of the same. */
const reached = (who: string, same: string) => `
  select purchase_id from json_to_recordset(new_clicks) as click(${moment})
  cross join lateral (
    select coalesce(min(clicked_at), 9e15::bigint) as next_at from (
      select clicked_at, user_id, device_id, item_type from metric_clicks as later
      where later.environment = click.environment and later.item_id = click.item_id and later.${who} = click.${who}
        and later.clicked_at > click.at order by later.clicked_at limit ${mostLookedAt}
    ) as later
    where later.user_id is not distinct from click.user_id and later.device_id is not distinct from click.device_id
      and later.item_type = click.item_type
  ) as next
  cross join lateral (
    select * from metric_purchases as purchase
    where purchase.environment = click.environment and purchase.item_id = click.item_id and purchase.${who} = click.${who}
      and purchased_at >= click.at and purchased_at < next_at order by purchased_at limit ${mostLookedAt}
  ) as purchase
  where ${sameItem} and ${same} and purchased_at <= click.at + window_ms`;

/** Any number, as long as nothing else takes it. A click and its purchase must not be stored unseen by each other. */
const attributionLock = 7_317_004;

const attribute = `
create or replace function attribute(new_clicks json, new_purchases json) returns json language plpgsql as $body$
declare
  purchase_ids bigint[];
  changes json;
begin
  perform pg_advisory_xact_lock(${attributionLock});
  insert into metric_clicks (environment, user_id, device_id, item_id, item_type, clicked_at, dimension_id)
  select environment, user_id, device_id, item_id, item_type, at, dimension_id
  from json_to_recordset(new_clicks) as input(${moment}, dimension_id bigint);
  with bought as (
    insert into metric_purchases (environment, user_id, device_id, item_id, item_type, purchased_at, window_ms, items, revenue)
    select environment, user_id, device_id, item_id, item_type, at, window_ms, items, revenue
    from json_to_recordset(new_purchases) as input(${moment}, window_ms bigint, items float8, revenue float8)
    returning purchase_id
  )
  select array_agg(purchase_id) into purchase_ids from bought;
  with touched as (
    select unnest(purchase_ids) as purchase_id union ${reached('user_id', sameUser)} union ${reached('device_id', sameDevice)}
  ),
  found as (
    select purchase_id, purchase.dimension_id as before, last.dimension_id as after
    from touched join metric_purchases as purchase using (purchase_id)
    left join lateral (
      select * from (${lastClick('user_id', sameUser)} union all ${lastClick('device_id', sameDevice)}) as click ${newestFirst}
    ) as last on true
    where purchase.dimension_id is distinct from last.dimension_id
  ),
  moved as (
    update metric_purchases as purchase set dimension_id = after from found where purchase.purchase_id = found.purchase_id
    returning purchased_at, items, revenue, before, after
  )
  select json_agg(shifts) into changes from (
    select floor(purchased_at / 3600000.0)::int as hour, side.dimension_id, -1 as counted,
      sum(side.sign * items) as attributed_purchased_items, sum(side.sign * revenue) as attributed_revenue
    from moved cross join lateral (values (before, -1), (after, 1)) as side(dimension_id, sign)
    where side.dimension_id is not null group by 1, 2
  ) as shifts;
  return changes;
end
$body$`;

/** A row's combinations with those after them that it did not have. */
const merged = (
  addition: string,
) => `case when known.dimensions @> ${addition}.dimensions then known.dimensions
      else (known.dimensions || array(
        select unnest(${addition}.dimensions) except select unnest(known.dimensions)))[1:${mostCombinations}] end`;

/** What was sighted by this statement, the same together, in `seen`. */
const collectSeen = (kind: string) => `
    select json_agg(alike), (select count(*) from seen) into sightings, seen_count from (
      select ${kind} as kind, hour, dimensions, known_count, count(*) as count from seen
      where known_count < cardinality(dimensions) group by 1, 2, 3, 4
    ) as alike;
    if sightings is not null then parts := parts || count_sightings(sightings); end if;`;

/** In the order in which `encodeBatch` writes them. */
const keyTypes = { environment: 'text', kind: 'text', hour: 'int', key: 'text', dimensions: 'bigint[]' };
const deviceTypes = {
  environment: 'text',
  hour: 'int',
  device_id: 'text',
  dimensions: 'bigint[]',
  ...Object.fromEntries(deviceSums.map((name) => [name, 'float8'])),
};

/** A key that is there with all its combinations is not touched: to lock a row costs as much as to write it. */
const seeKeys = `
    with input as (
      select * from ${rowsOf('key', keyTypes)} as input
      where not exists (
        select from metric_keys as known where known.environment = input.environment and known.kind = input.kind
          and known.hour = input.hour and known.key = input.key
          and (known.dimensions @> input.dimensions or cardinality(known.dimensions) >= ${mostCombinations})
      )
    ),
    seen as (
      insert into metric_keys as known (environment, kind, hour, key, dimensions, known_count)
      select environment, kind, hour, key, dimensions, 0 from input order by environment, kind, hour, key
      on conflict (environment, kind, hour, key) do update
        set dimensions = ${merged('excluded')}, known_count = cardinality(known.dimensions)
        where not known.dimensions @> excluded.dimensions and cardinality(known.dimensions) < ${mostCombinations}
      returning kind, hour, dimensions, known_count
    )`;

const sameDeviceRow =
  'known.environment = input.environment and known.hour = input.hour and known.device_id = input.device_id';

/** Of devices that the hour knows: to update costs half of what an insertion does that finds its row there. */
const seeKnownDevices = `
    with seen as (
      update metric_devices as known
        set dimensions = ${merged('input')}, known_count = cardinality(known.dimensions),
          ${each(deviceSums, (name) => `${name} = known.${name} + coalesce(input.${name}, 0)`)}
      from ${rowsOf('device', deviceTypes)} as input
      where ${sameDeviceRow}
      returning known.hour, known.dimensions, known.known_count
    )`;

/** Nobody else adds one meanwhile (`countingLock`). */
const seeNewDevices = `
    with seen as (
      insert into metric_devices (environment, hour, device_id, dimensions, known_count, ${deviceSums.join(', ')})
      select environment, hour, device_id, dimensions, 0, ${each(deviceSums, (name) => `coalesce(${name}, 0)`)}
      from ${rowsOf('device', deviceTypes)} as input
      where not exists (select from metric_devices as known where ${sameDeviceRow})
      returning hour, dimensions, known_count
    )`;

/** Any number, as long as nothing else takes it. Whoever counts people counts alone; sums of what was served need no turn. */
const countingLock = 7_317_005;

const countEvents = `
create or replace function count_events(
  combinations json, new_keys text, new_devices text, new_hours json, new_clicks json, new_purchases json
) returns void ${plannedOnce} as $body$
declare
  ${declareRows('key', 'new_keys', keyTypes)}
  ${declareRows('device', 'new_devices', deviceTypes)}
  parts json[] := array[new_hours];
  sightings json;
  seen_count int;
begin
  if new_keys is not null or new_devices is not null then
    perform pg_advisory_xact_lock(${countingLock});
  end if;
  perform add_combinations(combinations);
  if new_keys is not null then ${seeKeys} ${collectSeen('kind')}
  end if;
  if new_devices is not null then
    ${seeKnownDevices} ${collectSeen(`'d'`)}
    if seen_count < ${countRows('device', 'device_id')} then
      ${seeNewDevices} ${collectSeen(`'d'`)}
    end if;
  end if;
  if new_clicks is not null or new_purchases is not null then
    parts := parts || attribute(coalesce(new_clicks, '[]'), coalesce(new_purchases, '[]'));
  end if;
  perform add_hours(parts);
end
$body$`;
