/**
 * What was shown to whom, and whether they turned to it: a row per person and item, aggregated while events are read.
 *
 * Impressions outnumber all other events together, so memory is bounded twice: rows that may still change wait in a table of
 * fixed size, where one pushes out another of the same slot, and the newest of those that left it are kept.
 */

import { mixed } from './arrays/mixed.ts';
import { grow } from './arrays/rows.ts';
import { hashOf } from './sightings.ts';

export type Exposures = {
  /** Local item per row. */
  item: Int32Array;
  /** Unix seconds of the last impression, or of what followed it. */
  timeSeconds: Float64Array;
  /** Impressions, at most mostShown: whoever was shown a thing thrice has seen it. */
  shown: Uint8Array;
  /** 1 when the person turned to the item within answerSeconds. */
  answered: Uint8Array;
};

export type ExposuresBuilder = {
  show(subjectKey: string, item: number, timeSeconds: number): void;
  /** Somebody turned to an item, shown or not. */
  answer(subjectKey: string, item: number, timeSeconds: number): void;
  /** Undefined when nothing was shown. */
  finish(): Exposures | undefined;
};

export const mostShown = 3;
/** As long as a purchase is attributed to a click by default. */
export const answerSeconds = 86_400;

/** At 21 bytes each 22 MB. */
const usualOpenRows = 2 ** 20;
/** At 14 bytes each 56 MB. */
const usualMostClosedRows = 4_000_000;

export type ExposuresLimits = { openRows?: number; mostClosedRows?: number };

/** @param limits `openRows` is a power of 2. */
export function createExposuresBuilder(limits: ExposuresLimits = {}): ExposuresBuilder {
  const { openRows = usualOpenRows, mostClosedRows = usualMostClosedRows } = limits;
  const closed = createClosedRows(mostClosedRows);
  let open: OpenRows | undefined;
  return {
    show(subjectKey, item, timeSeconds) {
      open ??= createOpenRows(openRows);
      const person = hashOf(subjectKey);
      const slot = slotOf(person, item, openRows);
      if (!isAt(open, slot, person, item)) {
        if (open.shown[slot] > 0) closed.add(open, slot);
        open.person[slot] = person;
        open.item[slot] = item;
        open.shown[slot] = 0;
        open.answered[slot] = 0;
      }
      open.shown[slot] = Math.min(mostShown, open.shown[slot] + 1);
      open.timeSeconds[slot] = timeSeconds;
    },
    answer(subjectKey, item, timeSeconds) {
      if (open === undefined) return;
      const person = hashOf(subjectKey);
      const slot = slotOf(person, item, openRows);
      if (!isAt(open, slot, person, item) || timeSeconds - open.timeSeconds[slot] > answerSeconds) return;
      open.answered[slot] = 1;
      open.timeSeconds[slot] = timeSeconds;
    },
    finish() {
      if (open === undefined) return undefined;
      for (let slot = 0; slot < openRows; slot++) if (open.shown[slot] > 0) closed.add(open, slot);
      open = undefined;
      return closed.finish();
    },
  };
}

/** What was shown before a moment; a row that was answered later is left out rather than told as ignored. */
export function exposuresBefore(exposures: Exposures, untilSeconds: number): Exposures {
  const { item, timeSeconds, shown, answered } = exposures;
  const rows = Int32Array.from(timeSeconds.keys()).filter((row) => timeSeconds[row] < untilSeconds);
  return {
    item: rows.map((row) => item[row]),
    timeSeconds: Float64Array.from(rows, (row) => timeSeconds[row]),
    shown: Uint8Array.from(rows, (row) => shown[row]),
    answered: Uint8Array.from(rows, (row) => answered[row]),
  };
}

/** Free while `shown` is 0. */
type OpenRows = Exposures & {
  /** Hash of the person's key; that two meet in the same item is too rare to matter. */
  person: Int32Array;
};

function createOpenRows(count: number): OpenRows {
  return { ...createRows(count), person: new Int32Array(count) };
}

function createRows(count: number): Exposures {
  return {
    item: new Int32Array(count),
    timeSeconds: new Float64Array(count),
    shown: new Uint8Array(count),
    answered: new Uint8Array(count),
  };
}

function isAt(open: OpenRows, slot: number, person: number, item: number): boolean {
  return open.shown[slot] > 0 && open.person[slot] === person && open.item[slot] === item;
}

function slotOf(person: number, item: number, slotCount: number): number {
  return mixed(person ^ Math.imul(item + 1, 0x9e3779b1)) & (slotCount - 1);
}

/** A log that begins again at its start when it is full. */
function createClosedRows(most: number) {
  let { item, timeSeconds, shown, answered } = createRows(1024);
  let added = 0;
  return {
    add(from: Exposures, row: number): void {
      const place = added++ % most;
      item = grow(item, place + 1);
      timeSeconds = grow(timeSeconds, place + 1);
      shown = grow(shown, place + 1);
      answered = grow(answered, place + 1);
      item[place] = from.item[row];
      timeSeconds[place] = from.timeSeconds[row];
      shown[place] = from.shown[row];
      answered[place] = from.answered[row];
    },
    finish(): Exposures {
      const count = Math.min(added, most);
      return {
        item: item.slice(0, count),
        timeSeconds: timeSeconds.slice(0, count),
        shown: shown.slice(0, count),
        answered: answered.slice(0, count),
      };
    },
  };
}
