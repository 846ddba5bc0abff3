/**
 * Single impressions by subject, item and time, to learn from items ignored at a past time.
 *
 * A ring keeps the newest, 16 MB at 16 bytes each. Subjects are hashed until all are numbered,
 * since most have an impression before their first action.
 */

import { hashText } from '../runtime/hash.ts';
import { groupBy, grow } from './arrays/rows.ts';

export type Sightings = {
  /** Length: subjects + 1. */
  subjectOffsets: Int32Array;
  /** Local item per row; a subject's rows are in order of arrival. */
  item: Int32Array;
  /** Unix seconds. */
  timeSeconds: Float64Array;
};

export type SightingsBuilder = {
  show(subjectKey: string, item: number, timeSeconds: number): void;
  /** Returns undefined without impressions. `subjects`: key and number of each with an action. */
  finish(subjects: Iterable<[key: string, subject: number]>, subjectCount: number): Sightings | undefined;
};

const usualMostSightings = 2 ** 20;

export function createSightingsBuilder(mostSightings = usualMostSightings): SightingsBuilder {
  let person = new Int32Array(1024);
  let item = new Int32Array(1024);
  let timeSeconds = new Float64Array(1024);
  let added = 0;
  /** In order of arrival. */
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
      person[place] = hashText(subjectKey);
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

/** Groups rows by the subject with their hash; drops rows of subjects without an action. */
export function groupByPerson(
  person: Int32Array,
  subjects: Iterable<[key: string, subject: number]>,
  subjectCount: number,
) {
  const numbers = new Map<number, number>();
  for (const [key, subject] of subjects) numbers.set(hashText(key), subject);
  return groupBy(
    person.map((hash) => numbers.get(hash) ?? -1),
    subjectCount,
  );
}
