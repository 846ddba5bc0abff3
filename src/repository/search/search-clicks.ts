/**
 * What the finders of a query clicked and saw, item by item, folded from search events exactly once.
 *
 * Any node folds: it reads what is new, and writes what follows from it together with the place up to which
 * it has read, unless another node has moved that place meanwhile. Every node follows the rows by their
 * numbers (feeds.ts). A query is known by its fingerprint only.
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
import type { Shape } from '../row-shape.ts';

/** Numbers of a lane that one folding reads; bounds its memory. */
const eventsPerFolding = 20_000;

/** Items kept of a query, and rows kept of an environment; those clicked least, and longest ago, go first. */
const mostItemsOfQuery = 50;
const mostRows = 200_000;

export type SearchEvent = {
  environment: string;
  /** Of the search that the item was found by. */
  requestId: string;
  itemType: string;
  itemId: string;
  isClick: boolean;
  /** User or device. */
  visitor: string;
  occurredAtMs: number;
};

export type ClickKey = { environment: string; fingerprint: number; itemType: string; itemId: string };

export type ClickRow = ClickKey & {
  /** Faded to `countedAtMs`. */
  clicks: number;
  views: number;
  countedAtMs: number;
  /** Visitors counted last, four bytes each. */
  clickers: Buffer;
  viewers: Buffer;
};

export type Folding = {
  /** Keys of the rows that the events change. */
  keysOf(events: SearchEvent[]): ClickKey[];
  /** The rows as they are afterwards. */
  fold(events: SearchEvent[], rows: ClickRow[]): ClickRow[];
};

/**
 * Folds an environment's next events.
 *
 * @returns whether there may be more to fold; true also when another node was faster
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

const eventShape: Shape<SearchEvent> = {
  environment: 'text',
  requestId: 'text',
  itemType: 'text',
  itemId: 'text',
  isClick: 'bool',
  visitor: 'text',
  occurredAtMs: 'int8',
};

/** Without robots, and without those of whom nothing is known. */
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
  return queryRaw(db, statement, eventShape);
}

const clickColumns =
  sql.raw(`environment, fingerprint, item_type as "itemType", item_id as "itemId", clicks, views,
  (extract(epoch from counted_at) * 1000)::int8 as "countedAtMs", clickers, viewers`);

const clickShape: Shape<ClickRow> = {
  environment: 'text',
  fingerprint: 'int8',
  itemType: 'text',
  itemId: 'text',
  clicks: 'float8',
  views: 'float8',
  countedAtMs: 'int8',
  clickers: 'bytea',
  viewers: 'bytea',
};

async function findClicks(db: Database, keys: ClickKey[]): Promise<ClickRow[]> {
  const statement = sql`
    select ${clickColumns} from search_clicks
    where (environment, fingerprint, item_type, item_id) in (
      select * from unnest(${keys.map((key) => key.environment)}::text[], ${keys.map((key) => key.fingerprint)}::bigint[],
        ${keys.map((key) => key.itemType)}::text[], ${keys.map((key) => key.itemId)}::text[])
    )`;
  return queryRaw(db, statement, clickShape);
}

type ClicksWrite = { environment: string; from: Position; until: Position; rows: ClickRow[] };

/** One statement: rows and place move together, or not at all when the place is not where it was. */
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
  return (await queryRaw<{ isMoved: boolean }>(db, statement, { isMoved: 'bool' }))[0].isMoved;
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

/** Forgets what is beyond the number kept. */
export async function deleteOldClicks(db: Database, environment: string): Promise<void> {
  await sql`
    delete from search_clicks where ctid in (
      select ctid from search_clicks where environment = ${environment}
      order by counted_at desc, fingerprint offset ${mostRows}
    )`.execute(db.kysely);
}

/** A row as nodes use it. */
export type FollowedClicks = ClickKey & {
  clicks: number;
  views: number;
  countedAtMs: number;
  /** Distinct visitors among those counted last. */
  clickerCount: number;
};

export type NumberedClicks = FollowedClicks & { number: number };

const followedShape: Shape<NumberedClicks> = {
  number: 'int8',
  environment: 'text',
  fingerprint: 'int8',
  itemType: 'text',
  itemId: 'text',
  clicks: 'float8',
  views: 'float8',
  countedAtMs: 'int8',
  clickerCount: 'int4',
};

/** Rows written after a number, in the order of commit, of items that several visitors saw or clicked. */
export async function listClicksAfter(
  db: Database,
  { sinceNumber, leastVisitors, limit }: { sinceNumber: number; leastVisitors: number; limit: number },
): Promise<NumberedClicks[]> {
  const statement = sql`
    select number, environment, fingerprint, item_type as "itemType", item_id as "itemId", clicks,
      views, (extract(epoch from counted_at) * 1000)::int8 as "countedAtMs", length(clickers) / 4 as "clickerCount"
    from search_clicks
    where number > ${sinceNumber} and greatest(length(clickers), length(viewers)) >= 4 * ${leastVisitors}::int
    order by number limit ${limit}`;
  return queryRaw(db, statement, followedShape);
}

export type ClickedQuery = { environment: string; query: string; clicks: number };

/** The queries whose finders clicked most, of those whose text is known. */
export async function listClickedQueries(
  db: Database,
  leastVisitors: number,
  limit: number,
): Promise<ClickedQuery[]> {
  const statement = sql`
    select environment, query, sum(clicks) as clicks
    from search_clicks join search_queries using (environment, fingerprint)
    where length(clickers) >= 4 * ${leastVisitors}::int
    group by environment, query order by sum(clicks) desc, query limit ${limit}`;
  return queryRaw<ClickedQuery>(db, statement, { environment: 'text', query: 'text', clicks: 'float8' });
}
