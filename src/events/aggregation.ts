/**
 * Aggregates stored events into histories and counts beside the requests: soon, but many at once.
 *
 * An event is in its person's next list at once, on this node from memory, on others when it is aggregated.
 * Who asks for metrics waits until everything stored before is aggregated. Each node aggregates what it stored
 * itself; what another one leaves for long is aggregated from the table of events by any.
 */

import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createPeriodic } from '../ranking/runtime/periodic.ts';
import { createSingleFlight } from '../ranking/runtime/single-flight.ts';
import { withinTime } from '../ranking/runtime/within-time.ts';
import type { Database } from '../repository/database.ts';
import {
  type AggregationTools,
  aggregateLane,
  aggregateRange,
  countPending,
  isAggregated,
  type LaneProgress,
  listLaneProgress,
} from '../repository/events/aggregate-events.ts';
import type { ConsumingKinds } from '../repository/events/history-batch.ts';
import type { PendingEvents } from '../repository/events/pending-events.ts';
import type { StoredEvent } from '../repository/events/stored-event.ts';
import type { AttributionWindow } from '../repository/metrics/metric-batch.ts';
import type { LimitNames } from '../repository/metrics/metric-dimensions.ts';

/**
 * In this time each bucket has its turn to take in what this node stored, one after the other: all at
 * once would take the processors from requests. The longer it is, the more events are one row; but
 * within a second every node lists by them.
 */
const roundMs = 500;
/** Of a turn that takes longer than its part of the round, rest after it: a third of the time for others. */
const restShare = 0.5;
/** A round lasts no longer: a bucket that has not ended its turn by its part of it goes on beside the next. */
const longestRoundMs = 1_000;
/** From one look at what other nodes left to the next. */
const lookPauseMs = 1_000;

/** When all are aggregated at once: how long they take turns then. */
const inTurnMs = 250;

/**
 * A node that lives aggregates what it stored, bucket by bucket; what has not moved for so long, who reads
 * counts aggregates instead: the node has stopped, or has so little that it costs nothing.
 */
const patienceMs = 300;
/** Then what moves is aggregated, too: who asks is to be answered within two seconds. */
const longestPatienceMs = 800;
/** How often who waits looks again. */
const lookMs = 50;

/** Events that wait to be aggregated before storing has to wait, too: a second's work. */
const mostPending = 24_000;
/** How often who waits for room looks again. */
const roomMs = 10;

export type EventAggregation = {
  /** Resolves when this node has tried to aggregate everything that was stored before: by a node that was killed, say. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Aggregates what was stored before the call, by any node; UNAVAILABLE when some of it cannot be aggregated now. */
  catchUp(): Promise<void>;
  /** Resolves when storing may go on. */
  awaitRoom(): Promise<void>;
  /** How far aggregation was behind when it was looked at last. */
  readonly lag: AggregationLag;
};

export type AggregationLag = {
  /** Events of any node that some bucket has not taken in. */
  events: number;
  /** How long the oldest of them has waited, to the second; 0 when there is nothing to aggregate. */
  seconds: number;
};

export type EventAggregationOptions = {
  db: Database;
  bucketCount: number;
  pending: PendingEvents;
  attributionWindow: AttributionWindow;
  consuming: ConsumingKinds;
  /** What counts may be broken down by [all names]. */
  limitNames?: LimitNames;
  logger: Pick<Logger, 'warn' | 'error'>;
};

export function createEventAggregation(options: EventAggregationOptions): EventAggregation {
  const { db, pending, logger } = options;
  const tools: AggregationTools = {
    db,
    bucketCount: options.bucketCount,
    attributionWindow: options.attributionWindow,
    consuming: options.consuming,
    limitNames: options.limitNames,
    counted: pending.counted,
    onRead: pending.noteOthers,
    onRejected: (event, error) =>
      logger.error({ err: error, ...placeOf(event) }, 'An event was not aggregated.'),
  };
  const lag = createLag();
  const own = createOwnAggregation(tools, pending);
  const complaint = 'Events could not be aggregated yet; trying again.';
  const turnMs = roundMs / tools.bucketCount;
  const longestTurnMs = longestRoundMs / tools.bucketCount / (1 + restShare);
  let turn = 0;
  const background = createPeriodic({
    async work() {
      await withinTime(longestTurnMs, own.aggregate(turn++ % tools.bucketCount));
      own.assertHealthy();
    },
    pauseMs: (tookMs) => Math.max(turnMs - tookMs, tookMs * restShare),
    ...{ complaint, logger },
  });
  const looking = createPeriodic({
    work: () => aggregateLeft(tools, lag),
    ...{ pauseMs: lookPauseMs, complaint, logger },
  });
  const catchUp = async () => {
    const wanted = (await listLaneProgress(db)).filter((progress) => !isAggregated(progress));
    if (wanted.length > 0) await aggregateWanted(tools, wanted, own.aggregateAll);
  };
  return {
    async start() {
      const message = 'Events that were stored before could not all be aggregated yet; trying again.';
      await catchUp().catch((error) => logger.warn({ err: error }, message));
      background.start();
      looking.start();
    },
    async stop() {
      await Promise.all([background.stop(), looking.stop()]);
      await own
        .aggregateAll()
        .catch((error) => logger.warn({ err: error }, 'Another node aggregates the last events.'));
    },
    catchUp,
    async awaitRoom() {
      while (pending.count >= mostPending) {
        /** What cannot be aggregated now is in the table of events. */
        for (const bucket of own.failedBuckets()) pending.drop(bucket);
        await Promise.race([own.aggregateAll().catch(() => undefined), delay(roomMs)]);
      }
    },
    get lag() {
      const { events, seconds } = lag.current();
      return {
        events: Math.max(events, pending.count),
        seconds: Math.max(seconds, pending.waitedMs / 1_000),
      };
    },
  };
}

type OwnAggregation = {
  /** Aggregates what the bucket has not taken in of what this node stored before the call. */
  aggregate(bucket: number): Promise<void>;
  /** All buckets; one that fails holds up itself alone. */
  aggregateAll(): Promise<void>;
  /** What failed the last time. */
  failedBuckets(): Iterable<number>;
  /** Throws why. */
  assertHealthy(): void;
};

/** What this node has in memory, bucket by bucket. */
function createOwnAggregation(tools: AggregationTools, pending: PendingEvents): OwnAggregation {
  const failures = new Map<number, unknown>();
  const aggregateBucket = async (bucket: number): Promise<void> => {
    try {
      for (const range of pending.take(bucket)) {
        await aggregateRange(tools, range);
        pending.remove(range);
      }
      failures.delete(bucket);
    } catch (error) {
      failures.set(bucket, error);
      throw error;
    }
  };
  const runs = Array.from({ length: tools.bucketCount }, (_, bucket) =>
    createSingleFlight(() => aggregateBucket(bucket), { failsFast: true }),
  );
  return {
    aggregate: (bucket) => runs[bucket](),
    aggregateAll: createSingleFlight(
      async () => {
        const results = await inTurn(runs);
        const failed = results.find((result) => result.status === 'rejected');
        if (failed) throw failed.reason;
      },
      { failsFast: true },
    ),
    failedBuckets: () => failures.keys(),
    assertHealthy() {
      for (const failure of failures.values()) throw failure;
    },
  };
}

/** One after the other at first; then none waits any longer for one that is slow or hangs. */
async function inTurn(works: readonly (() => Promise<void>)[]): Promise<PromiseSettledResult<void>[]> {
  const endMs = performance.now() + inTurnMs;
  const settled: Promise<PromiseSettledResult<void>[]>[] = [];
  for (const work of works) {
    const one = Promise.allSettled([work()]);
    settled.push(one);
    await withinTime(endMs - performance.now(), one);
  }
  return (await Promise.all(settled)).flat();
}

/** A node that lives aggregates its lane itself; a lane that stands still is aggregated from the table of events. */
async function aggregateWanted(
  tools: AggregationTools,
  wanted: readonly LaneProgress[],
  aggregateOwnEvents: () => Promise<void>,
): Promise<void> {
  await aggregateOwnEvents();
  const beganMs = performance.now();
  let behind = wanted.map((progress) => ({ progress, sinceMs: beganMs }));
  for (;;) {
    const reached = new Map((await listLaneProgress(tools.db)).map((now) => [now.lane, now.reached]));
    const nowMs = performance.now();
    behind = behind
      .map(({ progress: before, sinceMs }) => {
        const progress = { ...before, reached: reached.get(before.lane) ?? before.reached };
        return { progress, sinceMs: placesOf(progress) === placesOf(before) ? sinceMs : nowMs };
      })
      .filter(({ progress }) => !isAggregated(progress));
    const isOver = nowMs - beganMs >= longestPatienceMs;
    const standsStill = ({ sinceMs }: { sinceMs: number }) => isOver || nowMs - sinceMs >= patienceMs;
    for (const { progress } of behind.filter(standsStill)) await aggregateLane(tools, progress);
    behind = behind.filter((lane) => !standsStill(lane));
    if (behind.length === 0) return;
    await delay(lookMs);
  }
}

/** What nobody aggregates: lanes that have not moved since the look before. */
async function aggregateLeft(tools: AggregationTools, lag: Lag): Promise<void> {
  const lanes = await listLaneProgress(tools.db);
  lag.note(lanes);
  const left = lanes.filter((progress) => lag.isLeft(progress));
  for (const progress of left) await aggregateLane(tools, progress);
  if (left.length > 0) lag.note(await listLaneProgress(tools.db));
}

/** Where aggregation of the lane is, to be compared. */
function placesOf({ reached }: LaneProgress): string {
  return JSON.stringify(reached);
}

type Lag = {
  note(lanes: readonly LaneProgress[]): void;
  /** Whether the lane is behind, and was where it is when it was noted before. */
  isLeft(progress: LaneProgress): boolean;
  current(): AggregationLag;
};

function createLag(): Lag {
  let before = new Map<number, string>();
  let events = 0;
  let standing = new Set<number>();
  /** Of each lane that was behind, ends that it had to come to, and since when. */
  let awaited = new Map<number, { ends: number[]; sinceMs: number }>();
  return {
    note(lanes) {
      const nowMs = performance.now();
      const behind = lanes.filter((lane) => !isAggregated(lane));
      standing = new Set(
        behind.filter((lane) => before.get(lane.lane) === placesOf(lane)).map(({ lane }) => lane),
      );
      before = new Map(behind.map((lane) => [lane.lane, placesOf(lane)]));
      events = countPending(lanes);
      const isAwaited = ({ lane, reached }: LaneProgress) =>
        awaited.has(lane) && !isAggregated({ lane, reached, ends: awaited.get(lane)!.ends });
      awaited = new Map(
        behind.map((lane) => [
          lane.lane,
          isAwaited(lane) ? awaited.get(lane.lane)! : { ends: lane.ends, sinceMs: nowMs },
        ]),
      );
    },
    isLeft: ({ lane }) => standing.has(lane),
    current() {
      const oldestMs = Math.min(...Array.from(awaited.values(), ({ sinceMs }) => sinceMs));
      return { events, seconds: awaited.size === 0 ? 0 : (performance.now() - oldestMs) / 1_000 };
    },
  };
}

function placeOf({ environment, bucket, lane, number }: StoredEvent) {
  return { environment, bucket, lane, number };
}
