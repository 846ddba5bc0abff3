/** The events of an environment as audiences read them: in order of arrival, without robots, page by page. */

import { type Database, query } from './database.ts';
import { contactStatements } from './migrations/013-audiences.ts';

/** Events a statement; as one JSON text a page takes a few MB. */
const pageSize = 20_000;

/** See the columns of `pageColumns`; absent is null. */
export type AudienceEventRow = [
  eventType: string,
  deviceId: string | null,
  userId: string | null,
  itemType: string | null,
  itemId: string | null,
  atSeconds: number,
  /** Of events that are an opt-out, its opposite, or a mailing. */
  contact: {
    interaction?: string;
    integration?: string;
    channel?: string;
    group?: string;
    campaign?: string;
    audience?: string;
    name?: string;
  } | null,
];

export type AudienceEventPage = { rows: AudienceEventRow[] /** Of the last event. */; sequence: number };

/** Built by the server as one text: the driver's rows of columns cost several times as much. */
const pageColumns = `
  event_type, device_id, user_id, item_type, item_id, extract(epoch from occurred_at)::int8,
  case when event_type like 'batch%' or event_type like '%subscription' or event_type like '%interaction' then
    json_strip_nulls(json_build_object('interaction', details ->> 'interaction_type',
      'integration', details ->> 'integration_type', 'channel', channel, 'group', details ->> 'action_group',
      'campaign', details ->> 'campaign_id', 'audience', details ->> 'audience_id', 'name', details ->> 'audience_name')) end`;

const pageStatement = (condition: string) => `
select max(sequence) as sequence, count(*) as count,
  coalesce(json_agg(json_build_array(${pageColumns}) order by sequence) filter (where not robot), '[]') as rows
from (
  select * from events where environment = $1 and sequence > $2 and sequence <= $3 and ${condition}
  order by sequence limit ${pageSize}
) as page`;

const allStatement = { name: 'list-audience-events', text: pageStatement('true') };
const contactStatement = { name: 'list-contact-statements', text: pageStatement(contactStatements) };

export type AudienceEventRange = {
  /** Exclusive. */
  sinceSequence: number;
  /** Inclusive. */
  untilSequence: number;
  /** Only opt-outs and their opposite [false]. */
  statementsOnly?: boolean;
};

export async function* streamAudienceEvents(
  db: Database,
  environment: string,
  { sinceSequence, untilSequence, statementsOnly }: AudienceEventRange,
): AsyncGenerator<AudienceEventPage, void, undefined> {
  const statement = statementsOnly ? contactStatement : allStatement;
  for (let since = sinceSequence; since < untilSequence; ) {
    const values = [environment, since, untilSequence];
    const [page] = await query<{ sequence: number | null; count: number; rows: AudienceEventRow[] }>(db, {
      ...statement,
      values,
    });
    if (page.sequence === null) return;
    yield { rows: page.rows, sequence: page.sequence };
    if (page.count < pageSize) return;
    since = page.sequence;
  }
}
