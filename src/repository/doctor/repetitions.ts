import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { type Case, listCases } from './cases.ts';
import { type EventWindow, inWindow } from './timed-query.ts';

/** Maximum seconds between repetitions: typical of a retry, or of a tag that fires twice. */
const repetitionSeconds = 5;

/** Lists exact repetitions of events without an event_id; `text` is the type and the item. */
export function listRepetitions(db: Database, window: EventWindow): Promise<Case[] | undefined> {
  const cases = sql`
    with sent as (
      select occurred_at, event_type, item_id,
        hashtextextended(concat_ws(E'\\x1f', event_type, device_id, user_id, item_id, details::text), 0) as identity
      from events
      where ${inWindow(window)} and event_id is null and not robot and (device_id is not null or user_id is not null)
    ),
    marked as (
      select event_type, item_id, occurred_at - lag(occurred_at) over (partition by identity order by occurred_at)
        <= make_interval(secs => ${repetitionSeconds}) as is_repeated
      from sent
    )
    select concat_ws(' of ', event_type, item_id) as text, count(*) as count from marked where is_repeated
    group by event_type, item_id`;
  return listCases(db, window.timeoutMs, cases);
}
