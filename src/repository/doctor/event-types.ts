/** Counts, for each event type, the events that have or lack each property. */
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database.ts';
import { ahead, history, late } from './lateness.ts';
import { type EventWindow, inWindow, runTimedQuery } from './timed-query.ts';

/** Counts of a type's events. Robots are included in `count`, `robots` and `withoutUser` only. */
export type TypeCounts = {
  eventType: string;
  count: number;
  robots: number;
  withoutUser: number;
  /** Events without robots: the denominator of shares. */
  byPeople: number;
  anonymous: number;
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

export function countEventTypes(db: Database, window: EventWindow): Promise<TypeCounts[] | undefined> {
  return runTimedQuery<TypeCounts>(
    db,
    window.timeoutMs,
    sql`select event_type as "eventType", count(*) as count, count(*) filter (where robot) as robots,
        count(*) - count(user_id) as "withoutUser", ${counted(sql`true`)} as "byPeople",
        ${counted(sql`device_id is null and user_id is null`)} as anonymous,
        ${counted(sql`event_id is null`)} as "withoutEventId", ${counted(sql`item_id is not null`)} as "withItem",
        ${counted(sql`list_name is not null`)} as "withListName",
        ${counted(sql`page_type is not null`)} as "withPageType", ${counted(sql`channel is not null`)} as "withChannel",
        ${counted(sql`occurred_at > received_at + ${ahead}`)} as ahead,
        greatest(0, extract(epoch from max(occurred_at - received_at) filter (where not robot)))::float8
          as "mostAheadSeconds",
        ${counted(sql`occurred_at between received_at - ${late} and received_at + ${ahead}`)} as timely,
        ${counted(sql`occurred_at < received_at - ${late} and occurred_at > received_at - ${history}`)} as late
      from events where ${inWindow(window)}
      group by event_type order by event_type`,
  );
}

const counted = (condition: RawBuilder<unknown>) => sql`count(*) filter (where not robot and ${condition})`;
