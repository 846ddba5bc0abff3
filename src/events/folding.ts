/**
 * Folds stored events into histories and counts beside the requests: soon, but many at once.
 *
 * An event is in its person's next list at once, on this node from memory, on others when it is folded.
 * Who asks for metrics waits until everything stored before is folded. Each node folds what it stored
 * itself; what another one leaves for long is folded from the table of events by any.
 */

import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createPeriodic } from '../periodic.ts';
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
import type { StoredEvent } from '../repository/events/stored-event.ts';
import type { Stretch, UnfoldedEvents } from '../repository/events/unfolded-events.ts';
import type { AttributionWindow } from '../repository/metrics/metric-batch.ts';

/** From one look at what is this node's to fold to the next. */
const pauseMs = 200;
/** Fewer wait for others: a fold costs about the same for ten as for a hundred, on each node. */
const fewEvents = 1_000;
/** But no longer than this: within a second every node lists by them. */
const fewWaitMs = 500;
/** Buckets are folded in turn for so long: all at once take the processors from requests. */
const inTurnMs = 250;
/** From one look at what other nodes left to the next. */
const idleMs = 1_000;
/** After a failure. */
const retryMs = 1_000;

/** A node that lives folds what it stored in this time; after it who reads counts does it instead. */
const patienceMs = 800;
/** How often who waits looks again. */
const lookMs = 50;

/** Events that wait to be folded before storing has to wait, too: less than a second's work. */
const mostUnfolded = 16_000;
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
  /** Since when there was no moment at which everything was folded; 0 when there is nothing to fold. */
  seconds: number;
};

export type EventFoldingOptions = {
  db: Database;
  bucketCount: number;
  unfolded: UnfoldedEvents;
  attributionWindow: AttributionWindow;
  logger: Pick<Logger, 'warn' | 'error'>;
};

export function createEventFolding(options: EventFoldingOptions): EventFolding {
  const { db, unfolded, logger } = options;
  const tools: FoldTools = {
    db,
    bucketCount: options.bucketCount,
    attributionWindow: options.attributionWindow,
    counted: unfolded.counted,
    onUnfoldable: (event, error) =>
      logger.error({ err: error, ...placeOf(event) }, 'An event was not folded.'),
  };
  const lag = createLag();
  const folds = shareRuns(() => foldOwn(tools, unfolded));
  const looks = shareRuns(() => foldLeft(tools, lag));
  let hasFailed = false;
  let foldedAtMs = performance.now();

  const fold = async (): Promise<void> => {
    try {
      await folds();
      foldedAtMs = performance.now();
      hasFailed = false;
    } catch (error) {
      hasFailed = true;
      throw error;
    }
  };
  let idleForMs = 0;
  let waitedMs = 0;
  const background = createPeriodic({
    async work() {
      idleForMs += pauseMs;
      if (unfolded.count === 0) foldedAtMs = performance.now();
      waitedMs = unfolded.count === 0 ? 0 : waitedMs + pauseMs;
      const isLook = idleForMs >= idleMs;
      if (!isLook && unfolded.count < fewEvents && waitedMs < fewWaitMs) return;
      if (isLook) idleForMs = 0;
      waitedMs = 0;
      await fold();
      if (isLook) await looks();
    },
    ...{ pauseMs, retryMs, complaint: 'Events could not be folded yet; trying again.', logger },
  });
  const catchUp = async () => {
    const wanted = (await listLaneProgress(db)).filter((progress) => !isFolded(progress));
    if (wanted.length > 0) await foldWanted(tools, wanted, fold);
  };
  return {
    async start() {
      const message = 'Events that were stored before could not all be folded yet; trying again.';
      await catchUp().catch((error) => logger.warn({ err: error }, message));
      background.start();
    },
    async stop() {
      await background.stop();
      await fold().catch((error) => logger.warn({ err: error }, 'Another node folds the last events.'));
    },
    catchUp,
    async awaitRoom() {
      while (unfolded.count >= mostUnfolded) {
        /** What cannot be folded now is in the table of events. */
        if (hasFailed) unfolded.drop();
        await Promise.race([fold().catch(() => undefined), delay(roomMs)]);
      }
    },
    get lag() {
      const noted = lag.current();
      if (unfolded.count === 0) return noted;
      const ownSeconds = (performance.now() - foldedAtMs) / 1_000;
      return {
        events: Math.max(noted.events, unfolded.count),
        seconds: Math.max(noted.seconds, ownSeconds),
      };
    },
  };
}

/** One run after the other; who comes while one is under way shares the next. */
function shareRuns(work: () => Promise<void>): () => Promise<void> {
  let current: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  return () => {
    next ??= current
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        current = work();
        return current;
      });
    return next;
  };
}

/** What this node has in memory, bucket by bucket; a bucket that fails holds up itself alone. */
async function foldOwn(tools: FoldTools, unfolded: UnfoldedEvents): Promise<void> {
  const stretches = unfolded.take();
  if (stretches.length === 0) return;
  const results = await foldBuckets(tools, stretches);
  unfolded.sweep();
  const isElsewhere = results.some((result) => result.status === 'fulfilled' && !result.value);
  if (isElsewhere) await foldLanes(tools, new Set(stretches.map(({ lane }) => lane)));
  if (isElsewhere) for (const stretch of stretches) stretch.pending.clear();
  unfolded.sweep();
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
}

/** One after the other at first; then none waits any longer for one that is slow or hangs. */
async function foldBuckets(
  tools: FoldTools,
  stretches: readonly Stretch[],
): Promise<PromiseSettledResult<boolean>[]> {
  const timer = new AbortController();
  const patience = delay(inTurnMs, undefined, { signal: timer.signal }).catch(() => undefined);
  const folds: Promise<PromiseSettledResult<boolean>[]>[] = [];
  for (let bucket = 0; bucket < tools.bucketCount; bucket++) {
    const fold = Promise.allSettled([foldBucket(tools, bucket, stretches)]);
    folds.push(fold);
    await Promise.race([fold, patience]);
  }
  timer.abort();
  return (await Promise.all(folds)).flat();
}

/** False when the bucket has come to another place than this node believes. */
async function foldBucket(tools: FoldTools, bucket: number, stretches: readonly Stretch[]): Promise<boolean> {
  for (const stretch of stretches) {
    if (stretch.pending.has(bucket) && !(await foldStretch(tools, bucket, stretch))) return false;
  }
  return true;
}

async function foldLanes({ db, ...tools }: FoldTools, lanes: ReadonlySet<number>): Promise<void> {
  for (const progress of await listLaneProgress(db))
    if (lanes.has(progress.lane)) await foldLane({ db, ...tools }, progress);
}

/** A node that lives folds its lane itself; what is left then is folded from the table of events. */
async function foldWanted(
  tools: FoldTools,
  wanted: readonly LaneProgress[],
  foldOwnEvents: () => Promise<void>,
): Promise<void> {
  let behind = wanted;
  for (let waitedMs = 0; waitedMs < patienceMs; waitedMs += lookMs) {
    await foldOwnEvents();
    behind = await stillBehind(tools.db, wanted);
    if (behind.length === 0) return;
    await delay(lookMs);
  }
  for (const progress of behind) await foldLane(tools, progress);
}

/** What nobody folds: lanes that have not moved since the look before. */
async function foldLeft(tools: FoldTools, lag: Lag): Promise<void> {
  const lanes = await listLaneProgress(tools.db);
  lag.note(lanes);
  const left = lanes.filter((progress) => lag.isLeft(progress));
  for (const progress of left) await foldLane(tools, progress);
  if (left.length > 0) lag.note(await listLaneProgress(tools.db));
}

/** Of what was wanted, what no fold has reached yet, with how far folding is now. */
async function stillBehind(db: Database, wanted: readonly LaneProgress[]): Promise<LaneProgress[]> {
  const now = new Map((await listLaneProgress(db)).map((progress) => [progress.lane, progress]));
  return wanted
    .map(({ lane, ends, reached }) => ({ lane, ends, reached: now.get(lane)?.reached ?? reached }))
    .filter((progress) => !isFolded(progress));
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
  let behindSinceMs: number | undefined;
  const placesOf = ({ reached }: LaneProgress) => JSON.stringify(reached);
  let standing = new Set<number>();
  return {
    note(lanes) {
      const behind = lanes.filter((lane) => !isFolded(lane));
      standing = new Set(
        behind.filter((lane) => before.get(lane.lane) === placesOf(lane)).map(({ lane }) => lane),
      );
      before = new Map(behind.map((lane) => [lane.lane, placesOf(lane)]));
      events = countUnfolded(lanes);
      if (events === 0) behindSinceMs = undefined;
      else behindSinceMs ??= performance.now();
    },
    isLeft: ({ lane }) => standing.has(lane),
    current: () => ({
      events,
      seconds: behindSinceMs === undefined ? 0 : (performance.now() - behindSinceMs) / 1_000,
    }),
  };
}

function placeOf({ environment, bucket, lane, number }: StoredEvent) {
  return { environment, bucket, lane, number };
}
