/**
 * What this node has stored and nobody has folded yet into histories and counts (event-folding.ts).
 *
 * Events are gathered as they are stored, into stretches of consecutive sequence numbers: a fold writes a stretch without reading its events
 * again, and until then a history is completed from here. Memory alone: what a killed node leaves is folded from the table of events.
 */

import type { EventRow } from '../event-row.ts';
import { type CountedKeys, createCountedKeys } from '../metrics/counted-keys.ts';
import {
  type AttributionWindow,
  defaultAttributionWindow,
  emptyBatch,
  gatherInto,
  type MetricBatch,
} from '../metrics/metric-batch.ts';
import {
  type GatheredHistory,
  gatherHistory,
  type HistoryBatch,
  type Line,
  placeOf,
} from './history-batch.ts';

/** So that writing out a stretch stays a matter of milliseconds. */
const mostEventsPerStretch = 8_000;

/** Events of one transaction after the other, with nobody else's between them. */
export type Stretch = {
  firstSequence: number;
  lastSequence: number;
  eventCount: number;
  metrics: MetricBatch;
  histories: HistoryBatch;
};

/** What was not folded at one moment. */
export type UnfoldedView = {
  /** Of a subject (`u:USER`, `d:DEVICE`), events after a sequence number, in the order of arrival. */
  linesOf(lookup: { environment: string; subject: string; afterSequence: number }): UnfoldedLines;
  /** The last user seen with the device. */
  findLinkedUser(environment: string, deviceId: string): string | undefined;
};

export type UnfoldedLines = { entries: Line[]; impressions: Line[]; lastSequence: number };

export type UnfoldedEvents = {
  readonly count: number;
  /** @param sequences Of the events, ascending. */
  add(events: readonly EventRow[], sequences: readonly number[]): void;
  /** The stretch that follows directly; nothing is added to it any more. */
  take(afterSequence: number): Stretch | undefined;
  /** Everything up to the sequence number is in the database, whoever wrote it. */
  forget(untilSequence: number): void;
  view(): UnfoldedView;
  /** Whom this node has counted. */
  readonly counted: CountedKeys;
};

export function createUnfoldedEvents(
  attributionWindow: AttributionWindow = defaultAttributionWindow,
): UnfoldedEvents {
  let stretches: readonly Stretch[] = [];
  let open: Stretch | undefined;

  const extend = (firstSequence: number): Stretch => {
    const follows = open && open.lastSequence + 1 === firstSequence;
    if (open && follows && open.eventCount < mostEventsPerStretch) return open;
    open = emptyStretch(firstSequence);
    stretches = [...stretches, open];
    return open;
  };
  return {
    get count() {
      return stretches.reduce((sum, { eventCount }) => sum + eventCount, 0);
    },
    add(events, sequences) {
      let start = 0;
      while (start < events.length) {
        const end = endOfRun(sequences, start);
        addTo(extend(sequences[start]), events.slice(start, end), attributionWindow);
        start = end;
      }
    },
    take(afterSequence) {
      const found = stretches.find(({ firstSequence }) => firstSequence === afterSequence + 1);
      if (found === open) open = undefined;
      return found;
    },
    forget(untilSequence) {
      stretches = stretches.filter(({ lastSequence }) => lastSequence > untilSequence);
      if (open && open.lastSequence <= untilSequence) open = undefined;
    },
    view: () => viewOf(stretches),
    counted: createCountedKeys(),
  };
}

function emptyStretch(firstSequence: number): Stretch {
  return {
    firstSequence,
    lastSequence: firstSequence - 1,
    eventCount: 0,
    metrics: emptyBatch(),
    histories: new Map(),
  };
}

/** Where consecutive numbers end, exclusive, or fill a stretch. */
function endOfRun(sequences: readonly number[], start: number): number {
  const most = Math.min(sequences.length, start + mostEventsPerStretch);
  let end = start + 1;
  while (end < most && sequences[end] === sequences[end - 1] + 1) end += 1;
  return end;
}

function addTo(stretch: Stretch, events: readonly EventRow[], attributionWindow: AttributionWindow): void {
  for (const event of events) {
    stretch.lastSequence += 1;
    gatherHistory(stretch.histories, event, stretch.lastSequence);
  }
  gatherInto(stretch.metrics, events, attributionWindow);
  stretch.eventCount += events.length;
}

function viewOf(stretches: readonly Stretch[]): UnfoldedView {
  const partsOf = (environment: string, subject: string): GatheredHistory[] => {
    const place = placeOf(environment, subject);
    return stretches.flatMap(({ histories }) => histories.get(place) ?? []);
  };
  return {
    linesOf({ environment, subject, afterSequence }) {
      const parts = partsOf(environment, subject);
      const isNew = ({ sequence }: Line) => sequence > afterSequence;
      const entries = parts.flatMap((part) => part.entries.filter(isNew));
      const impressions = parts.flatMap((part) => part.impressions.filter(isNew));
      const lastSequence = Math.max(0, entries.at(-1)?.sequence ?? 0, impressions.at(-1)?.sequence ?? 0);
      return { entries, impressions, lastSequence };
    },
    findLinkedUser(environment, deviceId) {
      return partsOf(environment, `d:${deviceId}`).findLast(({ linkedUser }) => linkedUser)?.linkedUser;
    },
  };
}
