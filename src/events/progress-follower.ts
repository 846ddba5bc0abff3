/**
 * Tracks since when other nodes have changed no history, so histories read later need no check
 * against the database. The progress of all lanes is polled several times a second. If the lanes of
 * other nodes are unchanged and fully aggregated, no other node stored or aggregated anything
 * between two polls. An event of another node counts here once aggregated, or at the poll after
 * that.
 */

import type { Logger } from 'pino';
import { createPeriodic, type Periodic } from '../ranking/runtime/periodic.ts';
import type { Database } from '../repository/database.ts';
import { isAggregated, type LaneProgress, listLaneProgress } from '../repository/events/aggregate-events.ts';
import { hasHandovers } from '../repository/events/handovers.ts';
import type { LaneKnowledge, PendingEvents } from '../repository/events/pending-events.ts';

const lookPauseMs = 250;
/** Pause after a slow poll, as a multiple of its duration, up to the longest pause. */
const restShare = 8;
const longestPauseMs = 500;
export const usualBlindMs = 1_000;
/** Polling stops when no caller has needed the result for this long. */
const wantedMs = 5_000;

/** Result of a poll, at a time of `performance.now()`. */
export type Look = {
  lanes: readonly LaneProgress[];
  lane: number;
  /** Whether this node's lane holds, or held, events unknown to the node. */
  hasUnknownEvents: boolean;
  seenMs: number;
};

export type ProgressFollower = Pick<Periodic, 'start' | 'stop'> & {
  /** Whether other nodes changed no history since a read at a time of `performance.now()`. */
  unchangedSince(readMs: number): boolean;
  /** Keeps polling active: a caller needs the result. */
  want(): void;
  /** Adds a callback for each poll; the poll waits for it. */
  onLook(follow: (look: Look) => Promise<void>): void;
  look(): Promise<void>;
};

export type ProgressFollowerOptions = {
  db: Database;
  lane: () => number;
  pending: Pick<PendingEvents, 'droppedMs' | 'knowledgeOf'>;
  /** Age in milliseconds from which a poll says nothing about now [1,000]. */
  longestBlindMs?: number;
  logger: Pick<Logger, 'warn'>;
};

export function createProgressFollower(options: ProgressFollowerOptions): ProgressFollower {
  const { db, lane: ownLane, pending, longestBlindMs = usualBlindMs, logger } = options;
  const findUnknownEvents = createUnknownEventsCheck();
  let places: string | undefined;
  /** End of the last poll that saw progress, and of the last poll. */
  let movedMs = Number.POSITIVE_INFINITY;
  let seenMs = Number.NEGATIVE_INFINITY;
  /** Start of the last poll that saw no pending events. */
  let aggregatedMs = Number.NEGATIVE_INFINITY;
  let wantedUntilMs = Number.NEGATIVE_INFINITY;
  const want = (): void => {
    wantedUntilMs = performance.now() + wantedMs;
  };
  const followers: ((look: Look) => Promise<void>)[] = [];

  const look = async (): Promise<void> => {
    const lane = ownLane();
    const beganMs = performance.now();
    const before = places;
    /** If this poll fails, changes until the next one are unknown. */
    places = undefined;
    const known = pending.knowledgeOf(lane);
    const lanes = await listLaneProgress(db);
    const own = lanes.find((one) => one.lane === lane);
    /** Own events that are dropped or unknown may be aggregated by another node. */
    const hasUnknownEvents = findUnknownEvents(own, known);
    const isLeft = hasUnknownEvents || pending.droppedMs > aggregatedMs;
    const watched = isLeft ? lanes : lanes.filter((one) => one.lane !== lane);
    /** Lines that another node moves from a device to its user change a history without an event. */
    const areMoving = watched.length > 0 && (await hasHandovers(db));
    const seen = JSON.stringify([watched, areMoving]);
    const isQuiet = !areMoving && watched.every(isAggregated);
    seenMs = performance.now();
    if (seen !== before || !isQuiet) movedMs = seenMs;
    places = seen;
    if (isQuiet) aggregatedMs = beganMs;
    for (const follow of followers) await follow({ lanes, lane, hasUnknownEvents, seenMs });
  };
  const { start, stop } = createPeriodic({
    async work() {
      if (performance.now() < wantedUntilMs) return look();
      places = undefined;
    },
    pauseMs: (tookMs) => Math.min(longestPauseMs, Math.max(lookPauseMs, tookMs * restShare)),
    complaint: 'Cannot read the aggregation progress of other nodes; histories are read for each request.',
    logger,
  });
  return {
    start,
    stop,
    look,
    unchangedSince(readMs) {
      want();
      return readMs > movedMs && performance.now() - seenMs < longestBlindMs;
    },
    want,
    onLook: (follow) => void followers.push(follow),
  };
}

/**
 * Returns a function that checks, at each poll, for events of the node's lane that are, or were at
 * the poll before, neither aggregated nor in its memory. A database crash may have undone their
 * aggregation, or the response that they are stored was lost.
 */
function createUnknownEventsCheck() {
  let before: LaneProgress | undefined;
  /** By bucket, the numbers up to which such events were found and are aggregated. */
  let settled: readonly number[] = [];
  return (own: LaneProgress | undefined, { last, takenIn }: LaneKnowledge): boolean => {
    const former = before?.lane === own?.lane ? before : undefined;
    before = own;
    if (own === undefined) return false;
    if (former === undefined) settled = [];
    const isUnknown = former?.ends.some((end, place) => Math.max(last[place], settled[place] ?? 0) < end);
    if (isUnknown && isAggregated({ ...own, ends: former!.ends })) settled = former!.ends;
    const isBehind = (numbers: readonly number[], bucket: number) =>
      numbers.some((number, place) => own.reached[bucket][place] < number);
    return isUnknown || takenIn.some(isBehind);
  };
}
