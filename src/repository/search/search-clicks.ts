/**
 * Clicks and impressions by query and item, aggregated from search events exactly once.
 *
 * Any node aggregates: it reads new events and writes the changed rows together with its offset,
 * unless another node has moved the offset meanwhile. Every node follows the rows by their numbers
 * (feeds.ts). A query is stored as its fingerprint.
 */

import { sql } from 'kysely';
import { listBuckets } from '../buckets.ts';
import { type Database, queryRaw } from '../database.ts';
import {
  type FeedRange,
  listFeedEnds,
  nextLocalNumbers,
  type Position,
  positionKey,
  rangesBetween,
} from '../feeds.ts';

/** Most event numbers of a lane that one step reads, to bound its memory. */
const eventsPerFolding = 20_000;

/** Items kept of a query, and rows of an environment; those with the fewest and oldest clicks are deleted first. */
const mostItemsOfQuery = 50;
const mostRows = 200_000;

export type SearchEvent = {
  environment: string;
  /** The search that found the item. */
  requestId: string;
  itemType: string;
  itemId: string;
  isClick: boolean;
  /** `u` or `d` followed by the ID of the user or device. */
  visitor: string;
  occurredAtMs: number;
};

export type ClickKey = { environment: string; fingerprint: number; itemType: string; itemId: string };

export type ClickRow = ClickKey & {
  /** Decayed until `countedAtMs`. */
  clicks: number;
  views: number;
  countedAtMs: number;
  /** Marks of the visitors counted last, four bytes each. */
  clickers: Buffer;
  viewers: Buffer;
};

export type Folding = {
  /** Returns the keys of the rows that the events change. */
  keysOf(events: SearchEvent[]): ClickKey[];
  /** Returns the rows with the events added. */
  fold(events: SearchEvent[], rows: ClickRow[]): ClickRow[];
};

/**
 * Aggregates an environment's next events.
 *
 * @returns Whether there may be more; true also when another node came first.
 */
export async function foldSearchEvents(
  db: Database,
  environment: string,
  { keysOf, fold }: Folding,
): Promise<boolean> {
  const from = await findProgress(db, environment);
  const ranges = rangesBetween(from, await listFeedEnds(db, 'events', await listBuckets(db)));
  if (ranges.length === 0) return false;
  const steps = ranges.map((range) => ({
    ...range,
    until: Math.min(range.until, range.since + eventsPerFolding),
  }));
  const until = { ...from };
  const events: SearchEvent[] = [];
  for (const step of steps) {
    events.push(...(await listSearchEvents(db, environment, step)));
    until[positionKey(step)] = step.until;
  }
  const keys = keysOf(events);
  const rows = events.length > 0 ? fold(events, await findClicks(db, keys)) : [];
  const isMoved = await saveClicks(db, { environment, from, until, rows });
  if (isMoved && keys.length > 0) await deleteLeastClicked(db, keys);
  return !isMoved || steps.some((step, i) => step.until < ranges[i].until);
}

async function findProgress(db: Database, environment: string): Promise<Position> {
  const found = db.kysely
    .selectFrom('search_clicks_progress')
    .select('events_until')
    .where('environment', '=', environment);
  return ((await found.executeTakeFirst())?.events_until ?? {}) as Position;
}

/** Lists search events without those of robots and unknown subjects. */
async function listSearchEvents(
  db: Database,
  environment: string,
  { bucket, lane, since, until }: FeedRange,
): Promise<SearchEvent[]> {
  const statement = sql`
    select environment, request_id as "requestId", item_type as "itemType", item_id as "itemId",
      event_type = 'search_click_on_recommendation' as "isClick", coalesce('u' || user_id, 'd' || device_id) as visitor,
      (extract(epoch from occurred_at) * 1000)::int8 as "occurredAtMs"
    from events
    where bucket = ${bucket} and environment = ${environment} and lane = ${lane}
      and number > ${since} and number <= ${until}
      and event_type in ('search_impression', 'search_click_on_recommendation') and not robot
      and request_id is not null and item_id is not null and item_type is not null
      and coalesce(user_id, device_id) is not null
    order by number`;
  return queryRaw<SearchEvent>(db, statement);
}

const clickColumns =
  sql.raw(`environment, fingerprint, item_type as "itemType", item_id as "itemId", clicks, views,
  (extract(epoch from counted_at) * 1000)::int8 as "countedAtMs", clickers, viewers`);

async function findClicks(db: Database, keys: ClickKey[]): Promise<ClickRow[]> {
  const statement = sql`
    select ${clickColumns} from search_clicks
    where (environment, fingerprint, item_type, item_id) in (
      select * from unnest(${keys.map((key) => key.environment)}::text[], ${keys.map((key) => key.fingerprint)}::bigint[],
        ${keys.map((key) => key.itemType)}::text[], ${keys.map((key) => key.itemId)}::text[])
    )`;
  return queryRaw<ClickRow>(db, statement);
}

type ClicksWrite = { environment: string; from: Position; until: Position; rows: ClickRow[] };

/** Writes rows and offset in one statement, or neither when the offset has moved. */
async function saveClicks(db: Database, { environment, from, until, rows }: ClicksWrite): Promise<boolean> {
  const statement = sql`
    with moved as (
      insert into search_clicks_progress as known (environment, events_until)
      values (${environment}, ${JSON.stringify(until)}::json)
      on conflict (environment) do update set events_until = excluded.events_until
        where known.events_until::jsonb = ${JSON.stringify(from)}::jsonb
      returning 1
    ),
    ${nextLocalNumbers('search_clicks', rows.length)},
    written as (
      insert into search_clicks
        (environment, fingerprint, item_type, item_id, clicks, views, counted_at, clickers, viewers, number)
      select input.*, taken.last - ${rows.length}::bigint
        + row_number() over (order by environment, fingerprint, item_type, item_id)
      from unnest(
        ${rows.map((row) => row.environment)}::text[], ${rows.map((row) => row.fingerprint)}::bigint[],
        ${rows.map((row) => row.itemType)}::text[], ${rows.map((row) => row.itemId)}::text[],
        ${rows.map((row) => row.clicks)}::float8[], ${rows.map((row) => row.views)}::float8[],
        ${rows.map((row) => new Date(row.countedAtMs))}::timestamptz[],
        ${rows.map((row) => row.clickers)}::bytea[], ${rows.map((row) => row.viewers)}::bytea[]
      ) as input(environment, fingerprint, item_type, item_id, clicks, views, counted_at, clickers, viewers)
      cross join moved cross join taken
      on conflict (environment, fingerprint, item_type, item_id) do update set
        clicks = excluded.clicks, views = excluded.views, counted_at = excluded.counted_at,
        clickers = excluded.clickers, viewers = excluded.viewers, number = excluded.number
    )
    select exists (select from moved) as "isMoved"`;
  return (await queryRaw<{ isMoved: boolean }>(db, statement))[0].isMoved;
}

async function deleteLeastClicked(db: Database, keys: ClickKey[]): Promise<void> {
  await sql`
    delete from search_clicks where ctid in (
      select ctid from (
        select ctid, row_number() over (
          partition by environment, fingerprint order by clicks desc, views desc, counted_at desc) as place
        from search_clicks
        where (environment, fingerprint) in (
          select * from unnest(${keys.map((key) => key.environment)}::text[], ${keys.map((key) => key.fingerprint)}::bigint[])
        )
      ) as placed where place > ${mostItemsOfQuery}
    )`.execute(db.kysely);
}

/** Deletes rows beyond the number kept. */
export async function deleteOldClicks({ kysely }: Database, environment: string): Promise<void> {
  await kysely
    .deleteFrom('search_clicks')
    .where(
      sql<boolean>`ctid in (select ctid from search_clicks where environment = ${environment}
        order by counted_at desc, fingerprint offset ${mostRows})`,
    )
    .execute();
}

/** A row as followers read it. */
type FollowedClicks = ClickKey & {
  clicks: number;
  views: number;
  countedAtMs: number;
  /** Number of distinct visitors among those counted last. */
  clickerCount: number;
};

type NumberedClicks = FollowedClicks & { number: number };

/** Lists rows written after a number, in the order of commit, for items that several visitors saw or clicked. */
export function listClicksAfter(
  { kysely }: Database,
  { sinceNumber, leastVisitors, limit }: { sinceNumber: number; leastVisitors: number; limit: number },
): Promise<NumberedClicks[]> {
  return kysely
    .selectFrom('search_clicks')
    .select(['number', 'environment', 'fingerprint', 'item_type as itemType', 'item_id as itemId'])
    .select(['clicks', 'views'])
    .select(({ cast }) => [
      cast<number>(sql`extract(epoch from counted_at) * 1000`, 'bigint').as('countedAtMs'),
      cast<number>(sql`length(clickers) / 4`, 'integer').as('clickerCount'),
    ])
    .where('number', '>', sinceNumber)
    .where(sql<boolean>`greatest(length(clickers), length(viewers)) >= 4 * ${leastVisitors}::int`)
    .orderBy('number')
    .limit(limit)
    .execute();
}

type ClickedQuery = { environment: string; query: string; clicks: number };

/** Lists the queries with most clicks, among those with a known text. */
export function listClickedQueries(
  { kysely }: Database,
  leastVisitors: number,
  limit: number,
): Promise<ClickedQuery[]> {
  return kysely
    .selectFrom('search_clicks')
    .innerJoin('search_queries', (join) =>
      join
        .onRef('search_queries.environment', '=', 'search_clicks.environment')
        .onRef('search_queries.fingerprint', '=', 'search_clicks.fingerprint'),
    )
    .select(['search_clicks.environment', 'query', ({ fn }) => fn.sum<number>('clicks').as('clicks')])
    .where(sql<boolean>`length(clickers) >= 4 * ${leastVisitors}::int`)
    .groupBy(['search_clicks.environment', 'query'])
    .orderBy(({ fn }) => fn.sum('clicks'), 'desc')
    .orderBy('query')
    .limit(limit)
    .execute();
}
