/**
 * What this node has stored and nobody has folded yet into histories and counts (fold-events.ts).
 *
 * Events are gathered as they are stored, into stretches that follow one another in each bucket of the
 * node's lane: a fold writes a stretch without reading its events again, and until then a history is
 * completed from here. Memory alone: what a node that dies leaves is folded from the table of events.
 */

import { type CountedKeys, createCountedKeys } from '../metrics/counted-keys.ts';
import { type AttributionWindow, defaultAttributionWindow } from '../metrics/metric-batch.ts';
import { type BucketFacts, emptyFacts, gatherFacts } from './bucket-facts.ts';
import { type GatheredHistory, type Line, placeOf } from './history-batch.ts';
import { eventsOf, type StoredEvent, type StoredGroup } from './stored-event.ts';

/** So that writing out a stretch stays a matter of milliseconds. */
const mostEventsPerStretch = 8_000;

/** Events of one lane; in each bucket those after `from`, up to `until`. */
export type Stretch = {
  lane: number;
  from: number[];
  until: number[];
  events: StoredEvent[];
  /** By bucket. */
  facts: BucketFacts[];
  /** Buckets that have not taken it in. */
  pending: Set<number>;
};

/** What was not folded at one moment. */
export type UnfoldedView = {
  /** Lanes that it has events of. */
  readonly lanes: number[];
  /** Of a subject (`u:USER`, `d:DEVICE`), events beyond what its bucket has reached, in the order of arrival. */
  linesOf(environment: string, subject: string, reached: Reached): UnfoldedLines;
  /** The last user seen with the device. */
  findLinkedUser(environment: string, deviceId: string): string | undefined;
};

/** By lane, the last number of each bucket's events that is folded. Absent: none. */
export type Reached = Record<number, number[]>;

export type UnfoldedLines = { entries: Line[]; impressions: Line[] };

export type UnfoldedEvents = {
  readonly count: number;
  /** When the oldest of them arrived; undefined when there is none. */
  readonly oldestReceivedAtMs: number | undefined;
  /** What follows in the lane begins after these numbers, by bucket. */
  beginAt(lane: number, ends: number[]): void;
  add(group: StoredGroup): void;
  /** All stretches, in the order of arrival; nothing is added to them any more. */
  take(): readonly Stretch[];
  /** Those that no bucket waits for are in the database. */
  sweep(): void;
  /** Leaves everything to be folded from the table of events. */
  drop(): void;
  view(): UnfoldedView;
  /** Whom this node has counted. */
  readonly counted: CountedKeys;
};

export function createUnfoldedEvents(
  bucketCount: number,
  attributionWindow: AttributionWindow = defaultAttributionWindow,
): UnfoldedEvents {
  let stretches: readonly Stretch[] = [];
  let open: Stretch | undefined;
  /** The last number stored of each lane and bucket. */
  const lastNumbers = new Map<number, number[]>();

  const extend = (group: StoredGroup): Stretch => {
    const last = lastNumbers.get(group.lane) ?? new Array<number>(bucketCount).fill(0);
    lastNumbers.set(group.lane, last);
    const follows = last[group.bucket] === group.firstNumber - 1;
    const isFull = (open?.events.length ?? 0) >= mostEventsPerStretch;
    if (!open || open.lane !== group.lane || !follows || isFull) {
      last[group.bucket] = group.firstNumber - 1;
      open = emptyStretch(group.lane, last);
      stretches = [...stretches, open];
    }
    last[group.bucket] += group.events.length;
    open.until[group.bucket] = last[group.bucket];
    return open;
  };
  return {
    get count() {
      return stretches.reduce((sum, { events }) => sum + events.length, 0);
    },
    get oldestReceivedAtMs() {
      return stretches[0]?.events[0]?.receivedAtMs;
    },
    beginAt(lane, ends) {
      lastNumbers.set(lane, [...ends]);
    },
    add(group) {
      for (const part of partsOf(group)) {
        const { events, facts } = extend(part);
        for (const event of eventsOf(part)) {
          events.push(event);
          gatherFacts(facts, event, attributionWindow);
        }
      }
    },
    take() {
      open = undefined;
      return stretches;
    },
    sweep() {
      stretches = stretches.filter((stretch) => stretch === open || stretch.pending.size > 0);
    },
    drop() {
      open = undefined;
      stretches = [];
    },
    view: () => viewOf(stretches),
    counted: createCountedKeys(),
  };
}

/** No part is longer than a stretch. */
function* partsOf({ firstNumber, events, ...place }: StoredGroup): Generator<StoredGroup> {
  for (let start = 0; start < events.length; start += mostEventsPerStretch) {
    const part = events.slice(start, start + mostEventsPerStretch);
    yield { ...place, firstNumber: firstNumber + start, events: part };
  }
}

function emptyStretch(lane: number, from: number[]): Stretch {
  return {
    lane,
    from: [...from],
    until: [...from],
    events: [],
    facts: emptyFacts(from.length),
    pending: new Set(from.keys()),
  };
}

function viewOf(stretches: readonly Stretch[]): UnfoldedView {
  const partsOf = (environment: string, subject: string): GatheredHistory[] => {
    const place = placeOf(environment, subject);
    return stretches.flatMap(({ facts }) => facts.flatMap(({ histories }) => histories.get(place) ?? []));
  };
  return {
    lanes: [...new Set(stretches.map(({ lane }) => lane))],
    linesOf(environment, subject, reached) {
      const parts = partsOf(environment, subject);
      const isNew = ({ lane, bucket, number }: Line) => number > (reached[lane]?.[bucket] ?? 0);
      return {
        entries: parts.flatMap((part) => part.entries.filter(isNew)),
        impressions: parts.flatMap((part) => part.impressions.filter(isNew)),
      };
    },
    findLinkedUser(environment, deviceId) {
      return partsOf(environment, `d:${deviceId}`).findLast(({ linkedUser }) => linkedUser)?.linkedUser;
    },
  };
}
