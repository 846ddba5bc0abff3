/** Events that are written to a topic, in the order of each feed, at least once. */

import { sql } from 'kysely';
import type { Database } from '../database.ts';
import type { FeedRange, Position } from '../feeds.ts';
import { millisecondsOf } from '../moments.ts';
import { listEventRanges, positionAfter, selectEvents } from './event-ranges.ts';

/** Events of a feed that are sent together. */
const mostEvents = 500;

export type PublishedEvent = {
  number: number;
  occurredAtMs: number;
  userId: string | null;
  deviceId: string | null;
  details: unknown;
};

export type Publication = { topic: string; environment: string };

/** A new publication begins with the events that are stored after it. */
export async function addPublication(db: Database, { topic, environment }: Publication): Promise<void> {
  const positions = JSON.stringify(positionAfter(await listEventRanges(db)));
  await db.kysely
    .insertInto('stream_publications')
    .values({ topic, environment, positions })
    .onConflict((conflict) => conflict.columns(['topic', 'environment']).doNothing())
    .execute();
}

/**
 * Sends the next events, and notes their position afterwards. Does nothing while another node sends.
 * Returns whether there may be more.
 */
export function publishEvents(
  db: Database,
  { topic, environment }: Publication,
  send: (events: readonly PublishedEvent[]) => Promise<void>,
): Promise<boolean> {
  return db.kysely.transaction().execute(async (transaction) => {
    const found = await transaction
      .selectFrom('stream_publications')
      .select('positions')
      .where('topic', '=', topic)
      .where('environment', '=', environment)
      .forUpdate()
      .skipLocked()
      .executeTakeFirst();
    if (!found) return false;
    const since = found.positions as Position;
    let isMore = false;
    const sent: FeedRange[] = [];
    for (const range of await listEventRanges(db, since)) {
      const events = await selectEvents(db, environment, range)
        .select(['number', 'details', 'user_id as userId', 'device_id as deviceId'])
        .select(millisecondsOf('occurred_at').as('occurredAtMs'))
        .orderBy('number')
        .limit(mostEvents)
        .execute();
      if (events.length > 0) await send(events);
      const isFull = events.length === mostEvents;
      isMore ||= isFull;
      sent.push(isFull ? { ...range, until: events.at(-1)!.number } : range);
    }
    if (sent.length > 0)
      await transaction
        .updateTable('stream_publications')
        .set({ positions: sql`${JSON.stringify(positionAfter(sent, since))}::json` })
        .where('topic', '=', topic)
        .where('environment', '=', environment)
        .execute();
    return isMore;
  });
}
