/**
 * Sums by calendar day of an environment and item, query, rank or row, counted from the log exactly
 * once: progress moves in the statement that adds the sums, or neither changes.
 */

import { sql } from 'kysely';
import { anonymousDevice } from '../../ranking/subject.ts';
import { forEachBucket, listBuckets } from '../buckets.ts';
import { type Database, queryRaw } from '../database.ts';
import type { EventRow } from '../event-row.ts';
import { type FeedRange, listFeedEnds, type Position, positionKey, rangesBetween } from '../feeds.ts';
import { attributionKeyOf } from './metric-batch.ts';
import { type DayMeasure, dayMeasures } from './metric-measures.ts';

/** Bounds a step: event numbers of a lane, and events after which it reads no further lane. */
const eventsPerStep = 10_000;

/** Values kept of a day and dimension when it is over; the rest is summed under `restValue`. */
const keptValues = 1_000;

/** The value of the rest; no item, query, rank or row has it. */
export const restValue = '';

export type DayDimension = 'item' | 'query' | 'rank' | 'row';

export type DayKey = {
  dimension: DayDimension;
  /** Days since 1970, in the environment's time zone. */
  day: number;
  /** Empty unless the value is an item. */
  item_type: string;
  /** Item ID, fingerprint of a query in decimal, rank or row. */
  value: string;
};

/** Sums to add; absent ones are 0. */
export type DaySums = DayKey & Partial<Record<DayMeasure, number>>;

/** An event about an item, without those of robots. */
export type DayEvent = Pick<EventRow, 'eventType' | 'occurredAtMs'> &
  Record<'deviceId' | 'userId' | 'requestId', string | null> & {
    itemType: string;
    itemId: string;
    itemGroup: string | null;
    /** Properties `rank`, `row`, and those of a price. */
    details: Record<string, unknown>;
  };

/**
 * Counts an environment's next events.
 *
 * @returns Whether there may be more; true also when another node came first.
 */
export async function countDays(
  db: Database,
  environment: string,
  sumsOf: (events: DayEvent[]) => Promise<DaySums[]>,
): Promise<boolean> {
  const found = db.kysely
    .selectFrom('metric_days_progress')
    .select('counted_until')
    .where('environment', '=', environment);
  const from = ((await found.executeTakeFirst())?.counted_until ?? {}) as Position;
  const ranges = rangesBetween(from, await listFeedEnds(db, 'events', await listBuckets(db)));
  if (ranges.length === 0) return false;
  const until = { ...from };
  const events: DayEvent[] = [];
  let isMore = false;
  for (const range of ranges) {
    if (events.length >= eventsPerStep) {
      isMore = true;
      break;
    }
    const end = Math.min(range.until, range.since + eventsPerStep);
    events.push(...(await listDayEvents(db, environment, { ...range, until: end })));
    until[positionKey(range)] = end;
    isMore ||= end < range.until;
  }
  const sums = events.length > 0 ? await sumsOf(events) : [];
  return !(await saveDays(db, { environment, from, until, sums })) || isMore;
}

const listDayEvents = (
  db: Database,
  environment: string,
  { bucket, lane, since, until }: FeedRange,
): Promise<DayEvent[]> =>
  queryRaw<DayEvent>(
    db,
    sql`
    select event_type as "eventType", (extract(epoch from occurred_at) * 1000)::float8 as "occurredAtMs",
      device_id as "deviceId", user_id as "userId", request_id as "requestId",
      coalesce(item_type, '') as "itemType", item_id as "itemId", item_group as "itemGroup",
      json_build_object('rank', details -> 'rank', 'row', details -> 'row', 'amount', details -> 'amount',
        'purchased_price', details -> 'purchased_price', 'original_price', details -> 'original_price') as details
    from events
    where bucket = ${bucket} and environment = ${environment} and lane = ${lane}
      and number > ${since} and number <= ${until} and not robot and item_id is not null
      and (event_type like '%impression' or event_type like '%click_on_recommendation'
        or event_type in ('purchase', 'refund'))`,
  );

type DaysWrite = { environment: string; from: Position; until: Position; sums: readonly DaySums[] };

const added = sql.raw(dayMeasures.map((name) => `${name} = known.${name} + excluded.${name}`).join(', '));
const columns = sql.raw(`environment, dimension, day, item_type, value, ${dayMeasures.join(', ')}`);

/** Rows are sorted by key, so that nodes cannot deadlock. */
const adding = (environment: string, sums: readonly DaySums[]) => sql`
  insert into metric_days as known (${columns})
  select ${environment}, dimension, day, item_type, value,
    ${sql.raw(dayMeasures.map((name) => `coalesce(${name}, 0)`).join(', '))}
  from json_to_recordset(${JSON.stringify(sums)}::json) as input(dimension text, day int, item_type text,
    value text, ${sql.raw(dayMeasures.map((name) => `${name} float8`).join(', '))})`;

const ordered = sql`
  order by dimension collate "C", day, item_type collate "C", value collate "C"
  on conflict (environment, dimension, day, item_type, value) do update set ${added}`;

/** Returns false, and adds nothing, if another node has counted meanwhile. */
async function saveDays(db: Database, { environment, from, until, sums }: DaysWrite): Promise<boolean> {
  const statement = sql`
    with moved as (
      insert into metric_days_progress as known (environment, counted_until)
      values (${environment}, ${JSON.stringify(until)}::json)
      on conflict (environment) do update set counted_until = excluded.counted_until
        where known.counted_until::jsonb = ${JSON.stringify(from)}::jsonb
      returning 1
    ),
    written as (${adding(environment, sums)} where exists (select from moved) ${ordered})
    select exists (select from moved) as "isMoved"`;
  return (await queryRaw<{ isMoved: boolean }>(db, statement))[0].isMoved;
}

/** Adds sums that are not in the log, such as searches. */
export async function addDays(db: Database, environment: string, sums: readonly DaySums[]): Promise<void> {
  await queryRaw(db, sql`${adding(environment, sums)} where true ${ordered}`);
}

export type SearchPurchase = Pick<DayEvent, 'userId' | 'deviceId' | 'itemId' | 'itemType' | 'itemGroup'> & {
  purchasedAtMs: number;
};

/** Returns for each purchase the request of the search that its attributed click belongs to. */
export async function findSearchesOf(
  db: Database,
  environment: string,
  purchases: readonly SearchPurchase[],
  windowMs: number,
): Promise<(string | null)[]> {
  const keyOf = ({ itemId, itemGroup }: SearchPurchase) =>
    attributionKeyOf({ itemId, itemGroup: itemGroup ?? undefined })!;
  const deviceOf = ({ deviceId }: SearchPurchase) =>
    deviceId === anonymousDevice ? null : (deviceId ?? null);
  const keyParts = (one: SearchPurchase): [string, string] => [environment, keyOf(one)];
  return forEachBucket(db, purchases, keyParts, async (bucket, ofBucket) => {
    const statement = sql`
      select click.search_id as "searchId"
      from unnest(${ofBucket.map(keyOf)}::text[], ${ofBucket.map(({ itemType }) => itemType)}::text[],
        ${ofBucket.map(({ userId }) => userId ?? null)}::text[], ${ofBucket.map(deviceOf)}::text[],
        ${ofBucket.map(({ purchasedAtMs }) => Math.floor(purchasedAtMs))}::bigint[])
        with ordinality as purchase(item_id, item_type, user_id, device_id, at, place)
      left join lateral (
        select search_id from metric_clicks as known
        where known.bucket = ${bucket} and known.environment = ${environment} and known.item_id = purchase.item_id
          and (known.user_id = purchase.user_id or known.device_id = purchase.device_id
            and (known.user_id is null or purchase.user_id is null))
          and (known.item_type in (purchase.item_type, '') or purchase.item_type = '')
          and known.clicked_at between purchase.at - ${windowMs}::bigint and purchase.at
        order by known.clicked_at desc, known.dimension_id desc limit 1
      ) as click on true
      order by place`;
    return (await queryRaw<{ searchId: string | null }>(db, statement)).map(({ searchId }) => searchId);
  });
}

/** Sums of an interval of days. */
export type ValueSums = Pick<DayKey, 'item_type' | 'value'> & Record<DayMeasure, number>;

/** Sums the values of a dimension over the days from `from` to `to`, inclusive. */
export function sumDays(
  { kysely }: Database,
  {
    environment,
    dimension,
    from,
    to,
  }: { environment: string; dimension: DayDimension; from: number; to: number },
): Promise<ValueSums[]> {
  return kysely
    .selectFrom('metric_days')
    .select(['item_type', 'value'])
    .select(({ fn }) => dayMeasures.map((name) => fn.sum<number>(name).as(name)))
    .where('environment', '=', environment)
    .where('dimension', '=', dimension)
    .where('day', '>=', from)
    .where('day', '<=', to)
    .groupBy(['item_type', 'value'])
    .execute() as Promise<ValueSums[]>;
}

/** Texts of queries by fingerprint, as typed last; queries that are not stored any more have none. */
export async function listQueryTexts(
  { kysely }: Database,
  environment: string,
): Promise<Map<string, string>> {
  const rows = await kysely
    .selectFrom('search_queries')
    .select(['fingerprint', 'query', 'typed'])
    .where('environment', '=', environment)
    .execute();
  return new Map(rows.map(({ fingerprint, query, typed }) => [String(fingerprint), typed ?? query]));
}

/** Deletes days before `from`, and sums up rare values of the days before `closed`. */
export async function tidyDays(
  { kysely }: Database,
  environment: string,
  { from, closed }: { from: number; closed: number },
): Promise<void> {
  await kysely
    .deleteFrom('metric_days')
    .where('environment', '=', environment)
    .where('day', '<', from)
    .execute();
  const sums = sql.raw(dayMeasures.map((name) => `sum(${name}) as ${name}`).join(', '));
  await sql`
    with rare as (
      delete from metric_days where (dimension, day, item_type, value) in (
        select dimension, day, item_type, value from (
          select dimension, day, item_type, value, row_number() over (
            partition by dimension, day order by searches + impressions + 20 * clicks + 100 * purchases desc, value
          ) as place
          from metric_days where environment = ${environment} and day < ${closed} and value <> ${restValue}
        ) as placed where place > ${keptValues}
      ) and environment = ${environment}
      returning *
    )
    insert into metric_days as known (${columns})
    select environment, dimension, day, '', ${restValue}, ${sums} from rare group by environment, dimension, day
    on conflict (environment, dimension, day, item_type, value) do update set ${added}`.execute(kysely);
}
