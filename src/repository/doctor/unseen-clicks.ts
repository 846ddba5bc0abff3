import { sql } from 'kysely';
import { clickSuffix } from '../../events/meaning.ts';
import type { Database } from '../database.ts';
import { type Case, listCases } from './cases.ts';
import { type EventWindow, inWindow } from './timed-query.ts';

/** Links a click to an impression of its item: by request, else by device, else by user. */
const link = sql`coalesce('request ' || request_id, 'device ' || device_id, 'user ' || user_id)`;

/**
 * Lists clicks without an impression of the item in the same response. The window of the
 * impressions begins earlier than that of the clicks, so that its edge separates no pair.
 */
export function listUnseenClicks(
  db: Database,
  clicks: EventWindow,
  impressions: EventWindow,
): Promise<Case[] | undefined> {
  const cases = sql`
    with clicks as (
      select replace(event_type, ${clickSuffix}, 'impression') as impression_type, event_type, item_id, request_id, list_name,
        ${link} as link
      from events
      where ${inWindow(clicks)} and not robot and right(event_type, ${clickSuffix.length}) = ${clickSuffix}
    ),
    seen as (
      select event_type, item_id, ${link} as link from events
      where ${inWindow(impressions)} and right(event_type, 10) = 'impression'
    )
    select concat_ws(', ', event_type, 'item ' || item_id, 'request ' || request_id, 'list ' || list_name) as text, count(*) as count
    from clicks where not exists (
      select from seen
      where seen.link = clicks.link and seen.item_id = clicks.item_id and seen.event_type = clicks.impression_type
    ) group by event_type, item_id, request_id, list_name`;
  return listCases(db, clicks.timeoutMs, cases);
}
