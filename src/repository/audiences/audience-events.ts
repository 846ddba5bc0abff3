/** Reads an environment's events for audiences: in order of arrival, without robots, by COPY. */

import pg from 'pg';
import { type CopiedRow, copyRows } from '../copy-rows.ts';
import type { Database } from '../database.ts';
import { windowsOf } from '../events/event-ranges.ts';
import type { FeedRange } from '../feeds.ts';

/** @param lowered SQL expression of the interaction type in lower case */
const statementsBy = (
  lowered: string,
) => `not robot and (event_type in ('start_subscription', 'cancel_subscription')
  or event_type in ('user_interaction', 'item_interaction', 'group_interaction')
    and ${lowered} in (
      'unsubscribe', 'unsubscribed', 'opt_out', 'opt-out', 'optout',
      'subscribe', 'subscribed', 'opt_in', 'opt-in', 'optin', 'resubscribe'))`;

/** Matches opt-outs and opt-ins in any database locale: in Turkish, I does not lower to i. */
export const contactStatements = statementsBy(`lower((details ->> 'interaction_type') collate "C")`);

/**
 * Matches the same events with an index. The first part repeats the condition of the partial index
 * (migrations/010-audiences.ts), as Postgres requires. The rest is false unless the locale differs.
 */
export const findableStatements = `((${statementsBy(`lower(details ->> 'interaction_type')`)})
  or (lower('I') <> 'i' and ${contactStatements}))`;

export type AudienceEventRow = {
  eventType: string;
  deviceId: string | undefined;
  userId: string | undefined;
  itemType: string | undefined;
  itemId: string | undefined;
  /** Unix seconds with fractions, since the latest opt-out or opt-in applies. */
  atSeconds: number;
  arrivedAtSeconds: number;
  /** Sent with a write key or without a token, so the subject is unverified. */
  isPublic: boolean;
  /** Set for opt-outs, opt-ins and mailings. */
  contact: Contact | undefined;
};

export type Contact = {
  interaction?: string;
  rating?: unknown;
  integration?: string;
  channel?: string;
  group?: string;
  campaign?: string;
  audience?: string;
  name?: string;
};

export type AudienceEventsOptions = {
  ranges: readonly FeedRange[];
  /** Reads only opt-outs and opt-ins [false]. */
  statementsOnly?: boolean;
  onRead?: (part: FeedRange) => void;
};

/** Calls `onEvent` for each event, in order of arrival within each range. */
export async function copyAudienceEvents(
  db: Database,
  environment: string,
  { ranges, statementsOnly = false, onRead }: AudienceEventsOptions,
  onEvent: (row: AudienceEventRow) => void,
): Promise<void> {
  const condition = statementsOnly ? findableStatements : 'not robot';
  for (const window of windowsOf(ranges)) {
    const rows: AudienceEventRow[] = [];
    await copyRows(db, selectEvents(environment, window, condition), (row) => void rows.push(readRow(row)));
    for (const row of rows) onEvent(row);
    onRead?.(window);
  }
}

const selectEvents = (environment: string, { bucket, lane, since, until }: FeedRange, condition: string) => `
  select event_type, device_id, user_id, item_type, item_id,
    extract(epoch from occurred_at)::float8, extract(epoch from received_at)::float8, is_public::text,
    case when event_type like 'batch%' or event_type like '%subscription' or event_type like '%interaction' then
      json_strip_nulls(json_build_object('interaction', details ->> 'interaction_type', 'rating', details -> 'rating',
        'integration', details ->> 'integration_type', 'channel', channel, 'group', details ->> 'action_group',
        'campaign', details ->> 'campaign_id', 'audience', details ->> 'audience_id', 'name', details ->> 'audience_name'))::text
    end
  from events
  where bucket = ${bucket} and environment = ${pg.escapeLiteral(environment)} and lane = ${lane}
    and number > ${since} and number <= ${until} and ${condition}
  order by number`;

function readRow({ text, number }: CopiedRow): AudienceEventRow {
  return {
    eventType: text()!,
    deviceId: text(),
    userId: text(),
    itemType: text(),
    itemId: text(),
    atSeconds: number()!,
    arrivedAtSeconds: number()!,
    isPublic: text() === 'true',
    contact: readContact(text()),
  };
}

function readContact(text: string | undefined): Contact | undefined {
  return text === undefined ? undefined : JSON.parse(text);
}
