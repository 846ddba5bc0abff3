/**
 * Counts the events that were stored before there were metrics, step by step beside the running service. Since counts do not depend
 * on the order of arrival, new events may be counted meanwhile.
 */
import { type Database, inTransaction, type Run } from '../database.ts';
import type { EventRow } from '../event-row.ts';
import { type AttributionWindow, gather } from './metric-batch.ts';
import { count } from './metric-counts.ts';

/** Events of a step, all in one transaction. */
const stepSize = 2_000;

/** Nodes take turns: who finds the row locked leaves the environment to the other. */
const claimStatement = `
select environment, counted_sequence as "countedSequence", last_sequence as "lastSequence" from metric_backfill
where counted_sequence < last_sequence order by environment limit 1 for update skip locked`;

const eventsStatement = `
select environment, sequence, event_type as "eventType", device_id as "deviceId", user_id as "userId", item_type as "itemType",
  item_id as "itemId", request_id as "requestId", list_name as "listName", page_type as "pageType", channel,
  user_group as "userGroup", version, robot, details, (extract(epoch from occurred_at) * 1000)::float8 as "occurredAtMs"
from events where environment = $1 and sequence > $2 and sequence <= $3 order by sequence limit ${stepSize}`;

const advanceStatement = 'update metric_backfill set counted_sequence = $2 where environment = $1';

type Claim = { environment: string; countedSequence: number; lastSequence: number };

/** Counts some more; false when nothing is left to this node. A step counts all of its events or none. */
export async function countStoredEvents(
  db: Database,
  attributionWindow: AttributionWindow,
): Promise<boolean> {
  return inTransaction(db, async (run) => {
    const [claim] = await run<Claim>({ name: 'claim-backfill', text: claimStatement, values: [] });
    if (!claim) return false;
    const { environment, lastSequence } = claim;
    const rows = await readEvents(run, claim);
    await count(run, gather(rows, attributionWindow));
    const reached = rows.length < stepSize ? lastSequence : rows.at(-1)!.sequence;
    await run({ name: 'advance-backfill', text: advanceStatement, values: [environment, reached] });
    return true;
  });
}

type StoredEvent = EventRow & { sequence: number };

async function readEvents(
  run: Run,
  { environment, countedSequence, lastSequence }: Claim,
): Promise<StoredEvent[]> {
  const values = [environment, countedSequence, lastSequence];
  const rows = await run<StoredEvent>({ name: 'list-stored-events', text: eventsStatement, values });
  return rows.map(
    (row) => Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as StoredEvent,
  );
}
