/**
 * Tracks which subjects have history, so reads for unknown subjects can be skipped. Most visitors
 * of a site have none. The keys of all histories are read once, some at each poll
 * (progress-follower.ts), into a filter without false negatives. Then the filter follows: it adds
 * this node's subjects when their events leave its memory, and those of other nodes at the poll
 * after their events are stored. If it may have missed a change, all keys are read again.
 */

import { bucketCountOf } from '../repository/buckets.ts';
import type { Database } from '../repository/database.ts';
import type { LaneProgress } from '../repository/events/aggregate-events.ts';
import { type KeptSubject, listKeptSubjects } from '../repository/events/histories.ts';
import type { SubjectKind } from '../repository/events/history-batch.ts';
import { type LanePart, listEventPeople } from '../repository/events/lane-events.ts';
import type { PendingEvents } from '../repository/events/pending-events.ts';
import type { SubjectFilter } from '../repository/events/subject-filter.ts';
import { type Look, type ProgressFollower, usualBlindMs } from './progress-follower.ts';

/** Keys per query: a millisecond of work. */
const subjectsPerPage = 2_000;
const mostPages = 10;
/** Events of other nodes read per poll; grows with the lookups, because each may save a read. */
const mostEvents = 4_000;
const leastEvents = 400;
const eventsPerLookup = 40;
/** Backlog in events too large to catch up with by following; all keys are read again. */
const mostBehind = 20_000;
const usualRestMs = 60_000;
const longestRestMs = 3_600_000;
/** After this many rests without a failure, the rest returns to its minimum. */
const longLife = 10;
/** Maximum gap between polls: older positions may precede events that are already deleted. */
const longestPauseMs = 3_600_000;

export type Person = { deviceId?: string; userId?: string };

export type RecordedSubjects = {
  /** Whether the subject surely has no history, neither as device nor as user. */
  lacks(environment: string, person: Person): boolean;
};

export type RecordedSubjectsOptions = {
  db: Database;
  /** Filter to which `pending` adds the subjects that it held. */
  filter: SubjectFilter;
  pending: Pick<PendingEvents, 'holds' | 'unknownMs'>;
  progressFollower: Pick<ProgressFollower, 'want' | 'onLook'>;
  /** Age in milliseconds from which a poll says nothing about now [1,000]. */
  longestBlindMs?: number;
  /** Minimum time between two full reads; doubles while they fail soon again [60,000]. */
  leastRestMs?: number;
};

/** By lane and bucket: subjects of events up to here are in the filter or still to be read. */
type Positions = Map<number, readonly number[]>;

export function createRecordedSubjects(options: RecordedSubjectsOptions): RecordedSubjects {
  const { db, filter, pending, progressFollower } = options;
  const { longestBlindMs = usualBlindMs, leastRestMs = usualRestMs } = options;
  let following: { positions: Positions; read: () => Promise<boolean> } | undefined;
  let beganMs = Number.NEGATIVE_INFINITY;
  let restMs = leastRestMs;
  let lookupCount = 0;
  let lookedMs = Number.NEGATIVE_INFINITY;
  /** Time of the last poll if the filter holds all subjects up to it. */
  let completeMs = Number.NEGATIVE_INFINITY;

  const end = (nowMs: number): void => {
    const isOld = nowMs - beganMs > longLife * restMs;
    restMs = isOld ? leastRestMs : Math.min(2 * restMs, longestRestMs);
    following = undefined;
    completeMs = Number.NEGATIVE_INFINITY;
  };
  const begin = ({ lanes, seenMs }: Look): void => {
    filter.clear();
    beganMs = seenMs;
    const positions: Positions = new Map(lanes.map((progress) => [progress.lane, aggregatedOf(progress)]));
    following = { positions, read: createReading(db, filter) };
  };
  const isLost = ({ lane, lanes, hasUnknownEvents, seenMs }: Look): boolean =>
    hasUnknownEvents ||
    pending.unknownMs >= beganMs ||
    seenMs - lookedMs > longestPauseMs ||
    countBehind(following!.positions, { lane, lanes }) > mostBehind;

  progressFollower.onLook(async (look) => {
    if (following && isLost(look)) end(look.seenMs);
    lookedMs = look.seenMs;
    if (!following) {
      if (look.hasUnknownEvents || look.seenMs - beganMs < restMs) return;
      begin(look);
    }
    const { positions, read } = following!;
    const eventsLeft = Math.min(mostEvents, leastEvents + eventsPerLookup * lookupCount);
    lookupCount = 0;
    const isUpToDate = await follow(db, filter, positions, planFollowing(positions, look, eventsLeft));
    const isRead = await read();
    completeMs = isUpToDate && isRead ? look.seenMs : Number.NEGATIVE_INFINITY;
  });

  const isUnrecorded = (environment: string, kind: SubjectKind, id: string | undefined) =>
    id === undefined || !(filter.mayHold(environment, kind, id) || pending.holds(environment, kind, id));
  return {
    lacks(environment, { deviceId, userId }) {
      progressFollower.want();
      lookupCount += 1;
      const isKnown = performance.now() - completeMs < longestBlindMs && pending.unknownMs < beganMs;
      return isKnown && isUnrecorded(environment, 'd', deviceId) && isUnrecorded(environment, 'u', userId);
    },
  };
}

/** Returns by bucket the number up to which all buckets have aggregated the lane's events. */
function aggregatedOf({ ends, reached }: LaneProgress): number[] {
  return ends.map((_, place) => Math.min(...reached.map((numbers) => numbers[place])));
}

/** Counts other nodes' new events; infinite if a lane ends before its position (other database). */
function countBehind(positions: Positions, { lane: ownLane, lanes }: Pick<Look, 'lane' | 'lanes'>): number {
  const endsOf = new Map(lanes.map(({ lane, ends }) => [lane, ends]));
  const isBeyond = ([lane, position]: [number, readonly number[]]) =>
    position.some((number, place) => number > (endsOf.get(lane)?.[place] ?? 0));
  if (Array.from(positions).some(isBeyond)) return Number.POSITIVE_INFINITY;
  let count = 0;
  for (const { lane, ends } of lanes) {
    if (lane === ownLane) continue;
    for (const [place, end] of ends.entries()) count += end - (positions.get(lane)?.[place] ?? 0);
  }
  return count;
}

type Plan = { parts: Map<number, LanePart[]>; next: Positions; isAll: boolean };

/** Plans which events of other nodes to read, up to the limit, and the positions after them. */
function planFollowing(positions: Positions, { lanes, lane: ownLane }: Look, mostEventsRead: number): Plan {
  const parts: Plan['parts'] = new Map();
  const next: Positions = new Map();
  let eventsLeft = mostEventsRead;
  for (const progress of lanes) {
    const { lane, ends } = progress;
    if (lane === ownLane) {
      next.set(lane, aggregatedOf(progress));
      continue;
    }
    const since = positions.get(lane) ?? ends.map(() => 0);
    const until = ends.map((end, bucket) => {
      const number = Math.min(end, since[bucket] + eventsLeft);
      eventsLeft -= number - since[bucket];
      return number;
    });
    for (const [bucket, number] of until.entries()) {
      if (number === since[bucket]) continue;
      parts.set(bucket, [...(parts.get(bucket) ?? []), { lane, since: since[bucket], until: number }]);
    }
    next.set(lane, until);
  }
  return { parts, next, isAll: eventsLeft > 0 };
}

/** Adds the subjects of other nodes' events; returns whether that was all of them. */
async function follow(
  db: Database,
  filter: SubjectFilter,
  positions: Positions,
  { parts, next, isAll }: Plan,
): Promise<boolean> {
  const people = await Promise.all(
    Array.from(parts, ([bucket, ofBucket]) => listEventPeople(db, bucket, ofBucket)),
  );
  for (const { environment, deviceId, userId } of people.flat()) {
    if (deviceId !== null) filter.add(environment, 'd', deviceId);
    if (userId !== null) filter.add(environment, 'u', userId);
  }
  for (const [lane, numbers] of next) positions.set(lane, numbers);
  return isAll;
}

/** Returns a function that reads some pages of history keys and returns whether all are read. */
function createReading(db: Database, filter: SubjectFilter): () => Promise<boolean> {
  let bucket = 0;
  let after: KeptSubject | undefined;
  return async () => {
    const bucketCount = await bucketCountOf(db);
    for (let page = 0; bucket < bucketCount && page < mostPages; page++) {
      const subjects = await listKeptSubjects(db, bucket, { after, limit: subjectsPerPage });
      for (const { environment, subject } of subjects)
        filter.add(environment, subject[0] as SubjectKind, subject.slice(2));
      after = subjects.at(-1);
      if (subjects.length === subjectsPerPage) continue;
      bucket += 1;
      after = undefined;
    }
    return bucket === bucketCount;
  };
}
