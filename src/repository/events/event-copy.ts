/** Reads an environment's events for training by COPY, in order of arrival. */

import pg from 'pg';
import { type Interpretation, qualifierOf, usualInterpretation } from '../../events/meaning.ts';
import { type CopiedRow, copyRows } from '../copy-rows.ts';
import type { Database } from '../database.ts';
import type { FeedRange } from '../feeds.ts';
import { windowsOf } from './event-ranges.ts';

/** An event that has an item and was not sent by a robot. */
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
  qualifier: string | undefined;
  /** Values of the requested properties, in order; absent if none were requested. */
  properties?: (string | undefined)[];
};

export type CopyOptions = {
  ranges: readonly FeedRange[];
  occurredSince?: Date;
  /** Names of additional properties to read [none]. */
  properties?: readonly string[];
  interpretation?: Interpretation;
  /** Reports the share of the ranges that has been read, 0 to 1. */
  onProgress?: (share: number) => void;
};

/** Calls `onEvent` for each event, in order of arrival within each range. */
export async function copyEvents(
  db: Database,
  environment: string,
  { ranges, occurredSince, properties = [], interpretation = usualInterpretation, onProgress }: CopyOptions,
  onEvent: (event: CopiedEvent) => void,
): Promise<void> {
  const total = ranges.reduce((sum, { since, until }) => sum + until - since, 0);
  let done = 0;
  for (const window of windowsOf(ranges)) {
    const text = selectEvents(environment, window, { occurredSince, properties });
    await copyRows(db, text, (row) => onEvent(readEvent(row, properties.length, interpretation)));
    done += window.until - window.since;
    onProgress?.(done / total);
  }
}

/** COPY takes no parameters. Numbers are internal; the driver quotes texts. */
const selectEvents = (
  environment: string,
  { bucket, lane, since, until }: FeedRange,
  { occurredSince, properties }: { occurredSince: Date | undefined; properties: readonly string[] },
) => `
  select coalesce('u:' || user_id, 'd:' || device_id), item_type, item_id, event_type,
    extract(epoch from occurred_at)::float8, page_type, channel,
    case when event_type = 'checkpoint' or event_type like '%interaction' then json_build_object('progress',
      details -> 'progress', 'rating', details -> 'rating', 'interaction_type', details -> 'interaction_type') end
    ${properties.map((name) => `, details ->> ${pg.escapeLiteral(name)}`).join('')}
  from events
  where bucket = ${bucket} and environment = ${pg.escapeLiteral(environment)} and lane = ${lane}
    and number > ${since} and number <= ${until}
    and not robot and item_id is not null
    ${occurredSince ? `and occurred_at >= '${occurredSince.toISOString()}'` : ''}
  order by number`;

function readEvent(
  { text, number }: CopiedRow,
  propertyCount: number,
  interpretation: Interpretation,
): CopiedEvent {
  const qualifierIn = (eventType: string, details: string | undefined) =>
    details === undefined
      ? undefined
      : qualifierOf({ eventType, details: JSON.parse(details) }, interpretation);
  const event = {
    subjectKey: text(),
    itemType: text(),
    itemId: text()!,
    eventType: text()!,
    timeSeconds: number()!,
    pageType: text(),
    channel: text(),
  };
  return {
    ...event,
    qualifier: qualifierIn(event.eventType, text()),
    properties: propertyCount > 0 ? Array.from({ length: propertyCount }, text) : undefined,
  };
}
