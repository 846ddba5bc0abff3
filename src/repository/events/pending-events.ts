/**
 * What this node has stored and nobody has aggregated yet into histories and counts (aggregate-events.ts).
 *
 * Events are gathered as they are stored, into ranges that follow one another in each bucket of the
 * node's lane: an aggregation writes a range without reading its events again, and until then a history is
 * completed from here. Memory alone: what a node that dies leaves is aggregated from the table of events.
 */

import { bucketOf } from '../buckets.ts';
import { type CountedKeys, createCountedKeys } from '../metrics/counted-keys.ts';
import { type AttributionWindow, defaultAttributionWindow } from '../metrics/metric-batch.ts';
import type { LimitNames } from '../metrics/metric-dimensions.ts';
import { type BucketFacts, emptyFacts, gatherFacts } from './bucket-facts.ts';
import type { GatheredHistory, Line, SubjectKind } from './history-batch.ts';
import { eventsOf, type StoredGroup } from './stored-event.ts';
import { createSubjectFilter, type SubjectFilter } from './subject-filter.ts';

/** So that writing out a range stays a matter of milliseconds. */
const mostEventsPerRange = 8_000;

/** What a bucket has to take in: events of one lane, in each bucket those after `from`, up to `until`. */
export type PendingRange = {
  bucket: number;
  lane: number;
  from: number[];
  until: number[];
  /** Of events, also of those that do not concern the bucket. They themselves are not kept. */
  count: number;
  /** What they mean for the bucket. */
  facts: BucketFacts;
  /** When the first of them was added: `performance.now()`. */
  sinceMs: number;
};

/** What was not aggregated at one moment. */
export type PendingView = {
  /** Lanes that it has events of. */
  readonly lanes: number[];
  /** Of a subject (`u:USER`, `d:DEVICE`), events beyond what its bucket has reached, in the order of arrival. */
  linesOf(environment: string, subject: string, reached: Reached): PendingLines;
  findLink(environment: string, deviceId: string): Link;
};

/** Of a device, by what is not aggregated. */
export type Link = {
  /** The last user seen with it. */
  user?: string;
  /** Whose it is if it was nobody's before: the first user whom an event named that nobody vouches for. */
  claimed?: string;
};

/** By lane, the last number of each bucket's events that is aggregated. Absent: none. */
export type Reached = Record<number, number[]>;

export type PendingLines = { entries: Line[]; impressions: Line[] };

export type LaneKnowledge = {
  /** The last number of each bucket's events that it has stored, or that was there when it took the lane. */
  last: readonly number[];
  /** By bucket that aggregates, up to where events are in its memory no more: the bucket had taken them in. */
  takenIn: readonly (readonly number[])[];
};

export type PendingEvents = {
  /** Events that some bucket has not taken in. */
  readonly count: number;
  /** For how long the oldest of them has waited; 0 when there is none. */
  readonly waitedMs: number;
  /** What follows in the lane begins after these numbers, by bucket. */
  beginAt(lane: number, ends: number[]): void;
  add(group: StoredGroup): void;
  /** What the bucket has not taken in, in the order of arrival; nothing is added to it any more. */
  take(bucket: number): readonly PendingRange[];
  /** The bucket has taken it in: it is in the database. */
  remove(range: PendingRange): void;
  /** How much of a lane the node knows of. */
  knowledgeOf(lane: number): LaneKnowledge;
  /** Events of a lane that the node does not know of were aggregated: anybody's history may be another one. */
  noteOthers(lane: number): void;
  /** When that was noted last of a lane that this node has stored in, by `performance.now()`; minus infinity for never. */
  readonly unknownMs: number;
  /** Leaves what the bucket has not taken in to be aggregated from the table of events. */
  drop(bucket: number): void;
  /** When something was left so last, by `performance.now()`; minus infinity for never. */
  readonly droppedMs: number;
  /**
   * Whether nothing of this node has changed somebody's history since a moment of `performance.now()`, and nothing waits to be
   * added to it. Now and then it takes somebody for another one, and says no.
   */
  isSettled(environment: string, kind: SubjectKind, id: string, sinceMs: number): boolean;
  /** Whether something waits to be added to somebody's history. */
  holds(environment: string, kind: SubjectKind, id: string): boolean;
  view(): PendingView;
  /** Whom this node has counted. */
  readonly counted: CountedKeys;
};

/**
 * @param recorded Is told of everybody whose events leave the memory.
 * @param limitNames What counts may be broken down by [all names].
 */
export function createPendingEvents(
  bucketCount: number,
  attributionWindow: AttributionWindow = defaultAttributionWindow,
  recorded: Pick<SubjectFilter, 'add'> = createSubjectFilter(),
  limitNames?: LimitNames,
): PendingEvents {
  /** By bucket. */
  const ranges: (readonly PendingRange[])[] = Array.from({ length: bucketCount }, () => []);
  /** By bucket, its last range while events may be added to it. */
  const open: (PendingRange | undefined)[] = ranges.map(() => undefined);
  /** The last number stored of each lane and bucket. */
  const lastNumbers = new Map<number, number[]>();
  const removals = createRemovals(recorded);
  const takenIn = createTakenIn(bucketCount);
  let droppedMs = Number.NEGATIVE_INFINITY;
  const holds = (environment: string, kind: SubjectKind, id: string) =>
    ranges.some((ofBucket) => ofBucket.some(({ facts }) => facts.histories.find(environment, kind, id)));

  /** By bucket, ranges that the group follows; it is counted in their places. */
  const extend = (group: StoredGroup): PendingRange[] => {
    const last = lastNumbers.get(group.lane) ?? new Array<number>(bucketCount).fill(0);
    lastNumbers.set(group.lane, last);
    if (last[group.bucket] !== group.firstNumber - 1) open.fill(undefined);
    last[group.bucket] = group.firstNumber - 1;
    const extended = open.map((range, bucket) => {
      if (range?.lane === group.lane && range.count < mostEventsPerRange) return range;
      const begun = emptyRange(bucket, group.lane, last);
      open[bucket] = begun;
      ranges[bucket] = [...ranges[bucket], begun];
      return begun;
    });
    last[group.bucket] += group.events.length;
    for (const range of extended) {
      range.until[group.bucket] = last[group.bucket];
      range.count += group.events.length;
    }
    return extended;
  };
  return {
    get count() {
      return countOf(ranges);
    },
    get waitedMs() {
      return waitedMsOf(ranges);
    },
    beginAt(lane, ends) {
      lastNumbers.set(lane, [...ends]);
      for (const bucket of ranges.keys()) takenIn.note(lane, bucket, ends);
      /** A range of before, of the same lane, would go on over what another node has stored in it between. */
      open.fill(undefined);
    },
    add(group) {
      for (const part of partsOf(group)) {
        const facts = extend(part).map((range) => range.facts);
        for (const event of eventsOf(part)) gatherFacts(facts, event, attributionWindow, limitNames);
      }
    },
    take(bucket) {
      open[bucket] = undefined;
      return ranges[bucket];
    },
    remove(range) {
      const { bucket, facts } = range;
      if (open[bucket] === range) open[bucket] = undefined;
      ranges[bucket] = ranges[bucket].filter((other) => other !== range);
      takenIn.note(range.lane, bucket, range.until);
      removals.note(facts.histories.values());
    },
    knowledgeOf: (lane) => ({
      last: [...(lastNumbers.get(lane) ?? takenIn.of(lane)[0])],
      takenIn: takenIn.of(lane),
    }),
    noteOthers: (lane) => removals.noteAll(lastNumbers.has(lane)),
    get unknownMs() {
      return removals.ownMs;
    },
    drop(bucket) {
      for (const { facts } of ranges[bucket]) removals.note(facts.histories.values());
      open[bucket] = undefined;
      ranges[bucket] = [];
      droppedMs = performance.now();
    },
    get droppedMs() {
      return droppedMs;
    },
    isSettled: (environment, kind, id, sinceMs) =>
      sinceMs > removals.lastOf(environment, kind, id) && !holds(environment, kind, id),
    holds,
    view: () => viewOf(ranges.flat()),
    counted: createCountedKeys(),
  };
}

/** Of the bucket that is behind furthest. */
function countOf(ranges: readonly (readonly PendingRange[])[]): number {
  return Math.max(...ranges.map((ofBucket) => ofBucket.reduce((sum, { count }) => sum + count, 0)));
}

function waitedMsOf(ranges: readonly (readonly PendingRange[])[]): number {
  const since = ranges.flatMap(([first]) => (first ? [first.sinceMs] : []));
  return since.length === 0 ? 0 : performance.now() - Math.min(...since);
}

/** Of each lane, by bucket that aggregates, the places up to which nothing is in memory. */
function createTakenIn(bucketCount: number) {
  const lanes = new Map<number, readonly (readonly number[])[]>();
  const of = (lane: number) =>
    lanes.get(lane) ?? Array.from({ length: bucketCount }, () => new Array<number>(bucketCount).fill(0));
  return {
    of,
    note(lane: number, bucket: number, places: readonly number[]): void {
      const known = of(lane);
      const furthest = known[bucket].map((number, place) => Math.max(number, places[place]));
      lanes.set(lane, known.with(bucket, furthest));
    },
  };
}

/** A power of two; some hundred thousand people share so many places. */
const removalPlaces = 65_536;

/** When something of somebody was removed last; people may share a place. */
function createRemovals(recorded: Pick<SubjectFilter, 'add'>) {
  const lastMs = new Float64Array(removalPlaces).fill(Number.NEGATIVE_INFINITY);
  let allMs = Number.NEGATIVE_INFINITY;
  let ownMs = Number.NEGATIVE_INFINITY;
  const placeOf = (environment: string, kind: SubjectKind, id: string) =>
    bucketOf(removalPlaces, environment, kind, id);
  return {
    note(histories: Iterable<GatheredHistory>): void {
      const nowMs = performance.now();
      for (const { environment, kind, id } of histories) {
        lastMs[placeOf(environment, kind, id)] = nowMs;
        recorded.add(environment, kind, id);
      }
    },
    /** @param areOwn Of this node's lane. */
    noteAll(areOwn: boolean): void {
      allMs = performance.now();
      if (areOwn) ownMs = allMs;
    },
    get ownMs() {
      return ownMs;
    },
    lastOf: (environment: string, kind: SubjectKind, id: string) =>
      Math.max(allMs, lastMs[placeOf(environment, kind, id)]),
  };
}

/** No part is longer than a range. */
function* partsOf({ firstNumber, events, ...place }: StoredGroup): Generator<StoredGroup> {
  for (let start = 0; start < events.length; start += mostEventsPerRange) {
    const part = events.slice(start, start + mostEventsPerRange);
    yield { ...place, firstNumber: firstNumber + start, events: part };
  }
}

function emptyRange(bucket: number, lane: number, from: readonly number[]): PendingRange {
  return {
    bucket,
    lane,
    from: [...from],
    until: [...from],
    count: 0,
    facts: emptyFacts(),
    sinceMs: performance.now(),
  };
}

function viewOf(ranges: readonly PendingRange[]): PendingView {
  const partsOf = (environment: string, kind: SubjectKind, id: string): GatheredHistory[] =>
    ranges.flatMap(({ facts }) => facts.histories.find(environment, kind, id) ?? []);
  return {
    lanes: [...new Set(ranges.map(({ lane }) => lane))],
    linesOf(environment, subject, reached) {
      const parts = partsOf(environment, subject[0] as SubjectKind, subject.slice(2));
      const isNew = ({ lane, bucket, number }: Line) => number > (reached[lane]?.[bucket] ?? 0);
      return {
        entries: parts.flatMap((part) => part.entries?.filter(isNew) ?? []),
        impressions: parts.flatMap((part) => part.impressions?.filter(isNew) ?? []),
      };
    },
    findLink(environment, deviceId) {
      const parts = partsOf(environment, 'd', deviceId);
      return {
        user: parts.findLast(({ linkedUser }) => linkedUser)?.linkedUser,
        claimed: parts.find(({ claimedUser }) => claimedUser)?.claimedUser,
      };
    },
  };
}
