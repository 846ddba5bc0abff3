/**
 * Holds pending events: stored by this node, not yet aggregated (aggregate-events.ts).
 *
 * Events are gathered as they are stored, into consecutive ranges per bucket of the node's lane.
 * Aggregation writes a range without reading its events again; until then it completes histories.
 * Ranges are only in memory: after a crash, aggregation reads the events table.
 */

import type { InterpretationOf } from '../../events/meaning.ts';
import { bucketOf } from '../buckets.ts';
import { type AttributionWindow, defaultAttributionWindow } from '../metrics/metric-batch.ts';
import type { LimitNames } from '../metrics/metric-dimensions.ts';
import { type BucketFacts, emptyFacts, gatherFacts } from './bucket-facts.ts';
import type { GatheredHistory, Leaving, Line, SubjectKind } from './history-batch.ts';
import { eventsOf, type StoredGroup } from './stored-event.ts';
import { createSubjectFilter, type SubjectFilter } from './subject-filter.ts';

/** Limits a range, so writing it takes milliseconds. */
const mostEventsPerRange = 8_000;

/** Pending events of one lane for a bucket: those after `from`, up to `until`, by event bucket. */
export type PendingRange = {
  bucket: number;
  lane: number;
  from: number[];
  until: number[];
  /** Number of events, including those that do not concern the bucket. Events are not kept. */
  count: number;
  /** Changes that the events make in the bucket. */
  facts: BucketFacts;
  /** Time when the first event was added: `performance.now()`. */
  sinceMs: number;
};

export type PendingView = {
  readonly lanes: number[];
  /** Returns the lines of a subject (`u:USER`, `d:DEVICE`) after `reached`, in order of arrival. */
  linesOf(environment: string, subject: string, reached: Reached): PendingLines;
  findLink(environment: string, deviceId: string): Link;
};

/** User of a device according to pending events. */
export type Link = {
  /** Latest user of the device. */
  user?: string;
  /** First user named by a public event; applies if the device had no user. */
  claimed?: string;
  /** True if the device signed out. */
  isEnded?: boolean;
};

/** Last aggregated event number by lane and event bucket; absent: none. */
export type Reached = Record<number, number[]>;

export type PendingLines = {
  entries: Line[];
  impressions: Line[];
  /** Lines that leave the device, in order; those of its row leave with the first. */
  left: (Leaving & { entries: Line[]; impressions: Line[] })[];
};

export type LaneKnowledge = {
  /** Last event number by bucket that this node stored, or found when it took the lane. */
  last: readonly number[];
  /** Numbers up to which events were aggregated and left memory, by aggregating bucket. */
  takenIn: readonly (readonly number[])[];
};

export type PendingEvents = {
  /** Number of events that some bucket has not aggregated. */
  readonly count: number;
  /** Age of the oldest pending event in milliseconds; 0 if there is none. */
  readonly waitedMs: number;
  /** Sets the last event number of a lane by bucket; new events follow it. */
  beginAt(lane: number, ends: number[]): void;
  add(group: StoredGroup): void;
  /** Returns the bucket's ranges in order of arrival and closes them for new events. */
  take(bucket: number): readonly PendingRange[];
  /** Removes a range after its aggregation. */
  remove(range: PendingRange): void;
  /** Returns the event numbers of a lane that this node covers. */
  knowledgeOf(lane: number): LaneKnowledge;
  /** Records that unknown events of a lane were aggregated: any history may have changed. */
  noteOthers(lane: number): void;
  /** Last `noteOthers` for a lane this node stored in: `performance.now()`, or minus infinity. */
  readonly unknownMs: number;
  /** Records that a user's history has changed without an event. */
  noteMoved(environment: string, userId: string): void;
  /** Drops the bucket's ranges; the events table is aggregated instead. */
  drop(bucket: number): void;
  /** Time of the last drop: `performance.now()`, or minus infinity. */
  readonly droppedMs: number;
  /**
   * Returns true if this node has not changed the history since `sinceMs` (`performance.now()`) and
   * has no pending events for it. Hash collisions may give false negatives.
   */
  isSettled(environment: string, kind: SubjectKind, id: string, sinceMs: number): boolean;
  /** Returns true if events of the subject are pending. */
  holds(environment: string, kind: SubjectKind, id: string): boolean;
  view(): PendingView;
};

/**
 * Creates an empty set of pending events.
 * @param recorded Receives every subject whose events leave memory.
 * @param limitNames Limits the names that counts are broken down by [all names].
 * @param interpretationOf How environments read events [by the defaults].
 */
export function createPendingEvents(
  bucketCount: number,
  attributionWindow: AttributionWindow = defaultAttributionWindow,
  recorded: Pick<SubjectFilter, 'add'> = createSubjectFilter(),
  ...rules: [limitNames?: LimitNames, interpretationOf?: InterpretationOf]
): PendingEvents {
  const lanes = createOpenRanges(bucketCount);
  const { ranges, open, lastNumbers } = lanes;
  const removals = createRemovals(recorded);
  const takenIn = createTakenIn(bucketCount);
  let droppedMs = Number.NEGATIVE_INFINITY;
  const holds = (environment: string, kind: SubjectKind, id: string) =>
    ranges.some((ofBucket) => ofBucket.some(({ facts }) => facts.histories.find(environment, kind, id)));

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
      /** Closes open ranges: another node may have stored events in the lane meanwhile. */
      open.fill(undefined);
    },
    add(group) {
      for (const part of partsOf(group)) {
        const facts = extend(lanes, part).map((range) => range.facts);
        for (const event of eventsOf(part)) gatherFacts(facts, event, attributionWindow, ...rules);
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
    noteMoved: (environment, id) => removals.note([{ environment, kind: 'u', id }]),
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
  };
}

type OpenRanges = ReturnType<typeof createOpenRanges>;

function createOpenRanges(bucketCount: number) {
  const ranges: (readonly PendingRange[])[] = Array.from({ length: bucketCount }, () => []);
  /** Last range of each bucket while it accepts events. */
  const open: (PendingRange | undefined)[] = ranges.map(() => undefined);
  /** Last stored event number by lane and bucket. */
  const lastNumbers = new Map<number, number[]>();
  return { ranges, open, lastNumbers };
}

/** Returns the range of each bucket that receives the group, extended by its events. */
function extend({ ranges, open, lastNumbers }: OpenRanges, group: StoredGroup): PendingRange[] {
  const last = lastNumbers.get(group.lane) ?? new Array<number>(ranges.length).fill(0);
  lastNumbers.set(group.lane, last);
  if (last[group.bucket] !== group.firstNumber - 1) open.fill(undefined);
  last[group.bucket] = group.firstNumber - 1;
  const extended = open.map((range, bucket) => {
    if (range?.lane === group.lane && range.count < mostEventsPerRange) return range;
    open[bucket] = emptyRange(bucket, group.lane, last);
    ranges[bucket] = [...ranges[bucket], open[bucket]];
    return open[bucket];
  });
  last[group.bucket] += group.events.length;
  for (const range of extended) {
    range.until[group.bucket] = last[group.bucket];
    range.count += group.events.length;
  }
  return extended;
}

/** Returns the number of pending events of the bucket that is furthest behind. */
function countOf(ranges: readonly (readonly PendingRange[])[]): number {
  return Math.max(...ranges.map((ofBucket) => ofBucket.reduce((sum, { count }) => sum + count, 0)));
}

function waitedMsOf(ranges: readonly (readonly PendingRange[])[]): number {
  const since = ranges.flatMap(([first]) => (first ? [first.sinceMs] : []));
  return since.length === 0 ? 0 : performance.now() - Math.min(...since);
}

/** Tracks up to which numbers events have left memory, by lane and aggregating bucket. */
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

/** Number of slots, a power of two; some hundred thousand subjects share them. */
const removalPlaces = 65_536;

/** Tracks when a subject's events were last removed. Subjects may share a slot. */
function createRemovals(recorded: Pick<SubjectFilter, 'add'>) {
  const lastMs = new Float64Array(removalPlaces).fill(Number.NEGATIVE_INFINITY);
  let allMs = Number.NEGATIVE_INFINITY;
  let ownMs = Number.NEGATIVE_INFINITY;
  const placeOf = (environment: string, kind: SubjectKind, id: string) =>
    bucketOf(removalPlaces, environment, kind, id);
  return {
    note(histories: Iterable<Pick<GatheredHistory, 'environment' | 'kind' | 'id'>>): void {
      const nowMs = performance.now();
      for (const { environment, kind, id } of histories) {
        lastMs[placeOf(environment, kind, id)] = nowMs;
        recorded.add(environment, kind, id);
      }
    },
    /** @param areOwn True for a lane that this node has stored in. */
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

/** Splits a group into parts that fit a range. */
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
      const isNew = ({ lane, bucket, number }: Pick<Line, 'lane' | 'bucket' | 'number'>) =>
        number > (reached[lane]?.[bucket] ?? 0);
      const lines: PendingLines = { entries: [], impressions: [], left: [] };
      const add = ({ entries = [], impressions = [] }: Pick<GatheredHistory, 'entries' | 'impressions'>) => {
        lines.entries = [...lines.entries, ...entries.filter(isNew)];
        lines.impressions = [...lines.impressions, ...impressions.filter(isNew)];
      };
      for (const part of parts) {
        for (const leaving of part.leaving?.filter(isNew) ?? []) {
          add(leaving);
          const { entries, impressions } = lines;
          lines.left.push({ ...leaving, entries, impressions });
          lines.entries = [];
          lines.impressions = [];
        }
        add(part);
      }
      return lines;
    },
    findLink(environment, deviceId) {
      const parts = partsOf(environment, 'd', deviceId);
      const link: Link = {};
      for (const { linkedUser, claimedUser, leaving } of parts) {
        if (leaving) {
          link.user = linkedUser;
          link.claimed = undefined;
          link.isEnded = linkedUser === undefined;
        }
        link.claimed ??= claimedUser;
      }
      return link;
    },
  };
}
