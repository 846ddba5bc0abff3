/**
 * Aggregates stored events into histories and counts: a statement for each bucket and thousands of events, in
 * which each user, device and hour is one row.
 *
 * The events themselves are the log of what is to be done. Each bucket says how far it has come in each
 * lane, and moves on in the statement that takes a range in; so nothing is aggregated twice or forgotten,
 * whoever aggregates and whoever dies, and no bucket waits for another. Who reads counts asks before whether
 * all buckets have come to the ends of all lanes; histories are completed from what is not aggregated.
 */
import type { DomainError } from '../../errors.ts';
import { listBuckets } from '../buckets.ts';
import { type Database, isAway, query } from '../database.ts';
import { encodeValues } from '../encode-values.ts';
import { endsOf, listFeedEnds } from '../feeds.ts';
import type { CountedKeys } from '../metrics/counted-keys.ts';
import type { AttributionWindow } from '../metrics/metric-batch.ts';
import { encodeBatch } from '../metrics/metric-counts.ts';
import type { LimitNames } from '../metrics/metric-dimensions.ts';
import type { Shape } from '../row-shape.ts';
import { type BucketFacts, emptyFacts, gatherFacts } from './bucket-facts.ts';
import { type ConsumingKinds, listAdditions } from './history-batch.ts';
import { listLaneEvents } from './lane-events.ts';
import type { PendingRange } from './pending-events.ts';
import type { StoredEvent } from './stored-event.ts';

/** Read at once of a lane that this node has not in memory. */
const mostEventsRead = 4_000;

export type AggregationTools = {
  db: Database;
  bucketCount: number;
  attributionWindow: AttributionWindow;
  consuming: ConsumingKinds;
  /** What counts may be broken down by [all names]. */
  limitNames?: LimitNames;
  /** Whom this node has counted: they are left out of what it aggregates from memory. */
  counted?: CountedKeys;
  /** Hears that events of a lane were aggregated which were read from their table. */
  onRead?: (lane: number) => void;
  /** Hears of an event that nothing can aggregate: it stays stored, and is passed over. */
  onRejected?: (event: StoredEvent, error: unknown) => void;
};

/** Of a lane; in each bucket what begins after `from` and ends at `until`. */
type Places = Pick<PendingRange, 'lane' | 'from' | 'until'>;

/** With the events in their order. */
type Slice = Places & { events: StoredEvent[] };

/**
 * What the node knows of the range is aggregated. The table of events is read when the bucket has come to
 * another place than the range begins at, and when some event spoils the others.
 */
export async function aggregateRange(tools: AggregationTools, range: PendingRange): Promise<void> {
  const { bucket, lane, until } = range;
  if (await aggregateKnown(tools, range)) return;
  const progress = (await listLaneProgress(tools.db)).find((other) => other.lane === lane);
  if (!progress) return;
  /** No further: what follows is in memory. */
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

/**
 * Of events that cannot be aggregated together, or not in time, halves are tried, down to the one that
 * spoils the others. What is read from the table may be what a crash of the server has taken back,
 * counts included: nobody is left out of it.
 */
async function aggregateSlice(given: AggregationTools, bucket: number, slice: Slice): Promise<boolean> {
  const tools = { ...given, counted: undefined };
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
  { bucketCount, attributionWindow, limitNames }: AggregationTools,
  events: readonly StoredEvent[],
): BucketFacts[] {
  const facts = Array.from({ length: bucketCount }, emptyFacts);
  for (const event of events) gatherFacts(facts, event, attributionWindow, limitNames);
  return facts;
}

const aggregateText = `
select fold_events($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) as "reached"`;

const historyColumns = [
  'environment',
  'subject',
  'linked_at',
  'linked_user',
  'entries',
  'impressions',
  'consumed',
] as const;

async function aggregateFacts(
  { db, counted, consuming }: AggregationTools,
  bucket: number,
  { lane, from, until }: Places,
  { histories, metrics }: BucketFacts,
): Promise<boolean> {
  const seen = [...metrics.keys.u.values(), ...metrics.keys.s.values()];
  const keys = seen.filter((key) => !counted?.has(key));
  const values = [
    bucket,
    lane,
    from,
    until,
    encodeValues(listAdditions(histories, consuming), historyColumns),
    ...encodeBatch({ ...metrics, keys }),
    [...consuming],
  ];
  const [{ reached }] = await query<{ reached: string[] | null }>(
    db,
    {
      name: 'fold-events',
      text: aggregateText,
      values,
    },
    { reached: 'text[]?' },
  );
  if (reached === null) {
    counted?.add(keys);
    return true;
  }
  return until.every((number, place) => number <= Number(reached[place]));
}

export type LaneProgress = {
  lane: number;
  /** The last number of each bucket's events. */
  ends: number[];
  /** By bucket that aggregates, how far it has come in each bucket's events. */
  reached: number[][];
};

/** Whether all buckets have taken in all events. */
export function isAggregated({ ends, reached }: LaneProgress): boolean {
  return reached.every((numbers) => ends.every((end, place) => numbers[place] >= end));
}

/** How many events some bucket has not taken in. */
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

const reachedShape: Shape<ReachedRow> = { bucket: 'int4', lane: 'int4', reached: 'text[]' };

/** The ends are read first, so what is not beyond them was stored before the call. */
export async function listLaneProgress(db: Database): Promise<LaneProgress[]> {
  const buckets = await listBuckets(db);
  const ends = await listFeedEnds(db, 'events', buckets);
  const rows = await query(
    db,
    {
      name: 'list-reached',
      text: reachedStatement,
      values: [buckets],
    },
    reachedShape,
  );
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
 * Aggregates a lane from the table of events, up to its ends: what another node stored that is no more, or
 * stopped, or is slow. Buckets that cannot be reached are left; the first failure is thrown at the end.
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

/** Answers how far the bucket has come then. */
async function aggregateRead(
  tools: AggregationTools,
  bucket: number,
  { lane, from, until, events }: Slice,
): Promise<number[]> {
  const next = until.map((number, place) => Math.max(number, from[place]));
  const own = events.filter((event) => event.number > from[event.bucket]);
  if (await aggregateSlice(tools, bucket, { lane, from, until: next, events: own })) return next;
  const [row] = await query(
    tools.db,
    {
      name: 'find-reached',
      text: `${reachedStatement} and lane = $2`,
      values: [[bucket], lane],
    },
    reachedShape,
  );
  return row?.reached.map(Number) ?? from;
}

/** The statement took longer than any may: a part of it may not. */
function isTooLong(error: unknown): boolean {
  return (error as Partial<DomainError>).reason === 'UNAVAILABLE' && !isAway(error);
}

/** Data exceptions, broken constraints and limits of the program. Any other failure is none of the events'. */
const contentStates = /^(22|23|54)/;

function isOfContent(error: unknown): boolean {
  const { code = '' } = ((error as DomainError).cause ?? {}) as { code?: string };
  return contentStates.test(code);
}
