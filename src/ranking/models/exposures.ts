/**
 * Impressions, and whether they were answered.
 *
 * Impressions outnumber all other events together, so a ring keeps the newest. Subjects are hashed
 * until all are numbered, since most have an impression before their first action. Events arrive
 * bucket by bucket, so answers are assigned after the last event.
 */

import { hashText } from '../runtime/hash.ts';
import { groupBy, grow } from './arrays/rows.ts';

/** One row per subject and item. */
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

/** Single impressions of subjects with an action, to learn from items ignored at a past time. */
export type Sightings = {
  /** Length: subjects + 1. */
  subjectOffsets: Int32Array;
  /** Local item per row; a subject's rows are in order of arrival. */
  item: Int32Array;
  /** Unix seconds. */
  timeSeconds: Float64Array;
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

export type ImpressionsBuilder = {
  show(subjectKey: string, item: number, timeSeconds: number): void;
  /** Returns nothing without impressions. */
  finish(contacts: Contacts): { exposures?: Exposures; sightings?: Sightings };
};

export const mostShown = 3;
/** Equals the default attribution window of purchases. */
export const answerSeconds = 86_400;

/** 64 MB at 16 bytes each. */
const usualMostImpressions = 4_000_000;

export function createImpressionsBuilder(mostImpressions = usualMostImpressions): ImpressionsBuilder {
  let person = new Int32Array(1024);
  let item = new Int32Array(1024);
  let timeSeconds = new Float64Array(1024);
  let added = 0;
  return {
    show(subjectKey, shownItem, atSeconds) {
      const place = added++ % mostImpressions;
      person = grow(person, place + 1);
      item = grow(item, place + 1);
      timeSeconds = grow(timeSeconds, place + 1);
      person[place] = hashText(subjectKey);
      item[place] = shownItem;
      timeSeconds[place] = atSeconds;
    },
    finish(contacts) {
      if (added === 0) return {};
      const count = Math.min(added, mostImpressions);
      const places = Int32Array.from({ length: count }, (_, age) => (added - count + age) % mostImpressions);
      const { numbers, numberCount } = numberPeople(person.subarray(0, count), contacts);
      const { offsets, order } = groupBy(
        places.map((place) => numbers[place]),
        numberCount,
      );
      const rows = {
        subjectOffsets: offsets,
        item: order.map((row) => item[places[row]]),
        timeSeconds: Float64Array.from(order, (row) => timeSeconds[places[row]]),
      };
      return { exposures: exposuresOf(rows, contacts), sightings: ofActive(rows, contacts) };
    },
  };
}

/** Returns the number of each impression's subject: those with an action have theirs. */
function numberPeople(person: Int32Array, { subjects, subjectOffsets }: Contacts) {
  const known = new Map<number, number>();
  for (const [key, subject] of subjects) known.set(hashText(key), subject);
  let numberCount = subjectOffsets.length - 1;
  const numbers = person.map((hash) => {
    const number = known.get(hash) ?? numberCount++;
    known.set(hash, number);
    return number;
  });
  return { numbers, numberCount };
}

function ofActive({ subjectOffsets, item, timeSeconds }: Sightings, contacts: Contacts): Sightings {
  const offsets = subjectOffsets.slice(0, contacts.subjectOffsets.length);
  const end = offsets[offsets.length - 1];
  return { subjectOffsets: offsets, item: item.slice(0, end), timeSeconds: timeSeconds.slice(0, end) };
}

/** Accepts impressions in any order of time. */
function exposuresOf({ subjectOffsets, item, timeSeconds }: Sightings, contacts: Contacts): Exposures {
  const items = new Int32Array(item.length);
  const first = new Float64Array(item.length);
  const last = new Float64Array(item.length);
  const shown = new Uint8Array(item.length);
  const answered = new Uint8Array(item.length);
  const answeredAt = new Float64Array(item.length);
  let count = 0;
  for (let subject = 0; subject + 1 < subjectOffsets.length; subject++) {
    const rowOf = new Map<number, number>();
    for (let at = subjectOffsets[subject]; at < subjectOffsets[subject + 1]; at++) {
      const row = rowOf.get(item[at]) ?? count++;
      const isNew = shown[row] === 0;
      rowOf.set(item[at], row);
      items[row] = item[at];
      first[row] = isNew ? timeSeconds[at] : Math.min(first[row], timeSeconds[at]);
      last[row] = isNew ? timeSeconds[at] : Math.max(last[row], timeSeconds[at]);
      shown[row] = Math.min(mostShown, shown[row] + 1);
    }
    for (let at = contacts.subjectOffsets[subject]; at < contacts.subjectOffsets[subject + 1]; at++) {
      const row = contacts.fullWeight[at] > 0 ? rowOf.get(contacts.item[at]) : undefined;
      const metAt = contacts.timeSeconds[at];
      if (row === undefined || metAt < first[row] || metAt > last[row] + answerSeconds) continue;
      answered[row] = 1;
      answeredAt[row] = Math.max(answeredAt[row], metAt);
    }
  }
  return {
    item: items.slice(0, count),
    timeSeconds: last.slice(0, count).map((at, row) => Math.max(at, answeredAt[row])),
    shown: shown.slice(0, count),
    answered: answered.slice(0, count),
  };
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
