/**
 * Aggregates stored events into histories and metrics in the background, in batches. This node
 * reads its own pending events from memory, so an event counts in the subject's next list at once.
 * Other nodes see it once it is aggregated. A metrics query first waits for everything stored
 * before it. Each node aggregates the events it stored. Events that a node leaves pending for long
 * are aggregated by any other node, from the events table.
 */

import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createPeriodic } from '../ranking/runtime/periodic.ts';
import { createSingleFlight } from '../ranking/runtime/single-flight.ts';
import { withinTime } from '../ranking/runtime/within-time.ts';
import {
  type AggregationTools,
  aggregateLane,
  aggregateRange,
  countPending,
  isAggregated,
  type LaneProgress,
  listLaneProgress,
} from '../repository/events/aggregate-events.ts';
import { moveAllHandovers } from '../repository/events/handovers.ts';
import type { PendingEvents } from '../repository/events/pending-events.ts';
import type { StoredEvent } from '../repository/events/stored-event.ts';

/**
 * Duration of a round, in which each bucket aggregates this node's events once, one after the
 * other; all at once would starve requests. A longer round puts more events in one row, but every
 * node must use an event within a second.
 */
const roundMs = 500;
/** Pause after a slow turn, as a share of its duration: leaves a third of the time for others. */
const restShare = 0.5;
/** Maximum duration of a round. A bucket that exceeds its share continues beside the next one. */
const longestRoundMs = 1_000;
const lookPauseMs = 1_000;

/** How long buckets run one after the other when all are aggregated at once. */
const inTurnMs = 250;

/**
 * A running node aggregates its own events, bucket by bucket. A catch-up takes over a lane that
 * made no progress for this long: its node has stopped, or has so few events that it costs nothing.
 */
const patienceMs = 300;
/** Then lanes that progress are taken over, too: a catch-up must end within two seconds. */
const longestPatienceMs = 800;
const lookMs = 50;

/** Pending events above which storing waits: a second's work. */
const mostPending = 24_000;
const roomMs = 10;

export type EventAggregation = {
  /** Resolves after one attempt to aggregate all earlier events, such as those of a killed node. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Aggregates all events stored before the call, by any node; UNAVAILABLE if some cannot be. */
  catchUp(): Promise<void>;
  /** Resolves when storing may continue. */
  awaitRoom(): Promise<void>;
  readonly lag: AggregationLag;
};

export type AggregationLag = {
  /** Events of any node that some bucket has not aggregated. */
  events: number;
  /** Age of the oldest pending event, to the second; 0 when none is pending. */
  seconds: number;
};

export type EventAggregationOptions = Pick<
  AggregationTools,
  'db' | 'bucketCount' | 'attributionWindow' | 'consuming' | 'limitNames' | 'interpretationOf'
> & { pending: PendingEvents; logger: Pick<Logger, 'warn' | 'error'> };

export function createEventAggregation(options: EventAggregationOptions): EventAggregation {
  const { pending, logger, ...given } = options;
  const { db } = given;
  const tools: AggregationTools = {
    ...given,
    findLink: (environment, deviceId) => pending.view().findLink(environment, deviceId),
    onMoved: pending.noteMoved,
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
    await moveAllHandovers(tools);
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
        /** Events that cannot be aggregated now remain in the events table. */
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
  /** Aggregates the bucket's pending events that this node stored before the call. */
  aggregate(bucket: number): Promise<void>;
  /** Aggregates all buckets; a failing bucket does not affect the others. */
  aggregateAll(): Promise<void>;
  failedBuckets(): Iterable<number>;
  assertHealthy(): void;
};

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

/** Runs works one after the other; after `inTurnMs`, slow ones no longer hold up the rest. */
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

/** Gives running nodes time for their own lanes; aggregates stalled ones from the events table. */
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

async function aggregateLeft(tools: AggregationTools, lag: Lag): Promise<void> {
  const lanes = await listLaneProgress(tools.db);
  lag.note(lanes);
  const left = lanes.filter((progress) => lag.isLeft(progress));
  for (const progress of left) await aggregateLane(tools, progress);
  await moveAllHandovers(tools);
  if (left.length > 0) lag.note(await listLaneProgress(tools.db));
}

function placesOf({ reached }: LaneProgress): string {
  return JSON.stringify(reached);
}

type Lag = {
  note(lanes: readonly LaneProgress[]): void;
  /** Whether the lane is behind and has not progressed since the previous note. */
  isLeft(progress: LaneProgress): boolean;
  current(): AggregationLag;
};

function createLag(): Lag {
  let before = new Map<number, string>();
  let events = 0;
  let standing = new Set<number>();
  /** By lane that was behind: the ends that it has to reach, and since when. */
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
