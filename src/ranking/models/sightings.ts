/**
 * Who was shown what and when, one row a showing: what a person has left alone at a moment of the past, to learn by.
 *
 * Bounded: the newest rows are kept in a ring, at 16 bytes each 16 MB. People are known by a hash until all of them are numbered,
 * since most are shown something before they do something.
 */

import { groupBy, grow } from './arrays/rows.ts';

export type Sightings = {
  /** Length: subjects + 1. */
  subjectOffsets: Int32Array;
  /** Local item per row; a subject's rows are in the order of arrival. */
  item: Int32Array;
  /** Unix seconds. */
  timeSeconds: Float64Array;
};

export type SightingsBuilder = {
  show(subjectKey: string, item: number, timeSeconds: number): void;
  /** Undefined when nothing was shown. @param subjects Key and number of everybody who did something. */
  finish(subjects: Iterable<[key: string, subject: number]>, subjectCount: number): Sightings | undefined;
};

const usualMostSightings = 2 ** 20;

export function createSightingsBuilder(mostSightings = usualMostSightings): SightingsBuilder {
  let person = new Int32Array(1024);
  let item = new Int32Array(1024);
  let timeSeconds = new Float64Array(1024);
  let added = 0;
  /** In the order of arrival. */
  const places = () => {
    const count = Math.min(added, mostSightings);
    return Int32Array.from({ length: count }, (_, age) => (added - count + age) % mostSightings);
  };
  return {
    show(subjectKey, shownItem, atSeconds) {
      const place = added++ % mostSightings;
      person = grow(person, place + 1);
      item = grow(item, place + 1);
      timeSeconds = grow(timeSeconds, place + 1);
      person[place] = hashOf(subjectKey);
      item[place] = shownItem;
      timeSeconds[place] = atSeconds;
    },
    finish(subjects, subjectCount) {
      if (added === 0) return undefined;
      const rows = places();
      const { offsets, order } = groupByPerson(
        rows.map((place) => person[place]),
        subjects,
        subjectCount,
      );
      return {
        subjectOffsets: offsets,
        item: order.map((row) => item[rows[row]]),
        timeSeconds: Float64Array.from(order, (row) => timeSeconds[rows[row]]),
      };
    },
  };
}

/** Rows by the subject whose key has their hash; those of nobody who did something are left out. */
export function groupByPerson(
  person: Int32Array,
  subjects: Iterable<[key: string, subject: number]>,
  subjectCount: number,
) {
  const numbers = new Map<number, number>();
  for (const [key, subject] of subjects) numbers.set(hashOf(key), subject);
  return groupBy(
    person.map((hash) => numbers.get(hash) ?? -1),
    subjectCount,
  );
}

/** FNV-1a (Fowler, Noll, Vo). That two people meet in one number is too rare to matter. */
export function hashOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  return hash | 0;
}
