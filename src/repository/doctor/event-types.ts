/** What the events of each type have, and what they lack. */
import { sql } from 'kysely';
import type { Database } from '../database.ts';
import type { Shape } from '../row-shape.ts';
import { ahead, history, late } from './lateness.ts';
import { ask, type EventWindow, inWindow } from './question.ts';

/** Counts of the events of one type. */
export type TypeCounts = {
  eventType: string;
  count: number;
  robots: number;
  anonymous: number;
  withoutUser: number;
  withoutEventId: number;
  withItem: number;
  withListName: number;
  withPageType: number;
  withChannel: number;
  ahead: number;
  mostAheadSeconds: number;
  timely: number;
  late: number;
};

const typeShape: Shape<TypeCounts> = {
  eventType: 'text',
  count: 'int8',
  robots: 'int8',
  anonymous: 'int8',
  withoutUser: 'int8',
  withoutEventId: 'int8',
  withItem: 'int8',
  withListName: 'int8',
  withPageType: 'int8',
  withChannel: 'int8',
  ahead: 'int8',
  mostAheadSeconds: 'float8',
  timely: 'int8',
  late: 'int8',
};

export function countEventTypes(db: Database, window: EventWindow): Promise<TypeCounts[] | undefined> {
  return ask<TypeCounts>(
    db,
    window.timeoutMs,
    sql`select event_type as "eventType", count(*) as count, count(*) filter (where robot) as robots,
        count(*) filter (where device_id is null and user_id is null) as anonymous,
        count(*) - count(user_id) as "withoutUser", count(*) - count(event_id) as "withoutEventId",
        count(item_id) as "withItem", count(list_name) as "withListName", count(page_type) as "withPageType",
        count(channel) as "withChannel",
        count(*) filter (where occurred_at > received_at + ${ahead}) as ahead,
        greatest(0, extract(epoch from max(occurred_at - received_at)))::float8 as "mostAheadSeconds",
        count(*) filter (where occurred_at between received_at - ${late} and received_at + ${ahead}) as timely,
        count(*) filter (where occurred_at < received_at - ${late} and occurred_at > received_at - ${history}) as late
      from events where ${inWindow(window)}
      group by event_type order by event_type`,
    typeShape,
  );
}
