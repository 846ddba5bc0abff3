/**
 * Folds stored events into histories and counts beside the requests: soon, but many at once.
 *
 * An event is in its person's next list at once, on this node from memory, on others when it is folded.
 * Who asks for metrics waits until everything stored before is folded. Each node folds what it stored
 * itself; what another one leaves for long is folded from the table of events by any.
 */

import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createPeriodic } from '../ranking/runtime/periodic.ts';
import { createSingleFlight } from '../ranking/runtime/single-flight.ts';
import { withinTime } from '../ranking/runtime/within-time.ts';
import type { Database } from '../repository/database.ts';
import {
  countUnfolded,
  type FoldTools,
  foldLane,
  foldStretch,
  isFolded,
  type LaneProgress,
  listLaneProgress,
} from '../repository/events/fold-events.ts';
import type { ConsumingKinds } from '../repository/events/history-batch.ts';
import type { StoredEvent } from '../repository/events/stored-event.ts';
import type { UnfoldedEvents } from '../repository/events/unfolded-events.ts';
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

/** When all are folded at once: how long they take turns then. */
const inTurnMs = 250;

/**
 * A node that lives folds what it stored, bucket by bucket; what has not moved for so long, who reads
 * counts folds instead: the node has stopped, or has so little that it costs nothing.
 */
const patienceMs = 300;
/** Then what moves is folded, too: who asks is to be answered within two seconds. */
const longestPatienceMs = 800;
/** How often who waits looks again. */
const lookMs = 50;

/** Events that wait to be folded before storing has to wait, too: a second's work. */
const mostUnfolded = 24_000;
/** How often who waits for room looks again. */
const roomMs = 10;

export type EventFolding = {
  /** Resolves when this node has tried to fold everything that was stored before: by a node that was killed, say. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Folds what was stored before the call, by any node; UNAVAILABLE when some of it cannot be folded now. */
  catchUp(): Promise<void>;
  /** Resolves when storing may go on. */
  awaitRoom(): Promise<void>;
  /** How far folding was behind when it was looked at last. */
  readonly lag: FoldingLag;
};

export type FoldingLag = {
  /** Events of any node that some bucket has not taken in. */
  events: number;
  /** How long the oldest of them has waited, to the second; 0 when there is nothing to fold. */
  seconds: number;
};

export type EventFoldingOptions = {
  db: Database;
  bucketCount: number;
  unfolded: UnfoldedEvents;
  attributionWindow: AttributionWindow;
  consuming: ConsumingKinds;
  /** What counts may be broken down by [all names]. */
  limitNames?: LimitNames;
  logger: Pick<Logger, 'warn' | 'error'>;
};

export function createEventFolding(options: EventFoldingOptions): EventFolding {
  const { db, unfolded, logger } = options;
  const tools: FoldTools = {
    db,
    bucketCount: options.bucketCount,
    attributionWindow: options.attributionWindow,
    consuming: options.consuming,
    limitNames: options.limitNames,
    counted: unfolded.counted,
    onRead: unfolded.noteOthers,
    onUnfoldable: (event, error) =>
      logger.error({ err: error, ...placeOf(event) }, 'An event was not folded.'),
  };
  const lag = createLag();
  const own = createOwnFolds(tools, unfolded);
  const complaint = 'Events could not be folded yet; trying again.';
  const turnMs = roundMs / tools.bucketCount;
  const longestTurnMs = longestRoundMs / tools.bucketCount / (1 + restShare);
  let turn = 0;
  const background = createPeriodic({
    async work() {
      await withinTime(longestTurnMs, own.fold(turn++ % tools.bucketCount));
      own.assertFolds();
    },
    pauseMs: (tookMs) => Math.max(turnMs - tookMs, tookMs * restShare),
    ...{ complaint, logger },
  });
  const looking = createPeriodic({
    work: () => foldLeft(tools, lag),
    ...{ pauseMs: lookPauseMs, complaint, logger },
  });
  const catchUp = async () => {
    const wanted = (await listLaneProgress(db)).filter((progress) => !isFolded(progress));
    if (wanted.length > 0) await foldWanted(tools, wanted, own.foldAll);
  };
  return {
    async start() {
      const message = 'Events that were stored before could not all be folded yet; trying again.';
      await catchUp().catch((error) => logger.warn({ err: error }, message));
      background.start();
      looking.start();
    },
    async stop() {
      await Promise.all([background.stop(), looking.stop()]);
      await own
        .foldAll()
        .catch((error) => logger.warn({ err: error }, 'Another node folds the last events.'));
    },
    catchUp,
    async awaitRoom() {
      while (unfolded.count >= mostUnfolded) {
        /** What cannot be folded now is in the table of events. */
        for (const bucket of own.failedBuckets()) unfolded.drop(bucket);
        await Promise.race([own.foldAll().catch(() => undefined), delay(roomMs)]);
      }
    },
    get lag() {
      const { events, seconds } = lag.current();
      return {
        events: Math.max(events, unfolded.count),
        seconds: Math.max(seconds, unfolded.waitedMs / 1_000),
      };
    },
  };
}

type OwnFolds = {
  /** Folds what the bucket has not taken in of what this node stored before the call. */
  fold(bucket: number): Promise<void>;
  /** All buckets; one that fails holds up itself alone. */
  foldAll(): Promise<void>;
  /** What failed the last time. */
  failedBuckets(): Iterable<number>;
  /** Throws why. */
  assertFolds(): void;
};

/** What this node has in memory, bucket by bucket. */
function createOwnFolds(tools: FoldTools, unfolded: UnfoldedEvents): OwnFolds {
  const failures = new Map<number, unknown>();
  const foldBucket = async (bucket: number): Promise<void> => {
    try {
      for (const stretch of unfolded.take(bucket)) {
        await foldStretch(tools, stretch);
        unfolded.remove(stretch);
      }
      failures.delete(bucket);
    } catch (error) {
      failures.set(bucket, error);
      throw error;
    }
  };
  const folds = Array.from({ length: tools.bucketCount }, (_, bucket) =>
    createSingleFlight(() => foldBucket(bucket), { failsFast: true }),
  );
  return {
    fold: (bucket) => folds[bucket](),
    foldAll: createSingleFlight(
      async () => {
        const results = await inTurn(folds);
        const failed = results.find((result) => result.status === 'rejected');
        if (failed) throw failed.reason;
      },
      { failsFast: true },
    ),
    failedBuckets: () => failures.keys(),
    assertFolds() {
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

/** A node that lives folds its lane itself; a lane that stands still is folded from the table of events. */
async function foldWanted(
  tools: FoldTools,
  wanted: readonly LaneProgress[],
  foldOwnEvents: () => Promise<void>,
): Promise<void> {
  await foldOwnEvents();
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
      .filter(({ progress }) => !isFolded(progress));
    const isOver = nowMs - beganMs >= longestPatienceMs;
    const standsStill = ({ sinceMs }: { sinceMs: number }) => isOver || nowMs - sinceMs >= patienceMs;
    for (const { progress } of behind.filter(standsStill)) await foldLane(tools, progress);
    behind = behind.filter((lane) => !standsStill(lane));
    if (behind.length === 0) return;
    await delay(lookMs);
  }
}

/** What nobody folds: lanes that have not moved since the look before. */
async function foldLeft(tools: FoldTools, lag: Lag): Promise<void> {
  const lanes = await listLaneProgress(tools.db);
  lag.note(lanes);
  const left = lanes.filter((progress) => lag.isLeft(progress));
  for (const progress of left) await foldLane(tools, progress);
  if (left.length > 0) lag.note(await listLaneProgress(tools.db));
}

/** Where folding of the lane is, to be compared. */
function placesOf({ reached }: LaneProgress): string {
  return JSON.stringify(reached);
}

type Lag = {
  note(lanes: readonly LaneProgress[]): void;
  /** Whether the lane is behind, and was where it is when it was noted before. */
  isLeft(progress: LaneProgress): boolean;
  current(): FoldingLag;
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
      const behind = lanes.filter((lane) => !isFolded(lane));
      standing = new Set(
        behind.filter((lane) => before.get(lane.lane) === placesOf(lane)).map(({ lane }) => lane),
      );
      before = new Map(behind.map((lane) => [lane.lane, placesOf(lane)]));
      events = countUnfolded(lanes);
      const isAwaited = ({ lane, reached }: LaneProgress) =>
        awaited.has(lane) && !isFolded({ lane, reached, ends: awaited.get(lane)!.ends });
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
