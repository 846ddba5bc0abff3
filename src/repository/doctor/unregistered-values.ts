import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { type Case, listCases } from './cases.ts';
import { type EventWindow, inWindow } from './timed-query.ts';

/** Lists values of a column that are not in `known`. */
export function listUnregistered(
  db: Database,
  window: EventWindow,
  column: 'list_name' | 'page_type' | 'channel',
  known: readonly string[],
): Promise<Case[] | undefined> {
  const value = sql.ref(column);
  const cases = sql`select ${value} as text, count(*) as count from events
    where ${inWindow(window)} and not robot and ${value} is not null and ${value} <> all(${known}::text[])
    group by ${value}`;
  return listCases(db, window.timeoutMs, cases);
}
