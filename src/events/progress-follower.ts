/**
 * Since when no other node has changed a history: this one need not ask the database then whether the histories that it has read
 * since are still right.
 *
 * How far all lanes have come is read some times a second. Where the lanes of other nodes are as they were, with nothing left to be
 * aggregated, nobody else has stored or aggregated anything between. What another node stores is in the next lists here as soon as it is
 * aggregated, or at the next look after that.
 */

import type { Logger } from 'pino';
import { createPeriodic, type Periodic } from '../ranking/runtime/periodic.ts';
import type { Database } from '../repository/database.ts';
import { isAggregated, type LaneProgress, listLaneProgress } from '../repository/events/aggregate-events.ts';
import type { LaneKnowledge, PendingEvents } from '../repository/events/pending-events.ts';

const lookPauseMs = 250;
/** Of a look that takes long, so many times that is rest after it, up to the longest pause. */
const restShare = 8;
const longestPauseMs = 500;
export const usualBlindMs = 1_000;
/** Nobody looks when nobody has asked for so long. */
const wantedMs = 5_000;

/** What a look found, at a moment of `performance.now()`. */
export type Look = {
  lanes: readonly LaneProgress[];
  /** Of this node. */
  lane: number;
  /** In its own lane are, or were, events that it does not know of. */
  isStrange: boolean;
  seenMs: number;
};

export type ProgressFollower = Pick<Periodic, 'start' | 'stop'> & {
  /** Whether what was read of histories at a moment of `performance.now()` is as other nodes have left it. */
  unchangedSince(readMs: number): boolean;
  /** Somebody wants to know, so looking goes on. */
  want(): void;
  /** Is told of each look, which ends when this has. */
  onLook(follow: (look: Look) => Promise<void>): void;
  /** Looks now. */
  look(): Promise<void>;
};

export type ProgressFollowerOptions = {
  db: Database;
  /** Of this node. */
  lane: () => number;
  pending: Pick<PendingEvents, 'droppedMs' | 'knowledgeOf'>;
  /** What was seen longer ago says nothing about now [1,000]. */
  longestBlindMs?: number;
  logger: Pick<Logger, 'warn'>;
};

export function createProgressFollower(options: ProgressFollowerOptions): ProgressFollower {
  const { db, lane: ownLane, pending, longestBlindMs = usualBlindMs, logger } = options;
  const findStrangers = createStrangers();
  let places: string | undefined;
  /** The end of the last look that saw something move, and of the last one. */
  let movedMs = Number.POSITIVE_INFINITY;
  let seenMs = Number.NEGATIVE_INFINITY;
  /** The beginning of the last look that saw nothing left to be aggregated. */
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
    /** When this look fails, who knows what happens until the next. */
    places = undefined;
    const known = pending.knowledgeOf(lane);
    const lanes = await listLaneProgress(db);
    const own = lanes.find((one) => one.lane === lane);
    /** What of its own this node has left since, or does not know of, is another's to aggregate, maybe. */
    const areStrange = findStrangers(own, known);
    const isLeft = areStrange || pending.droppedMs > aggregatedMs;
    const watched = isLeft ? lanes : lanes.filter((one) => one.lane !== lane);
    const seen = JSON.stringify(watched);
    const isQuiet = watched.every(isAggregated);
    seenMs = performance.now();
    if (seen !== before || !isQuiet) movedMs = seenMs;
    places = seen;
    if (isQuiet) aggregatedMs = beganMs;
    for (const follow of followers) await follow({ lanes, lane, isStrange: areStrange, seenMs });
  };
  const { start, stop } = createPeriodic({
    async work() {
      if (performance.now() < wantedUntilMs) return look();
      places = undefined;
    },
    pauseMs: (tookMs) => Math.min(longestPauseMs, Math.max(lookPauseMs, tookMs * restShare)),
    complaint: 'How far other nodes have aggregated could not be read; histories are asked for each time.',
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
 * Answers at each look whether events of the node's lane are, or were at the look before, neither aggregated nor in its memory: a crash
 * of the server has taken their aggregation back, or the answer that they are stored was lost.
 */
function createStrangers() {
  let before: LaneProgress | undefined;
  /** By bucket, up to where such events were found and are aggregated. */
  let settled: readonly number[] = [];
  return (own: LaneProgress | undefined, { last, takenIn }: LaneKnowledge): boolean => {
    const former = before?.lane === own?.lane ? before : undefined;
    before = own;
    if (own === undefined) return false;
    if (former === undefined) settled = [];
    const isUnheard = former?.ends.some((end, place) => Math.max(last[place], settled[place] ?? 0) < end);
    if (isUnheard && isAggregated({ ...own, ends: former!.ends })) settled = former!.ends;
    const isBehind = (numbers: readonly number[], bucket: number) =>
      numbers.some((number, place) => own.reached[bucket][place] < number);
    return isUnheard || takenIn.some(isBehind);
  };
}
