/**
 * Folds stored events into histories and counts: a transaction for thousands of events, in which each user, device and hour is one row.
 *
 * The events themselves are the log of what is to be done, and one row says how far that is; so nothing is folded twice or forgotten,
 * whoever dies. Who reads counts folds first (`foldEvents`); histories are completed from what is not folded (histories.ts).
 */

import { type Database, inTransaction, query, type Run } from '../database.ts';
import { encodeColumns } from '../encode-columns.ts';
import type { EventRow } from '../event-row.ts';
import {
  type AttributionWindow,
  defaultAttributionWindow,
  gather,
  type MetricBatch,
  type SeenKey,
} from '../metrics/metric-batch.ts';
import { count } from '../metrics/metric-counts.ts';
import { findSettledSequence } from './events.ts';
import { gatherHistory, type HistoryBatch, listAdditions } from './history-batch.ts';
import type { UnfoldedEvents } from './unfolded-events.ts';

/** Read at once, of those that this node has not in memory. */
const mostEventsRead = 2_000;

export type FoldOptions = {
  /** Absent: 24 hours. */
  attributionWindow?: AttributionWindow;
  /** Of this node, whose events need not be read again. */
  unfolded?: UnfoldedEvents;
  /** Read at most so many events of the database, and trust nothing else. */
  mostEvents?: number;
  /** Passes over the events without looking at them. */
  isSkipping?: boolean;
};

/** Up to which event everything is folded, and the last one that anybody has begun to store. */
export type FoldProgress = { foldedSequence: number; lastSequence: number };

const progressStatement = `
select folded_sequence as "foldedSequence", (select case when is_called then last_value else 0 end from event_sequence) as "lastSequence"
from event_folding`;

export async function findFoldProgress(db: Database): Promise<FoldProgress> {
  const [progress] = await query<FoldProgress>(db, {
    name: 'find-fold-progress',
    text: progressStatement,
    values: [],
  });
  return progress;
}

/** Folds everything that was stored before the call. */
export async function foldEvents(db: Database, options: FoldOptions = {}): Promise<void> {
  const { lastSequence, foldedSequence } = await findFoldProgress(db);
  let reached = foldedSequence;
  while (reached < lastSequence) reached = await foldStep(db, options);
}

const lockStatement = 'select folded_sequence as "foldedSequence" from event_folding for update';
const advanceStatement = 'update event_folding set folded_sequence = $1';

type Part = { untilSequence: number; metrics?: MetricBatch; histories?: HistoryBatch };

/** One transaction, after those of other nodes; answers up to which event everything is folded then. */
export async function foldStep(db: Database, options: FoldOptions = {}): Promise<number> {
  let counted: SeenKey[] = [];
  const foldedSequence = await inTransaction(db, async (run) => {
    const [{ foldedSequence: from }] = await run<FoldProgress>({
      name: 'lock-folding',
      text: lockStatement,
      values: [],
    });
    const { untilSequence, metrics, histories } = await nextPart(db, run, from, options);
    if (untilSequence === from) return from;
    if (histories) await addHistories(run, histories, untilSequence);
    if (metrics) {
      counted = keepUncounted(metrics, options.unfolded);
      await count(run, metrics);
    }
    await run({ name: 'advance-folding', text: advanceStatement, values: [untilSequence] });
    return untilSequence;
  });
  options.unfolded?.forget(foldedSequence);
  options.unfolded?.counted.add(counted);
  return foldedSequence;
}

/** Takes out whom this node has counted before, and answers whom it counts now. */
function keepUncounted({ keys }: MetricBatch, unfolded: UnfoldedEvents | undefined): SeenKey[] {
  for (const [place, key] of keys) if (unfolded?.counted.has(key)) keys.delete(place);
  return [...keys.values()];
}

/** What follows in this node's memory, else what was stored by others, or by a node that is no more. */
async function nextPart(db: Database, run: Run, from: number, options: FoldOptions): Promise<Part> {
  const { attributionWindow = defaultAttributionWindow, unfolded, mostEvents, isSkipping } = options;
  const stretch = mostEvents === undefined ? unfolded?.take(from) : undefined;
  if (stretch) return { ...stretch, untilSequence: stretch.lastSequence };
  const settled = await findSettledSequence(db);
  const limit = mostEvents ?? mostEventsRead;
  const events = settled > from ? await readEvents(run, { from, settled, limit }) : [];
  const untilSequence = events.length < limit ? settled : events.at(-1)!.sequence;
  if (isSkipping || events.length === 0) return { untilSequence };
  const histories: HistoryBatch = new Map();
  for (const event of events) gatherHistory(histories, event, event.sequence);
  return { untilSequence, histories, metrics: gather(events, attributionWindow) };
}

async function addHistories(run: Run, histories: HistoryBatch, untilSequence: number): Promise<void> {
  const columns = ['environment', 'subject', 'linked_user', 'entries', 'impressions'] as const;
  const additions = encodeColumns(listAdditions(histories), columns);
  if (additions === null) return;
  const text = 'select fold_histories($1, $2)';
  await run({ name: 'fold-histories', text, values: [additions, untilSequence] });
}

/** Environment by environment, since that is the order of the index; their names are found by leaping through it. */
const eventsStatement = `
with recursive environments as (
  (select environment from events order by environment limit 1)
  union all
  select (select events.environment from events where events.environment > environments.environment order by 1 limit 1)
  from environments where environments.environment is not null
)
select event.*
from environments cross join lateral (
  select environment, sequence, event_type as "eventType", device_id as "deviceId", user_id as "userId", item_type as "itemType",
    item_id as "itemId", request_id as "requestId", list_name as "listName", page_type as "pageType", channel,
    user_group as "userGroup", version, robot, details, (extract(epoch from occurred_at) * 1000)::float8 as "occurredAtMs"
  from events where events.environment = environments.environment and sequence > $1 and sequence <= $2
  order by sequence limit $3
) as event
order by sequence limit $3`;

type StoredEvent = EventRow & { sequence: number };

async function readEvents(
  run: Run,
  { from, settled, limit }: { from: number; settled: number; limit: number },
): Promise<StoredEvent[]> {
  const values = [from, settled, limit];
  const rows = await run<StoredEvent>({ name: 'list-unfolded-events', text: eventsStatement, values });
  return rows.map(
    (row) => Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as StoredEvent,
  );
}
