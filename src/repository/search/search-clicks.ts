/**
 * What the finders of a query clicked and saw, item by item, folded from search events exactly once.
 *
 * One node at a time folds; it remembers up to which event. Every node follows the rows by their transaction, see
 * change-feed.ts. A query is known by its fingerprint only.
 */

import { type Kysely, sql } from 'kysely';
import { type Changes, horizonExpression, type Xid } from '../change-feed.ts';
import type { Database } from '../database.ts';
import { findSettledSequence } from '../events/events.ts';
import type { Schema } from '../schema.ts';

/** Any number, as long as nothing else takes it. */
const foldingLock = 7_317_015;

/** Sequence numbers that one transaction folds; bounds its memory. */
const eventsPerFolding = 20_000;

/** An event's commit may come so long after the moment it was received. */
const allowedDelay = "interval '1 hour'";

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
 * Folds the next events.
 *
 * @returns whether there is more to fold; false also when another node is at it
 */
export async function foldSearchEvents(
  db: Database,
  environments: readonly string[],
  { keysOf, fold }: Folding,
): Promise<boolean> {
  return db.kysely.transaction().execute(async (transaction) => {
    if (!(await claimFolding(transaction))) return false;
    const progress = await findProgress(transaction);
    if (progress.lastSequence <= progress.sequence) return false;
    const settled = await findSettledSequence(db);
    const until = Math.min(settled, progress.sequence + eventsPerFolding);
    const events = await listSearchEvents(transaction, { environments, ...progress, until });
    if (events.length > 0) {
      const keys = keysOf(events);
      await upsertClicks(transaction, fold(events, await findClicks(transaction, keys)));
      await deleteLeastClicked(transaction, keys);
    }
    await sql`
      insert into search_clicks_progress (sequence, read_at) values (${until}, now())
      on conflict (is_only) do update set sequence = excluded.sequence, read_at = excluded.read_at`.execute(
      transaction,
    );
    return until < settled;
  });
}

type Transaction = Kysely<Schema>;

async function claimFolding(db: Transaction): Promise<boolean> {
  const { rows } = await sql<{ claimed: boolean }>`
    select pg_try_advisory_xact_lock(${sql.lit(foldingLock)}) as claimed`.execute(db);
  return rows[0].claimed;
}

type Progress = {
  /** Events up to this one are folded. */
  sequence: number;
  readAt: Date | null;
  /** Handed out last; it may not be committed yet. */
  lastSequence: number;
};

async function findProgress(db: Transaction): Promise<Progress> {
  const { rows } = await sql<Progress>`
    select coalesce(sequence, 0) as sequence, read_at as "readAt",
      case when is_called then last_value else 0 end as "lastSequence"
    from event_sequence left join search_clicks_progress on true`.execute(db);
  return rows[0];
}

type EventSpan = Pick<Progress, 'sequence' | 'readAt'> & { environments: readonly string[]; until: number };

/** Without robots, and without those of whom nothing is known. */
async function listSearchEvents(
  db: Transaction,
  { environments, sequence, readAt, until }: EventSpan,
): Promise<SearchEvent[]> {
  const { rows } = await sql<SearchEvent>`
    select environment, request_id as "requestId", item_type as "itemType", item_id as "itemId",
      event_type = 'search_click_on_recommendation' as "isClick", coalesce('u' || user_id, 'd' || device_id) as visitor,
      (extract(epoch from occurred_at) * 1000)::int8 as "occurredAtMs"
    from events
    where environment = any(${environments}) and sequence > ${sequence} and sequence <= ${until}
      and received_at >= coalesce(${readAt}::timestamptz - ${sql.raw(allowedDelay)}, '-infinity'::timestamptz)
      and event_type in ('search_impression', 'search_click_on_recommendation') and not robot
      and request_id is not null and item_id is not null and item_type is not null
      and coalesce(user_id, device_id) is not null
    order by sequence`.execute(db);
  return rows;
}

const clickColumns =
  sql.raw(`environment, fingerprint, item_type as "itemType", item_id as "itemId", clicks, views,
  (extract(epoch from counted_at) * 1000)::int8 as "countedAtMs", clickers, viewers`);

async function findClicks(db: Transaction, keys: ClickKey[]): Promise<ClickRow[]> {
  const { rows } = await sql<ClickRow>`
    select ${clickColumns} from search_clicks
    where (environment, fingerprint, item_type, item_id) in (
      select * from unnest(${keys.map((key) => key.environment)}::text[], ${keys.map((key) => key.fingerprint)}::bigint[],
        ${keys.map((key) => key.itemType)}::text[], ${keys.map((key) => key.itemId)}::text[])
    )`.execute(db);
  return rows;
}

async function upsertClicks(db: Transaction, rows: ClickRow[]): Promise<void> {
  await sql`
    insert into search_clicks
      (environment, fingerprint, item_type, item_id, clicks, views, counted_at, clickers, viewers)
    select * from unnest(
      ${rows.map((row) => row.environment)}::text[], ${rows.map((row) => row.fingerprint)}::bigint[],
      ${rows.map((row) => row.itemType)}::text[], ${rows.map((row) => row.itemId)}::text[],
      ${rows.map((row) => row.clicks)}::float8[], ${rows.map((row) => row.views)}::float8[],
      ${rows.map((row) => new Date(row.countedAtMs))}::timestamptz[],
      ${rows.map((row) => row.clickers)}::bytea[], ${rows.map((row) => row.viewers)}::bytea[])
    on conflict (environment, fingerprint, item_type, item_id) do update set
      clicks = excluded.clicks, views = excluded.views, counted_at = excluded.counted_at,
      clickers = excluded.clickers, viewers = excluded.viewers, changed_xid = pg_current_xact_id()`.execute(
    db,
  );
}

async function deleteLeastClicked(db: Transaction, keys: ClickKey[]): Promise<void> {
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
    )`.execute(db);
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

/** Rows changed since the horizon of the read before, of items that several visitors saw or clicked; some come again. */
export async function listChangedClicks(
  db: Database,
  sinceXid: Xid,
  leastVisitors: number,
): Promise<Changes<FollowedClicks>> {
  const { rows } = await sql<FollowedClicks & { horizonXid: Xid }>`
    select horizon.xid as "horizonXid", environment, fingerprint, item_type as "itemType", item_id as "itemId", clicks,
      views, (extract(epoch from counted_at) * 1000)::int8 as "countedAtMs", length(clickers) / 4 as "clickerCount"
    from (select ${horizonExpression} as xid) as horizon
    left join search_clicks on changed_xid >= ${sinceXid}::xid8
      and greatest(length(clickers), length(viewers)) >= 4 * ${leastVisitors}::int`.execute(db.kysely);
  return { rows: rows.filter((row) => row.itemId !== null), horizonXid: rows[0].horizonXid };
}

export type ClickedQuery = { environment: string; query: string; clicks: number };

/** The queries whose finders clicked most, of those whose text is known. */
export async function listClickedQueries(
  db: Database,
  leastVisitors: number,
  limit: number,
): Promise<ClickedQuery[]> {
  const { rows } = await sql<ClickedQuery>`
    select environment, query, sum(clicks) as clicks
    from search_clicks join search_queries using (environment, fingerprint)
    where length(clickers) >= 4 * ${leastVisitors}::int
    group by environment, query order by sum(clicks) desc, query limit ${limit}`.execute(db.kysely);
  return rows;
}
