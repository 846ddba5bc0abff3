/** Finds when an environment was trained last, and counts trainings and what has arrived since. */

import { type AliasableExpression, type Insertable, sql } from 'kysely';
import type { Database } from '../database.ts';
import { listEventRanges, selectEvents } from '../events/event-ranges.ts';
import { type FeedRange, type Position, rangesBetween } from '../feeds.ts';
import { listItemFeedEnds } from '../items/items.ts';
import type { Schema } from '../schema.ts';
import type { TrainingState } from './trainings.ts';

export type TrainingHistory = {
  /** When it was read, by the database's clock. */
  lookedAt: Date;
  isPending: boolean;
  /** The last training that ended, also by a failure. */
  last?: { endedMsAgo: number; durationMs: number; isLearnt: boolean };
  /** The last training that did not fail. */
  learnt?: Watermark & { endedMsAgo: number; durationMs: number; itemCount: number; eventCount: number };
};

/** Offsets in the feeds of events and items. */
export type Watermark = { eventsUntil: Position; itemsUntil: Position };

/** Finds the last training that ended, and with `isLearnt` the last one that read the feeds. */
function findEnded({ kysely }: Database, environment: string, isLearnt: boolean) {
  return (
    kysely
      .selectFrom('trainings')
      .select(['item_count as itemCount', 'event_count as eventCount', 'events_until as eventsUntil'])
      .select(['items_until as itemsUntil', 'state', 'started_at as startedAt', 'ended_at as endedAt'])
      .select(sql<Date>`clock_timestamp()`.as('readAt'))
      .where('environment', '=', environment)
      /** A later end was stored by a clock that was ahead; it is ignored until then. */
      .where('ended_at', '<=', sql<Date>`clock_timestamp()`)
      .$if(isLearnt, (ended) => ended.where('events_until', 'is not', null))
      .orderBy('ended_at', 'desc')
      .limit(1)
      .$narrowType<{ eventsUntil: Position | null; itemsUntil: Position | null; endedAt: Date }>()
      .executeTakeFirst()
  );
}

type Ended = NonNullable<Awaited<ReturnType<typeof findEnded>>>;

const timesOf = ({ readAt, startedAt, endedAt }: Ended) => ({
  endedMsAgo: readAt.getTime() - endedAt.getTime(),
  durationMs: startedAt ? endedAt.getTime() - startedAt.getTime() : 0,
});

export async function findTrainingHistory(db: Database, environment: string): Promise<TrainingHistory> {
  /** Read first, so that a training that ends meanwhile is found as pending or as ended. */
  const { lookedAt, pending } = await db.kysely
    .selectNoFrom((eb) => [
      sql<Date>`clock_timestamp()`.as('lookedAt'),
      eb
        .selectFrom('trainings')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('environment', '=', environment)
        .where('state', 'in', ['queued', 'running'])
        .as('pending'),
    ])
    .executeTakeFirstOrThrow();
  const last = await findEnded(db, environment, false);
  const learnt = await findEnded(db, environment, true);
  return {
    lookedAt,
    isPending: Number(pending) > 0,
    last: last && { ...timesOf(last), isLearnt: last.state !== 'failed' },
    learnt: learnt && {
      ...timesOf(learnt),
      itemCount: learnt.itemCount ?? 0,
      eventCount: learnt.eventCount ?? 0,
      eventsUntil: learnt.eventsUntil ?? {},
      itemsUntil: learnt.itemsUntil ?? {},
    },
  };
}

/** Counts an environment's events after a position, up to `most`. */
export const countEventsAfter = async (
  db: Database,
  environment: string,
  position: Position,
  most: number,
): Promise<number> => countEventsIn(db, environment, await listEventRanges(db, position), most);

/** Counts an environment's events in ranges, up to `most`. */
export async function countEventsIn(
  db: Database,
  environment: string,
  ranges: readonly FeedRange[],
  most: number,
): Promise<number> {
  let count = 0;
  for (const range of ranges) {
    if (count >= most) break;
    const events = selectEvents(db, environment, range).select('number');
    count += await countOf(db, events.limit(most - count));
  }
  return count;
}

/** Counts an environment's items that were written after a position, up to `most`. */
export async function countItemsChangedSince(
  db: Database,
  environment: string,
  position: Position,
  most: number,
): Promise<number> {
  let count = 0;
  for (const { bucket, since } of rangesBetween(position, await listItemFeedEnds(db))) {
    if (count >= most) break;
    count += await countOf(
      db,
      db.kysely
        .selectFrom('items')
        .select('number')
        .where('bucket', '=', bucket)
        .where('environment', '=', environment)
        .where('number', '>', since)
        .limit(most - count),
    );
  }
  return count;
}

async function countOf({ kysely }: Database, rows: AliasableExpression<{ number: number }>): Promise<number> {
  const counted = kysely.selectFrom(rows.as('found')).select(({ fn }) => fn.countAll<number>().as('count'));
  return (await counted.executeTakeFirstOrThrow()).count;
}

/** Returns whether the environment has neither an item nor an event, so that there is nothing to learn. */
export async function holdsNothing(db: Database, environment: string): Promise<boolean> {
  if ((await countItemsChangedSince(db, environment, {}, 1)) > 0) return false;
  return (await countEventsAfter(db, environment, {}, 1)) === 0;
}

/** Records past trainings unless the environment has some. Without offsets, they delay none. */
export async function insertPastTrainings(
  { kysely }: Database,
  environment: string,
  trainings: readonly Omit<Insertable<Schema['trainings']>, 'environment'>[],
): Promise<void> {
  const known = kysely.selectFrom('trainings').select('training_id').where('environment', '=', environment);
  if (await known.executeTakeFirst()) return;
  await kysely
    .insertInto('trainings')
    .values(trainings.map((training) => ({ ...training, environment })))
    .execute();
}

export type TrainingCount = {
  environment: string;
  state: TrainingState;
  count: number;
  /** Null for trainings that have not ended. */
  lastEndedAt: Date | null;
};

export function countTrainings(db: Database): Promise<TrainingCount[]> {
  return db.kysely
    .selectFrom('trainings')
    .select(['environment', 'state', ({ fn }) => fn.countAll<number>().as('count')])
    .select(({ fn }) => fn.max('ended_at').as('lastEndedAt'))
    .groupBy(['environment', 'state'])
    .$narrowType<{ state: TrainingState }>()
    .execute();
}
