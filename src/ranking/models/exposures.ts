/**
 * Impressions and whether they were answered: one row per subject and item, aggregated while events
 * are read.
 *
 * Events arrive bucket by bucket, so an action may be read before its impression: answers are
 * assigned after the last event. Impressions outnumber all other events together, so memory is
 * bounded twice: open rows live in a table of fixed size, where a row evicts another of the same
 * slot, and only the newest evicted rows are kept.
 */

import { hashText } from '../runtime/hash.ts';
import { mixed } from './arrays/mixed.ts';
import { grow } from './arrays/rows.ts';
import { groupByPerson } from './sightings.ts';

export type Exposures = {
  /** Local item per row. */
  item: Int32Array;
  /** Unix seconds of the last impression or of its answer. */
  timeSeconds: Float64Array;
  /** Impressions, at most mostShown: after three, an item counts as seen. */
  shown: Uint8Array;
  /** 1 for a contact after the first impression, at most answerSeconds after the last. */
  answered: Uint8Array;
};

/** Actions by subject, then by time. */
export type Contacts = {
  /** Key and number of every subject with an action. */
  subjects: Iterable<[key: string, subject: number]>;
  /** Length: subjects + 1. */
  subjectOffsets: Int32Array;
  item: Int32Array;
  timeSeconds: Float64Array;
  /** Above 0 for contacts with an item, shown or not. */
  fullWeight: Float32Array;
};

export type ExposuresBuilder = {
  show(subjectKey: string, item: number, timeSeconds: number): void;
  /** Returns undefined without impressions. */
  finish(contacts: Contacts): Exposures | undefined;
};

export const mostShown = 3;
/** Equals the default attribution window of purchases. */
export const answerSeconds = 86_400;

/** 22 MB at 21 bytes each. */
const usualOpenRows = 2 ** 20;
/** 84 MB at 21 bytes each. */
const usualMostClosedRows = 4_000_000;

export type ExposuresLimits = { openRows?: number; mostClosedRows?: number };

/** @param limits `openRows` is a power of 2. */
export function createExposuresBuilder(limits: ExposuresLimits = {}): ExposuresBuilder {
  const { openRows = usualOpenRows, mostClosedRows = usualMostClosedRows } = limits;
  const closed = createClosedRows(mostClosedRows);
  let open: Showings | undefined;
  return {
    show(subjectKey, item, timeSeconds) {
      open ??= createShowings(openRows);
      const person = hashText(subjectKey);
      const slot = slotOf(person, item, openRows);
      if (isAt(open, slot, person, item)) {
        showAgain(open, slot, timeSeconds);
        return;
      }
      if (open.shown[slot] > 0) closed.add(open, slot);
      open.person[slot] = person;
      open.item[slot] = item;
      open.shown[slot] = 1;
      open.timeSeconds[slot] = timeSeconds;
      open.spanSeconds[slot] = 0;
    },
    finish(contacts) {
      if (open === undefined) return undefined;
      for (let slot = 0; slot < openRows; slot++) if (open.shown[slot] > 0) closed.add(open, slot);
      open = undefined;
      return answerBy(contacts, closed.finish());
    },
  };
}

/** Accepts impressions in any order. */
function showAgain({ shown, timeSeconds, spanSeconds }: Showings, slot: number, atSeconds: number): void {
  const first = Math.min(timeSeconds[slot] - spanSeconds[slot], atSeconds);
  shown[slot] = Math.min(mostShown, shown[slot] + 1);
  timeSeconds[slot] = Math.max(timeSeconds[slot], atSeconds);
  spanSeconds[slot] = timeSeconds[slot] - first;
}

function answerBy(
  { subjects, subjectOffsets, item: met, timeSeconds: metAt, fullWeight }: Contacts,
  { person, item, timeSeconds, spanSeconds, shown }: Showings,
): Exposures {
  const answeredAt = timeSeconds.slice();
  const answered = new Uint8Array(item.length);
  const { offsets, order } = groupByPerson(person, subjects, subjectOffsets.length - 1);
  for (let subject = 0; subject + 1 < offsets.length; subject++) {
    if (offsets[subject] === offsets[subject + 1]) continue;
    const rowsOf = Map.groupBy(order.subarray(offsets[subject], offsets[subject + 1]), (row) => item[row]);
    for (let event = subjectOffsets[subject]; event < subjectOffsets[subject + 1]; event++) {
      if (fullWeight[event] <= 0) continue;
      for (const row of rowsOf.get(met[event]) ?? []) {
        const sinceLast = metAt[event] - timeSeconds[row];
        if (sinceLast < -spanSeconds[row] || sinceLast > answerSeconds) continue;
        answered[row] = 1;
        answeredAt[row] = Math.max(answeredAt[row], metAt[event]);
      }
    }
  }
  return { item, timeSeconds: answeredAt, shown, answered };
}

/** Returns earlier exposures, without rows answered later: they would look ignored. */
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

type Showings = {
  /** Hash of the subject's key; collisions on the same item are too rare to matter. */
  person: Int32Array;
  item: Int32Array;
  /** Unix seconds of the last impression, and seconds from the first to it. */
  timeSeconds: Float64Array;
  spanSeconds: Float32Array;
  /** 0 marks a free slot. */
  shown: Uint8Array;
};

function createShowings(count: number): Showings {
  return {
    person: new Int32Array(count),
    item: new Int32Array(count),
    timeSeconds: new Float64Array(count),
    spanSeconds: new Float32Array(count),
    shown: new Uint8Array(count),
  };
}

function isAt(open: Showings, slot: number, person: number, item: number): boolean {
  return open.shown[slot] > 0 && open.person[slot] === person && open.item[slot] === item;
}

function slotOf(person: number, item: number, slotCount: number): number {
  return mixed(person ^ Math.imul(item + 1, 0x9e3779b1)) & (slotCount - 1);
}

/** Ring buffer of evicted rows. */
function createClosedRows(most: number) {
  let { person, item, timeSeconds, spanSeconds, shown } = createShowings(1024);
  let added = 0;
  return {
    add(from: Showings, row: number): void {
      const place = added++ % most;
      person = grow(person, place + 1);
      item = grow(item, place + 1);
      timeSeconds = grow(timeSeconds, place + 1);
      spanSeconds = grow(spanSeconds, place + 1);
      shown = grow(shown, place + 1);
      person[place] = from.person[row];
      item[place] = from.item[row];
      timeSeconds[place] = from.timeSeconds[row];
      spanSeconds[place] = from.spanSeconds[row];
      shown[place] = from.shown[row];
    },
    finish(): Showings {
      const count = Math.min(added, most);
      return {
        person: person.slice(0, count),
        item: item.slice(0, count),
        timeSeconds: timeSeconds.slice(0, count),
        spanSeconds: spanSeconds.slice(0, count),
        shown: shown.slice(0, count),
      };
    },
  };
}
