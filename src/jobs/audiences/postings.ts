/**
 * The inverted index: for each item the events of subjects with it, in nine bytes each.
 *
 * One row per item; within a row by subject, the latest arrival first. New events go to a log. The
 * sorted log is a second, small index, which is merged into the large one when it has grown to a
 * share of it. An event therefore costs constant time, and the events of a million subjects are
 * never sorted again.
 */

import { groupBy, grow } from '../../ranking/models/arrays/rows.ts';
import type { EventKinds } from './event-kinds.ts';

/** Bound per subject and item: ten purchases or the like; in detail views. */
const mostWeight = 50;
/** Bounds the number of events of little or no weight. */
const leastSpent = 1;

export type Postings = {
  /** Length: items + 1. */
  offsets: Int32Array;
  subject: Int32Array;
  /** Days since 1970, UTC; bounded to 65,535, in the year 2149. */
  day: Uint16Array;
  arrivalDay: Uint16Array;
  /** Position in EventKinds. */
  kind: Uint8Array;
};

/** One event; days are since 1970. */
export type Posting = { item: number; subject: number; day: number; arrivalDay: number; kind: number };

export type PostingLog = {
  readonly size: number;
  add(posting: Posting): void;
  /** Sorts by item, then subject, the latest arrival first, within the bound of mergePostings. */
  sort(itemCount: number, subjectCount: number): Postings;
};

export function createPostings(itemCount = 0, capacity = 0): Postings {
  return {
    offsets: new Int32Array(itemCount + 1),
    subject: new Int32Array(capacity),
    day: new Uint16Array(capacity),
    arrivalDay: new Uint16Array(capacity),
    kind: new Uint8Array(capacity),
  };
}

export function createPostingLog(eventKinds: EventKinds): PostingLog {
  let size = 0;
  let items = new Int32Array(1024);
  let subjects = new Int32Array(1024);
  let days = new Int32Array(1024);
  let arrivalDays = new Int32Array(1024);
  let kinds = new Int32Array(1024);
  return {
    get size() {
      return size;
    },
    add({ item, subject, day, arrivalDay, kind }) {
      items = grow(items, size + 1);
      subjects = grow(subjects, size + 1);
      days = grow(days, size + 1);
      arrivalDays = grow(arrivalDays, size + 1);
      kinds = grow(kinds, size + 1);
      items[size] = item;
      subjects[size] = subject;
      days[size] = boundDay(day);
      arrivalDays[size] = boundDay(arrivalDay);
      kinds[size++] = kind;
    },
    sort(itemCount, subjectCount) {
      const bySubject = groupBy(subjects.slice(0, size).reverse(), subjectCount).order;
      const { offsets, order } = groupBy(
        bySubject.map((place) => items[size - 1 - place]),
        itemCount,
      );
      const source = order.map((place) => size - 1 - bySubject[place]);
      const sorted: Postings = {
        offsets,
        subject: source.map((entry) => subjects[entry]),
        day: Uint16Array.from(source, (entry) => days[entry]),
        arrivalDay: Uint16Array.from(source, (entry) => arrivalDays[entry]),
        kind: Uint8Array.from(source, (entry) => kinds[entry]),
      };
      return mergePostings(sorted, createPostings(), { itemCount, eventKinds });
    },
  };
}

function boundDay(day: number): number {
  return Math.min(0xffff, Math.max(0, day));
}

/**
 * Merges two indexes. The events of one subject with one item count up to a bound, the latest
 * first, so that a client that repeats itself gains nothing and takes no memory. One purchase
 * beyond the bound is kept without weight, because buyers may have to be excluded.
 */
export function mergePostings(
  newer: Postings,
  older: Postings,
  { itemCount, eventKinds }: { itemCount: number; eventKinds: EventKinds },
): Postings {
  const { weights, purchase, pastPurchase } = eventKinds;
  const capacity = newer.subject.length + older.subject.length;
  const merged = createPostings(itemCount, capacity);
  let used = 0;
  let last = -1;
  let spent = 0;
  let hasBought = false;
  const take = ({ subject, day, arrivalDay, kind }: Postings, entry: number): void => {
    if (subject[entry] !== last) {
      spent = 0;
      hasBought = false;
    }
    last = subject[entry];
    const isPurchase = kind[entry] === purchase || kind[entry] === pastPurchase;
    const isCounted = spent < mostWeight;
    if (!isCounted && (hasBought || !isPurchase)) return;
    hasBought ||= isPurchase;
    spent += Math.max(leastSpent, Math.abs(weights[kind[entry]]));
    merged.subject[used] = subject[entry];
    merged.day[used] = day[entry];
    merged.arrivalDay[used] = arrivalDay[entry];
    merged.kind[used++] = isCounted ? kind[entry] : pastPurchase;
  };
  for (let item = 0; item < itemCount; item++) {
    last = -1;
    let [a, aEnd] = rowOf(newer, item);
    let [b, bEnd] = rowOf(older, item);
    while (a < aEnd || b < bEnd) {
      const isNewer = b >= bEnd || (a < aEnd && newer.subject[a] <= older.subject[b]);
      if (isNewer) take(newer, a++);
      else take(older, b++);
    }
    merged.offsets[item + 1] = used;
  }
  return { offsets: merged.offsets, ...cut(merged, used) };
}

/** Returns the range of an item's postings; empty for an item that is newer. */
export function rowOf({ offsets }: Postings, item: number): [start: number, end: number] {
  return item + 1 < offsets.length ? [offsets[item], offsets[item + 1]] : [0, 0];
}

/** Returns the decayed sum of all subjects' interest by item, in detail views; a dislike lowers nobody else's. */
export function strengthsOf(
  { offsets, day, kind }: Postings,
  decay: Float32Array,
  kindWeights: Float32Array,
): Float64Array {
  const strengths = new Float64Array(offsets.length - 1);
  for (let item = 0; item < strengths.length; item++) {
    let sum = 0;
    for (let entry = offsets[item]; entry < offsets[item + 1]; entry++) {
      sum += decay[day[entry]] * Math.max(0, kindWeights[kind[entry]]);
    }
    strengths[item] = sum;
  }
  return strengths;
}

/** Drops the oldest days, so that at most `most` postings remain. */
export function dropOldest(postings: Postings, most: number): Postings {
  if (postings.subject.length <= most) return postings;
  const counts = new Int32Array(0x10000);
  for (const day of postings.day) counts[day] += 1;
  let first = 0xffff;
  for (let kept = counts[first]; first > 0 && kept + counts[first - 1] <= most; ) kept += counts[--first];
  return keepThose(postings, (entry) => postings.day[entry] >= first);
}

export function dropArrivedBefore(postings: Postings, day: number): Postings {
  return keepThose(postings, (entry) => postings.arrivalDay[entry] >= day);
}

/** Works in place, to save memory; the given postings must not be used afterwards. */
function keepThose(postings: Postings, isKept: (entry: number) => boolean): Postings {
  const { subject, day, arrivalDay, kind } = postings;
  const offsets = new Int32Array(postings.offsets.length);
  let used = 0;
  for (let item = 0; item + 1 < offsets.length; item++) {
    for (let entry = postings.offsets[item]; entry < postings.offsets[item + 1]; entry++) {
      if (!isKept(entry)) continue;
      subject[used] = subject[entry];
      day[used] = day[entry];
      arrivalDay[used] = arrivalDay[entry];
      kind[used++] = kind[entry];
    }
    offsets[item + 1] = used;
  }
  return { offsets, ...cut(postings, used) };
}

/** Shortens the arrays by copying, which frees the memory beyond. */
function cut({ subject, day, arrivalDay, kind }: Postings, length: number): Omit<Postings, 'offsets'> {
  if (length === subject.length) return { subject, day, arrivalDay, kind };
  return {
    subject: subject.slice(0, length),
    day: day.slice(0, length),
    arrivalDay: arrivalDay.slice(0, length),
    kind: kind.slice(0, length),
  };
}
