/** The events of an environment as audiences read them: in order of arrival, without robots, by COPY. */

import pg from 'pg';
import { type CopiedRow, copyRows, windowsOf } from '../copy/row-copy.ts';
import type { Database } from '../database.ts';
import { contactStatements } from '../migrations/013-audiences.ts';

export type AudienceEventRow = {
  sequence: number;
  eventType: string;
  deviceId: string | undefined;
  userId: string | undefined;
  itemType: string | undefined;
  itemId: string | undefined;
  atSeconds: number;
  /** Of events that are an opt-out, its opposite, or a mailing. */
  contact: Contact | undefined;
};

export type Contact = {
  interaction?: string;
  integration?: string;
  channel?: string;
  group?: string;
  campaign?: string;
  audience?: string;
  name?: string;
};

export type AudienceEventRange = {
  /** Exclusive. */
  sinceSequence: number;
  /** Inclusive. */
  untilSequence: number;
  /** Only opt-outs and their opposite [false]. */
  statementsOnly?: boolean;
};

export async function copyAudienceEvents(
  db: Database,
  environment: string,
  { sinceSequence, untilSequence, statementsOnly = false }: AudienceEventRange,
  onEvent: (row: AudienceEventRow) => void,
): Promise<void> {
  const condition = statementsOnly ? contactStatements : 'not robot';
  for (const window of windowsOf(sinceSequence, untilSequence))
    await copyRows(db, selectEvents(environment, window, condition), (row) => onEvent(readRow(row)));
}

const selectEvents = (environment: string, window: { since: number; until: number }, condition: string) => `
  select sequence::float8, event_type, device_id, user_id, item_type, item_id, floor(extract(epoch from occurred_at))::float8,
    case when event_type like 'batch%' or event_type like '%subscription' or event_type like '%interaction' then
      json_strip_nulls(json_build_object('interaction', details ->> 'interaction_type',
        'integration', details ->> 'integration_type', 'channel', channel, 'group', details ->> 'action_group',
        'campaign', details ->> 'campaign_id', 'audience', details ->> 'audience_id', 'name', details ->> 'audience_name'))::text
    end
  from events
  where environment = ${pg.escapeLiteral(environment)} and sequence > ${window.since} and sequence <= ${window.until}
    and ${condition}
  order by sequence`;

function readRow({ text, number }: CopiedRow): AudienceEventRow {
  return {
    sequence: number()!,
    eventType: text()!,
    deviceId: text(),
    userId: text(),
    itemType: text(),
    itemId: text(),
    atSeconds: number()!,
    contact: readContact(text()),
  };
}

function readContact(text: string | undefined): Contact | undefined {
  return text === undefined ? undefined : JSON.parse(text);
}
