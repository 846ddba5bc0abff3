/**
 * The inverted index: for every item who did what with it and on which day, nine bytes an event.
 *
 * Rows of items in one run of arrays; within a row by person, what arrived last first. New events gather in a log; sorted, it
 * is a second, small index beside the large one, and is merged into it when it has grown to a share of it. So an event costs
 * constant time, and a million people's events are never sorted anew.
 */

import { groupBy, grow } from '../../ranking/models/arrays/rows.ts';
import type { EventKinds } from './kinds.ts';

/** What one person did with one item counts up to ten purchases, or as much of anything else; in detail views. */
const mostWeight = 50;
/** So that what weighs little, or nothing, is bounded too. */
const leastSpent = 1;

export type Postings = {
  /** Length: items + 1. */
  offsets: Int32Array;
  person: Int32Array;
  /** Since 1970, UTC; from 2149 on the last day. */
  day: Uint16Array;
  /** When the event arrived, in the same days. */
  arrivalDay: Uint16Array;
  /** Position in EventKinds. */
  kind: Uint8Array;
};

/** Days since 1970. */
export type Posting = { item: number; person: number; day: number; arrivalDay: number; kind: number };

export type PostingLog = {
  readonly size: number;
  add(posting: Posting): void;
  /** Sorted by item, then person, the latest first; without repetitions beyond the limit of mergePostings. */
  sort(itemCount: number, personCount: number): Postings;
};

export function createPostings(): Postings {
  return {
    offsets: new Int32Array(1),
    person: new Int32Array(0),
    day: new Uint16Array(0),
    arrivalDay: new Uint16Array(0),
    kind: new Uint8Array(0),
  };
}

export function createPostingLog(eventKinds: EventKinds): PostingLog {
  let size = 0;
  let items = new Int32Array(1024);
  let persons = new Int32Array(1024);
  let days = new Int32Array(1024);
  let arrivalDays = new Int32Array(1024);
  let kinds = new Int32Array(1024);
  return {
    get size() {
      return size;
    },
    add({ item, person, day, arrivalDay, kind }) {
      items = grow(items, size + 1);
      persons = grow(persons, size + 1);
      days = grow(days, size + 1);
      arrivalDays = grow(arrivalDays, size + 1);
      kinds = grow(kinds, size + 1);
      items[size] = item;
      persons[size] = person;
      days[size] = boundDay(day);
      arrivalDays[size] = boundDay(arrivalDay);
      kinds[size++] = kind;
    },
    sort(itemCount, personCount) {
      const byPerson = groupBy(persons.slice(0, size).reverse(), personCount).order;
      const { offsets, order } = groupBy(
        byPerson.map((place) => items[size - 1 - place]),
        itemCount,
      );
      const source = order.map((place) => size - 1 - byPerson[place]);
      const sorted: Postings = {
        offsets,
        person: source.map((entry) => persons[entry]),
        day: Uint16Array.from(source, (entry) => days[entry]),
        arrivalDay: Uint16Array.from(source, (entry) => arrivalDays[entry]),
        kind: Uint8Array.from(source, (entry) => kinds[entry]),
      };
      return mergePostings(sorted, createPostings(), { itemCount, eventKinds });
    },
  };
}

/** As postings hold it. */
function boundDay(day: number): number {
  return Math.min(0xffff, Math.max(0, day));
}

/**
 * Both in one. What one person did with one item counts up to a limit, the latest first, and the rest is left out: a client
 * that repeats itself moves nothing, and takes no memory. Of the rest one purchase stays, without weight: who bought may have to
 * be left out, however often they came back.
 */
export function mergePostings(
  newer: Postings,
  older: Postings,
  { itemCount, eventKinds }: { itemCount: number; eventKinds: EventKinds },
): Postings {
  const { weights, purchase, pastPurchase } = eventKinds;
  const capacity = newer.person.length + older.person.length;
  const merged: Postings = {
    offsets: new Int32Array(itemCount + 1),
    person: new Int32Array(capacity),
    day: new Uint16Array(capacity),
    arrivalDay: new Uint16Array(capacity),
    kind: new Uint8Array(capacity),
  };
  let used = 0;
  let last = -1;
  let spent = 0;
  let hasBought = false;
  const take = ({ person, day, arrivalDay, kind }: Postings, entry: number): void => {
    if (person[entry] !== last) {
      spent = 0;
      hasBought = false;
    }
    last = person[entry];
    const isPurchase = kind[entry] === purchase || kind[entry] === pastPurchase;
    const isLeft = spent < mostWeight;
    if (!isLeft && (hasBought || !isPurchase)) return;
    hasBought ||= isPurchase;
    spent += Math.max(leastSpent, Math.abs(weights[kind[entry]]));
    merged.person[used] = person[entry];
    merged.day[used] = day[entry];
    merged.arrivalDay[used] = arrivalDay[entry];
    merged.kind[used++] = isLeft ? kind[entry] : pastPurchase;
  };
  for (let item = 0; item < itemCount; item++) {
    last = -1;
    let [a, aEnd] = rowOf(newer, item);
    let [b, bEnd] = rowOf(older, item);
    while (a < aEnd || b < bEnd) {
      const isNewer = b >= bEnd || (a < aEnd && newer.person[a] <= older.person[b]);
      if (isNewer) take(newer, a++);
      else take(older, b++);
    }
    merged.offsets[item + 1] = used;
  }
  return { offsets: merged.offsets, ...cut(merged, used) };
}

/** Of postings that may be older than the item. */
export function rowOf({ offsets }: Postings, item: number): [start: number, end: number] {
  return item + 1 < offsets.length ? [offsets[item], offsets[item + 1]] : [0, 0];
}

/** What all people together did with each item, in detail views, each event by what is left of it. */
export function strengthsOf(
  { offsets, day, kind }: Postings,
  decay: Float32Array,
  kindWeights: Float32Array,
): Float64Array {
  const strengths = new Float64Array(offsets.length - 1);
  for (let item = 0; item < strengths.length; item++) {
    let sum = 0;
    for (let entry = offsets[item]; entry < offsets[item + 1]; entry++) {
      sum += decay[day[entry]] * kindWeights[kind[entry]];
    }
    strengths[item] = sum;
  }
  return strengths;
}

/** Leaves out what happened before a day, so that at most `most` remain. */
export function dropOldest(postings: Postings, most: number): Postings {
  if (postings.person.length <= most) return postings;
  const counts = new Int32Array(0x10000);
  for (const day of postings.day) counts[day] += 1;
  let first = 0xffff;
  for (let kept = counts[first]; first > 0 && kept + counts[first - 1] <= most; ) kept += counts[--first];
  return keepThose(postings, (entry) => postings.day[entry] >= first);
}

/** Leaves out what arrived before a day. */
export function dropArrivedBefore(postings: Postings, day: number): Postings {
  return keepThose(postings, (entry) => postings.arrivalDay[entry] >= day);
}

/** In place, so that memory does not double; the postings that were given are no more. */
function keepThose(postings: Postings, isKept: (entry: number) => boolean): Postings {
  const { person, day, arrivalDay, kind } = postings;
  const offsets = new Int32Array(postings.offsets.length);
  let used = 0;
  for (let item = 0; item + 1 < offsets.length; item++) {
    for (let entry = postings.offsets[item]; entry < postings.offsets[item + 1]; entry++) {
      if (!isKept(entry)) continue;
      person[used] = person[entry];
      day[used] = day[entry];
      arrivalDay[used] = arrivalDay[entry];
      kind[used++] = kind[entry];
    }
    offsets[item + 1] = used;
  }
  return { offsets, ...cut(postings, used) };
}

/** Copies, so that the memory beyond is given back. */
function cut({ person, day, arrivalDay, kind }: Postings, length: number): Omit<Postings, 'offsets'> {
  if (length === person.length) return { person, day, arrivalDay, kind };
  return {
    person: person.slice(0, length),
    day: day.slice(0, length),
    arrivalDay: arrivalDay.slice(0, length),
    kind: kind.slice(0, length),
  };
}
