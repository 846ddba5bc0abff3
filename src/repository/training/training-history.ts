/** What the record of trainings says about when the next one is due, and what has come since the last. */

import { sql } from 'kysely';
import { type Database, query, queryRaw } from '../database.ts';
import { listEventRanges } from '../events/event-ranges.ts';
import { type Position, rangesBetween } from '../feeds.ts';
import { listItemFeedEnds } from '../items/items.ts';
import type { Shape } from '../row-shape.ts';

/** What an environment's trainings say about when the next one is due. */
export type TrainingHistory = {
  /** By the database's clock. */
  lookedAt: Date;
  isPending: boolean;
  /** The last one that ended, however. */
  last?: { endedMsAgo: number; durationMs: number; isLearnt: boolean };
  /** The last one that did not fail. */
  learnt?: Watermark & { endedMsAgo: number; durationMs: number; itemCount: number; eventCount: number };
};

/** How far the feeds of events and items were read. */
export type Watermark = { eventsUntil: Position; itemsUntil: Position };

/** One that failed may have read nothing. */
type EndedRow = {
  endedMsAgo: number;
  durationMs: number;
  isLearnt: boolean;
  itemCount: number | null;
  eventCount: number | null;
  eventsUntil: Position | null;
  itemsUntil: Position | null;
};

const endedShape: Shape<EndedRow> = {
  endedMsAgo: 'float8',
  durationMs: 'float8',
  itemCount: 'int4?',
  eventCount: 'int4?',
  eventsUntil: 'json?',
  itemsUntil: 'json?',
  isLearnt: 'bool',
};

type Look = Pick<TrainingHistory, 'lookedAt' | 'isPending'>;

const lookShape: Shape<Look> = { lookedAt: 'timestamptz', isPending: 'bool' };

export async function findTrainingHistory(db: Database, environment: string): Promise<TrainingHistory> {
  /** One that ended later than now did so by a clock that was ahead: it says nothing until then. */
  const ended = sql`
    select (extract(epoch from clock_timestamp() - ended_at) * 1000)::float8 as "endedMsAgo",
      coalesce(extract(epoch from ended_at - started_at) * 1000, 0)::float8 as "durationMs",
      item_count as "itemCount", event_count as "eventCount", events_until as "eventsUntil",
      items_until as "itemsUntil", state <> 'failed' as "isLearnt"
    from trainings where environment = ${environment} and ended_at <= clock_timestamp()`;
  const newest = sql`order by ended_at desc limit 1`;
  /** First, so that one that ends meanwhile is found as the one or the other. */
  const look = sql`
    select clock_timestamp() as "lookedAt", exists (
      select from trainings where environment = ${environment} and state in ('queued', 'running')
    ) as "isPending"`;
  const [looked] = await queryRaw(db, look, lookShape);
  const rows = await queryRaw(
    db,
    sql`(${ended} ${newest}) union all (${ended} and state <> 'failed' ${newest})`,
    endedShape,
  );
  return {
    ...looked,
    last: rows[0],
    learnt: rows.filter(({ isLearnt }) => isLearnt).map(readLearnt)[0],
  };
}

function readLearnt(row: EndedRow): TrainingHistory['learnt'] {
  const { endedMsAgo, durationMs, itemCount, eventCount, eventsUntil, itemsUntil } = row;
  return {
    endedMsAgo,
    durationMs,
    itemCount: itemCount ?? 0,
    eventCount: eventCount ?? 0,
    eventsUntil: eventsUntil ?? {},
    itemsUntil: itemsUntil ?? {},
  };
}

const countShape: Shape<{ count: number }> = { count: 'int4' };

/** Events of an environment beyond a position, counted up to `most`. */
export async function countEventsAfter(
  db: Database,
  environment: string,
  position: Position,
  most: number,
): Promise<number> {
  const condition = 'bucket = $1 and environment = $2 and lane = $3 and number > $4';
  const text = `select count(*)::int as count from (select from events where ${condition} limit $5) as found`;
  let count = 0;
  for (const { bucket, lane, since } of await listEventRanges(db, position)) {
    if (count >= most) break;
    const values = [bucket, environment, lane, since, most - count];
    count += (await query(db, { name: 'count-events-after', text, values }, countShape))[0].count;
  }
  return count;
}

/** Items of an environment that were written beyond a position, counted up to `most`. */
export async function countItemsChangedSince(
  db: Database,
  environment: string,
  position: Position,
  most: number,
): Promise<number> {
  const condition = 'bucket = $1 and environment = $2 and number > $3';
  const text = `select count(*)::int as count from (select from items where ${condition} limit $4) as found`;
  let count = 0;
  for (const { bucket, since } of rangesBetween(position, await listItemFeedEnds(db))) {
    if (count >= most) break;
    const values = [bucket, environment, since, most - count];
    count += (await query(db, { name: 'count-items-changed', text, values }, countShape))[0].count;
  }
  return count;
}

/** Whether the environment has neither an item nor an event, so that there is nothing to learn. */
export async function holdsNothing(db: Database, environment: string): Promise<boolean> {
  if ((await countItemsChangedSince(db, environment, {}, 1)) > 0) return false;
  return (await countEventsAfter(db, environment, {}, 1)) === 0;
}
