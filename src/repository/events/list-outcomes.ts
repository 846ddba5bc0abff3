/** Reads what visitors did with listed items: clicks that name the request, and purchases. */

import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { millisecondsOf } from '../moments.ts';
import { listEventRanges, rangesArrivedSince, selectEvents, windowsOf } from './event-ranges.ts';

export type ListOutcome = {
  itemId: string;
  deviceId: string | null;
  userId: string | null;
  occurredAtMs: number;
  requestId: string | null;
  listName: string | null;
  /** Event as sent: a JSON object. */
  details: unknown;
};

export type OutcomeFilter = {
  eventType: string;
  requestIds?: readonly string[];
  itemIds?: readonly string[];
};

/** Lists events of a type for the requests or items that arrived since a time, without robots'. */
export async function listOutcomes(
  db: Database,
  environment: string,
  { since, filter }: { since: Date; filter: OutcomeFilter },
): Promise<ListOutcome[]> {
  const { eventType, requestIds, itemIds } = filter;
  const ranges = await rangesArrivedSince(db, environment, await listEventRanges(db), since);
  const found: ListOutcome[] = [];
  for (const range of windowsOf(ranges)) {
    const rows = await selectEvents(db, environment, range)
      .select(['item_id as itemId', 'device_id as deviceId', 'user_id as userId'])
      .select(['request_id as requestId', 'list_name as listName', 'details'])
      .select(millisecondsOf('occurred_at').as('occurredAtMs'))
      .where('event_type', '=', eventType)
      .where('robot', '=', false)
      .where('item_id', 'is not', null)
      .$if(requestIds !== undefined, (events) =>
        events.where(sql<boolean>`request_id = any(${requestIds}::text[])`),
      )
      .$if(itemIds !== undefined, (events) => events.where(sql<boolean>`item_id = any(${itemIds}::text[])`))
      .execute();
    found.push(...rows.map((row) => ({ ...row, itemId: row.itemId! })));
  }
  return found;
}
