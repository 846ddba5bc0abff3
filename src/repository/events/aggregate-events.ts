/**
 * Aggregates stored events into histories and counts. One statement handles thousands of events of
 * a bucket; each user, device and hour is one row in it.
 *
 * The event log is the work queue. Each bucket stores its progress in every lane and advances it in
 * the statement that aggregates a range. So no event is aggregated twice or lost, even if nodes
 * compete or crash, and buckets do not wait for each other. Readers of counts first check that all
 * buckets have reached the ends of all lanes; histories are completed from pending events.
 */
import type { DomainError } from '../../errors.ts';
import type { InterpretationOf } from '../../events/meaning.ts';
import { listBuckets } from '../buckets.ts';
import { type Database, query } from '../database.ts';
import { encodeValues } from '../encode-values.ts';
import { isAway, isOfContent } from '../failures.ts';
import { endsOf, listFeedEnds } from '../feeds.ts';
import { type AttributionWindow, encodeBatch, encodeRows } from '../metrics/metric-batch.ts';
import type { LimitNames } from '../metrics/metric-dimensions.ts';
import { type BucketFacts, emptyFacts, gatherFacts } from './bucket-facts.ts';
import { type OwnerTools, withOwners } from './device-owners.ts';
import { type HandoverTools, moveHandovers } from './handovers.ts';
import { historyColumns, listAdditions, listLeaving } from './history-batch.ts';
import { listLaneEvents } from './lane-events.ts';
import type { PendingRange } from './pending-events.ts';
import type { StoredEvent } from './stored-event.ts';

/** Events read per bucket in one statement, for a lane that is not in this node's memory. */
const mostEventsRead = 4_000;

export type AggregationTools = OwnerTools &
  HandoverTools & {
    attributionWindow: AttributionWindow;
    limitNames?: LimitNames;
    interpretationOf?: InterpretationOf;
    /** Called after events of a lane were aggregated from the events table. */
    onRead?: (lane: number) => void;
    /** Called for an event that cannot be aggregated. It stays stored and is skipped. */
    onRejected?: (event: StoredEvent, error: unknown) => void;
  };

/** Range of a lane: in each bucket the events after `from`, up to and including `until`. */
type Places = Pick<PendingRange, 'lane' | 'from' | 'until'>;

/** A range with its events, in order of arrival. */
type Slice = Places & { events: StoredEvent[] };

/**
 * Aggregates a range from memory. Falls back to the events table if the bucket's progress differs
 * from the start of the range, or if an event makes the statement fail.
 */
export async function aggregateRange(tools: AggregationTools, range: PendingRange): Promise<void> {
  const { bucket, lane, until } = range;
  if (await aggregateKnown(tools, range)) return;
  const progress = (await listLaneProgress(tools.db)).find((other) => other.lane === lane);
  if (!progress) return;
  /** Stops at `until` and skips other buckets: the remaining events are still in memory. */
  const reached = progress.reached.map((numbers, other) => (other === bucket ? numbers : until));
  await aggregateLane(tools, { lane, ends: until, reached });
}

async function aggregateKnown(tools: AggregationTools, range: PendingRange): Promise<boolean> {
  try {
    return await aggregateFacts(tools, range.bucket, range, range.facts);
  } catch (error) {
    if (!isOfContent(error) && !isTooLong(error)) throw error;
    return false;
  }
}

/** Aggregates events of the table; on a failure in halves, down to the failing event. */
async function aggregateSlice(tools: AggregationTools, bucket: number, slice: Slice): Promise<boolean> {
  const facts = factsOf(tools, slice.events)[bucket];
  try {
    return await aggregateFacts(tools, bucket, slice, facts);
  } catch (error) {
    const { events } = slice;
    if (events.length > 1 && (isOfContent(error) || isTooLong(error)))
      return aggregateHalves(tools, bucket, slice);
    if (!isOfContent(error)) throw error;
    if (events.length === 1) tools.onRejected?.(events[0], error);
    return aggregateFacts(tools, bucket, slice, emptyFacts());
  }
}

async function aggregateHalves(tools: AggregationTools, bucket: number, slice: Slice): Promise<boolean> {
  const { lane, from, until, events } = slice;
  const middle = events.length >> 1;
  const first = events.slice(0, middle);
  const between = [...from];
  for (const event of first) between[event.bucket] = event.number;
  const isAggregated = await aggregateSlice(tools, bucket, { lane, from, until: between, events: first });
  return (
    isAggregated &&
    aggregateSlice(tools, bucket, { lane, from: between, until, events: events.slice(middle) })
  );
}

function factsOf(
  { bucketCount, attributionWindow, limitNames, interpretationOf }: AggregationTools,
  events: readonly StoredEvent[],
): BucketFacts[] {
  const facts = Array.from({ length: bucketCount }, emptyFacts);
  for (const event of events) gatherFacts(facts, event, attributionWindow, limitNames, interpretationOf);
  return facts;
}

const aggregateText = `
select fold_events($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) as "reached"`;

async function aggregateFacts(
  tools: AggregationTools,
  bucket: number,
  { lane, from, until }: Places,
  { histories, metrics }: BucketFacts,
): Promise<boolean> {
  const { db, consuming } = tools;
  const leaving = listLeaving(histories);
  const values = [
    bucket,
    lane,
    from,
    until,
    encodeValues(listAdditions(histories, consuming), historyColumns),
    ...encodeBatch({ ...metrics, ...(await withOwners(tools, metrics)) }),
    [...consuming],
    encodeRows(leaving),
  ];
  const [{ reached }] = await query<{ reached: string[] | null }>(db, 'fold-events', aggregateText, values);
  if (reached === null) {
    /** If the bucket of a user fails, the lines wait. */
    if (leaving.length > 0) await moveHandovers(tools, bucket).catch(() => undefined);
    return true;
  }
  return until.every((number, place) => number <= Number(reached[place]));
}

export type LaneProgress = {
  lane: number;
  /** Last event number of each bucket. */
  ends: number[];
  /** Aggregated event numbers: one row per aggregating bucket, one value per event bucket. */
  reached: number[][];
};

/** Returns true if every bucket has aggregated all events of the lane. */
export function isAggregated({ ends, reached }: LaneProgress): boolean {
  return reached.every((numbers) => ends.every((end, place) => numbers[place] >= end));
}

/** Counts the events that at least one bucket has not aggregated. */
export function countPending(lanes: readonly LaneProgress[]): number {
  let count = 0;
  for (const { ends, reached } of lanes) {
    for (const [place, end] of ends.entries())
      count += end - Math.min(end, ...reached.map((numbers) => numbers[place]));
  }
  return count;
}

const reachedStatement = 'select bucket, lane, reached::text[] from folded where bucket = any($1)';

type ReachedRow = { bucket: number; lane: number; reached: string[] };

/** Lists the progress of all lanes. Their ends cover every event stored before the call. */
export async function listLaneProgress(db: Database): Promise<LaneProgress[]> {
  const buckets = await listBuckets(db);
  const ends = await listFeedEnds(db, 'events', buckets);
  const rows = await query<ReachedRow>(db, 'list-reached', reachedStatement, [buckets]);
  return Array.from(
    Map.groupBy(ends, ({ lane }) => lane),
    ([lane, ofLane]) => ({
      lane,
      ends: endsOf(ofLane, buckets.length),
      reached: reachedOf(
        rows.filter((row) => row.lane === lane),
        buckets.length,
      ),
    }),
  );
}

function reachedOf(rows: readonly ReachedRow[], bucketCount: number): number[][] {
  const numbers = Array.from({ length: bucketCount }, () => new Array<number>(bucketCount).fill(0));
  for (const { bucket, reached } of rows) numbers[bucket] = reached.map(Number);
  return numbers;
}

/**
 * Aggregates a lane from the events table up to its ends, in place of a node that stopped, crashed
 * or is slow. Skips buckets that fail and throws the first failure at the end.
 */
export async function aggregateLane(
  tools: AggregationTools,
  { lane, ends, reached }: LaneProgress,
): Promise<void> {
  const positions = reached.map((numbers) => [...numbers]);
  const failed = new Map<number, unknown>();
  for (;;) {
    const behind = [...positions.keys()].filter(
      (bucket) => !failed.has(bucket) && positions[bucket].some((number, place) => number < ends[place]),
    );
    if (behind.length === 0) break;
    const since = ends.map((end, place) =>
      Math.min(end, ...behind.map((bucket) => positions[bucket][place])),
    );
    const { events, until } = await listLaneEvents(tools.db, {
      lane,
      since,
      until: ends,
      limit: mostEventsRead,
    });
    await Promise.all(
      behind.map(async (bucket) => {
        try {
          positions[bucket] = await aggregateRead(tools, bucket, {
            lane,
            from: positions[bucket],
            until,
            events,
          });
        } catch (error) {
          failed.set(bucket, error);
        }
      }),
    );
  }
  tools.onRead?.(lane);
  const [failure] = failed.values();
  if (failure !== undefined) throw failure;
}

async function aggregateRead(
  tools: AggregationTools,
  bucket: number,
  { lane, from, until, events }: Slice,
): Promise<number[]> {
  const next = until.map((number, place) => Math.max(number, from[place]));
  const own = events.filter((event) => event.number > from[event.bucket]);
  if (await aggregateSlice(tools, bucket, { lane, from, until: next, events: own })) return next;
  const [row] = await query<ReachedRow>(tools.db, 'find-reached', `${reachedStatement} and lane = $2`, [
    [bucket],
    lane,
  ]);
  return row?.reached.map(Number) ?? from;
}

/** Returns true if the statement timed out; a smaller slice may succeed. */
function isTooLong(error: unknown): boolean {
  return (error as Partial<DomainError>).reason === 'UNAVAILABLE' && !isAway(error);
}
