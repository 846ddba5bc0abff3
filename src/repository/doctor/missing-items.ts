import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { type Case, listCases } from './cases.ts';
import { type EventWindow, inWindow } from './timed-query.ts';

/** Lists items in events but not in the catalogue. Events without an item type match any type. */
export function listMissingItems(
  db: Database,
  window: EventWindow,
  { groupTypes, itemTypes }: { groupTypes: readonly string[]; itemTypes: readonly string[] },
): Promise<Case[] | undefined> {
  /** Joins first: on a cluster, a join runs next to the items and transfers only its matches. */
  const cases = sql`
    with acted as materialized (
      select item_type, item_id, count(*) as count from events
      where ${inWindow(window)} and not robot and item_id is not null and event_type <> all(${groupTypes}::text[])
      group by item_type, item_id
    ),
    known as materialized (
      select distinct acted.item_type, acted.item_id from acted
      join items on items.environment = ${window.environment} and items.item_id = acted.item_id and (
        items.item_type = acted.item_type
        or acted.item_type = '' and items.item_type = any(${itemTypes}::text[])
      )
    )
    select case item_type when '' then '' else item_type || '/' end || item_id as text, count from acted
    where not exists (
      select from known where known.item_type = acted.item_type and known.item_id = acted.item_id
    )`;
  return listCases(db, window.timeoutMs, cases);
}
