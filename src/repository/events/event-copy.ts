/** Reads what training needs of an environment's events, in order of arrival, by COPY. */

import pg from 'pg';
import { type CopiedRow, copyRows, windowsOf } from '../copy/row-copy.ts';
import type { Database } from '../database.ts';

/** An event with an item that no robot made. */
export type CopiedEvent = {
  /** `u:USER`, else `d:DEVICE`; undefined for an event without an identity. */
  subjectKey: string | undefined;
  itemType: string | undefined;
  itemId: string;
  eventType: string;
  /** Unix seconds. */
  timeSeconds: number;
  pageType: string | undefined;
  channel: string | undefined;
  /** Of a checkpoint, 0 to 1. */
  progress: number | undefined;
};

export type CopyRange = {
  /** Exclusive. */
  sinceSequence: number;
  /** Inclusive; see `findSettledSequence`. */
  untilSequence: number;
  /** Share of the range that is read, 0 to 1. */
  onProgress?: (share: number) => void;
};

export async function copyEvents(
  db: Database,
  environment: string,
  { sinceSequence, untilSequence, onProgress }: CopyRange,
  onEvent: (event: CopiedEvent) => void,
): Promise<void> {
  for (const { since, until } of windowsOf(sinceSequence, untilSequence)) {
    await copyRows(db, selectEvents(environment, since, until), (row) => onEvent(readEvent(row)));
    onProgress?.((until - sinceSequence) / (untilSequence - sinceSequence));
  }
}

/** COPY takes no parameters: numbers are ours, and the name is quoted by the driver. */
const selectEvents = (environment: string, since: number, until: number) => `
  select coalesce('u:' || user_id, 'd:' || device_id), item_type, item_id, event_type,
    extract(epoch from occurred_at)::float8, page_type, channel,
    case when event_type = 'checkpoint' and json_typeof(details -> 'progress') = 'number'
      then (details ->> 'progress')::float8 end
  from events
  where environment = ${pg.escapeLiteral(environment)} and sequence > ${since} and sequence <= ${until}
    and not robot and item_id is not null
  order by sequence`;

function readEvent({ text, number }: CopiedRow): CopiedEvent {
  return {
    subjectKey: text(),
    itemType: text(),
    itemId: text()!,
    eventType: text()!,
    timeSeconds: number()!,
    pageType: text(),
    channel: text(),
    progress: number(),
  };
}
