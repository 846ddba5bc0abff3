/**
 * Of whom nothing is recorded, as far as this node can know: their histories need not be asked for. Most visitors of a site are
 * such people.
 *
 * The keys of all histories are read once, some at each look at what other nodes do (progress-follower.ts), into a filter that never
 * denies who is in it. After that it follows: this node's own people are added when their events leave its memory, those of other
 * nodes at the next look after their events are stored. Where something happens that this does not see, all is read again.
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

/** Of keys, in one answer: a millisecond of work. */
const subjectsPerPage = 2_000;
/** At a look. */
const mostPages = 10;
/** Of other nodes, at a look; and for each time somebody was asked about since the last one, as not to ask costs that much less. */
const mostEvents = 4_000;
const leastEvents = 400;
const eventsPerQuestion = 40;
/** Who is so far behind does not come up with the others by following. */
const mostBehind = 20_000;
const usualRestMs = 60_000;
const longestRestMs = 3_600_000;
/** Of rests; who has lived so long begins as if for the first time. */
const longLife = 10;
/** A position that is older may lie before events that are kept no more. */
const longestPauseMs = 3_600_000;

export type Person = { deviceId?: string; userId?: string };

export type RecordedSubjects = {
  /** Whether there surely is no history of somebody, be it of the device or of the user. */
  lacks(environment: string, person: Person): boolean;
};

export type RecordedSubjectsOptions = {
  db: Database;
  /** To which `pending` adds whom it held. */
  filter: SubjectFilter;
  pending: Pick<PendingEvents, 'holds' | 'unknownMs'>;
  progressFollower: Pick<ProgressFollower, 'want' | 'onLook'>;
  /** What was seen longer ago says nothing about now [1,000]. */
  longestBlindMs?: number;
  /** From one beginning to the next at least; twice as long each time, as long as it fails soon again [60,000]. */
  leastRestMs?: number;
};

/** By lane, and in it by bucket: the people of events up to there are in the filter, or their histories are still to be read. */
type Positions = Map<number, readonly number[]>;

export function createRecordedSubjects(options: RecordedSubjectsOptions): RecordedSubjects {
  const { db, filter, pending, progressFollower } = options;
  const { longestBlindMs = usualBlindMs, leastRestMs = usualRestMs } = options;
  let following: { positions: Positions; read: () => Promise<boolean> } | undefined;
  let beganMs = Number.NEGATIVE_INFINITY;
  let restMs = leastRestMs;
  /** Since the last look. */
  let questionCount = 0;
  let lookedMs = Number.NEGATIVE_INFINITY;
  /** The last look, if everybody up to it is in the filter. */
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
  const isLost = ({ lane, lanes, isStrange, seenMs }: Look): boolean =>
    isStrange ||
    pending.unknownMs >= beganMs ||
    seenMs - lookedMs > longestPauseMs ||
    countBehind(following!.positions, { lane, lanes }) > mostBehind;

  progressFollower.onLook(async (look) => {
    if (following && isLost(look)) end(look.seenMs);
    lookedMs = look.seenMs;
    if (!following) {
      if (look.isStrange || look.seenMs - beganMs < restMs) return;
      begin(look);
    }
    const { positions, read } = following!;
    const room = Math.min(mostEvents, leastEvents + eventsPerQuestion * questionCount);
    questionCount = 0;
    const isUpToDate = await follow(db, filter, positions, planFollowing(positions, look, room));
    const isRead = await read();
    completeMs = isUpToDate && isRead ? look.seenMs : Number.NEGATIVE_INFINITY;
  });

  const isNobody = (environment: string, kind: SubjectKind, id: string | undefined) =>
    id === undefined || !(filter.mayHold(environment, kind, id) || pending.holds(environment, kind, id));
  return {
    lacks(environment, { deviceId, userId }) {
      progressFollower.want();
      questionCount += 1;
      const isKnown = performance.now() - completeMs < longestBlindMs && pending.unknownMs < beganMs;
      return isKnown && isNobody(environment, 'd', deviceId) && isNobody(environment, 'u', userId);
    },
  };
}

/** By bucket, up to where all buckets have taken in its events. */
function aggregatedOf({ ends, reached }: LaneProgress): number[] {
  return ends.map((_, place) => Math.min(...reached.map((numbers) => numbers[place])));
}

/** Events of other nodes beyond the positions; infinitely many where a lane ends before its position: it is another database. */
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

/** What other nodes have stored beyond the positions, by bucket, and the positions after it: as many events as there is room for. */
function planFollowing(positions: Positions, { lanes, lane: ownLane }: Look, mostRoom: number): Plan {
  const parts: Plan['parts'] = new Map();
  const next: Positions = new Map();
  let room = mostRoom;
  for (const progress of lanes) {
    const { lane, ends } = progress;
    if (lane === ownLane) {
      next.set(lane, aggregatedOf(progress));
      continue;
    }
    const since = positions.get(lane) ?? ends.map(() => 0);
    const until = ends.map((end, bucket) => {
      const number = Math.min(end, since[bucket] + room);
      room -= number - since[bucket];
      return number;
    });
    for (const [bucket, number] of until.entries()) {
      if (number === since[bucket]) continue;
      parts.set(bucket, [...(parts.get(bucket) ?? []), { lane, since: since[bucket], until: number }]);
    }
    next.set(lane, until);
  }
  return { parts, next, isAll: room > 0 };
}

/** Adds the people of what other nodes have stored; says whether that is all of it. */
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

/** Reads whom histories are kept of, some pages a call; the call says whether that is all of them. */
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
