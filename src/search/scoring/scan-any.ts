/**
 * Finds the best documents that have some words of a query: MaxScore (Turtle and Flood, 1995) in windows of 4,096 documents.
 *
 * The slots that can still bring a new winner are added up in an array that fits the first cache; the others are only looked up
 * for documents that have a chance. When one list is left that can bring winners, it is read without windows.
 */
import type { Segment } from '../index/segment.ts';
import { impactMask } from '../index/weights.ts';
import { restsOf, rewind, type ScanList, type ScanSlot, seek } from './posting-list.ts';
import { type Admits, allWordsKey } from './scan-all.ts';
import type { Top } from './top.ts';

const windowSize = 4_096;

/** Sum of a document that must not be offered. */
const barred = -(2 ** 29);

export type AnyScan = {
  segment: Segment;
  slots: readonly ScanSlot[];
  /** Documents that were offered already, ascending. */
  known: readonly number[];
  top: Top;
  admits: Admits;
};

export type AnyScanner = (scan: AnyScan) => void;

/** What the first list that has the document adds; 0 when none has. Does not move cursors, so any order will do. */
function lookUp({ lists }: ScanSlot, doc: number): number {
  for (let l = 0; l < lists.length; l++) {
    const list = lists[l];
    const at = seek(list.docs, list.cursor, list.end, doc);
    if (at < list.end && list.docs[at] === doc)
      return ((list.payloads[at] & impactMask) * list.scale + 1) | 0;
  }
  return 0;
}

/** Start of the first window from `base` on in which one of the first slots has a document; windows lie on a grid. */
function nextWindow(slots: readonly ScanSlot[], essential: number, base: number): number {
  let first = Number.POSITIVE_INFINITY;
  for (let s = 0; s < slots.length; s++) {
    for (const list of slots[s].lists) {
      list.cursor = seek(list.docs, list.cursor, list.end, base);
      if (s < essential && list.cursor < list.end) first = Math.min(first, list.docs[list.cursor]);
    }
  }
  return first === Number.POSITIVE_INFINITY ? first : first - (first % windowSize);
}

/** Reads what is left of the only list that can bring winners. */
function scanLast({ segment, known, top, admits }: AnyScan, slots: readonly ScanSlot[], from: number): void {
  const { alive, itemOf } = segment;
  const [list] = slots[0].lists;
  const { docs, payloads, end, scale } = list;
  const rests = restsOf(slots);
  let least = top.threshold;
  let next = 0;
  for (let at = seek(docs, list.cursor, end, from); at < end; at++) {
    let sum = ((payloads[at] & impactMask) * scale + 1) | 0;
    if (sum + rests[1] < least) continue;
    const doc = docs[at];
    while (next < known.length && known[next] < doc) next += 1;
    if (known[next] === doc || alive[doc] === 0) continue;
    for (let s = 1; s < slots.length && sum + rests[s] >= least; s++) {
      for (const other of slots[s].lists) other.cursor = seek(other.docs, other.cursor, other.end, doc);
      sum += lookUp(slots[s], doc);
    }
    if (sum < least || !admits(itemOf[doc])) continue;
    top.offer(itemOf[doc], sum);
    least = top.threshold;
  }
}

export function createAnyScanner(): AnyScanner {
  const sums = new Int32Array(windowSize);
  /** Slot of several lists that added to the sum last, plus 1. */
  const lastSlot = new Uint8Array(windowSize);
  const found = new Int32Array(windowSize);
  let foundCount = 0;

  /** @param least what a document found by this list first must get from it to be worth keeping */
  const addList = (list: ScanList, base: number, least: number): void => {
    const { docs, payloads, end, scale } = list;
    const leastImpact = Math.max(0, (least - 1) / scale);
    const windowEnd = base + windowSize;
    let at = list.cursor;
    for (; at < end; at++) {
      const i = docs[at] - base;
      if (i >= windowSize) break;
      const impact = payloads[at] & impactMask;
      const sum = sums[i];
      if (sum === 0) {
        if (impact < leastImpact) continue;
        found[foundCount++] = i;
      }
      sums[i] = sum + ((impact * scale + 1) | 0);
    }
    list.cursor = at < end ? at : seek(docs, at, end, windowEnd);
  };

  /** The same for a list among several of its slot. */
  const addAlternative = (list: ScanList, slot: number, base: number): void => {
    const { docs, payloads, end, scale } = list;
    let at = list.cursor;
    for (; at < end; at++) {
      const i = docs[at] - base;
      if (i >= windowSize) break;
      if (lastSlot[i] === slot + 1) continue;
      lastSlot[i] = slot + 1;
      if (sums[i] === 0) found[foundCount++] = i;
      sums[i] += ((payloads[at] & impactMask) * scale + 1) | 0;
    }
    list.cursor = at;
  };

  const addSlots = (
    slots: readonly ScanSlot[],
    essential: number,
    base: number,
    least: number,
    rests: Float64Array,
  ) => {
    foundCount = 0;
    for (let s = 0; s < essential; s++) {
      const { lists } = slots[s];
      if (lists.length === 1) addList(lists[0], base, least - rests[s + 1]);
      else for (const list of lists) addAlternative(list, s, base);
    }
  };

  /** Looks up the other slots for the documents found, and offers those that have a chance. */
  const offerFound = (
    scan: AnyScan,
    slots: readonly ScanSlot[],
    essential: number,
    base: number,
    rests: Float64Array,
  ): void => {
    const { segment, top, admits } = scan;
    const { alive, itemOf } = segment;
    let least = top.threshold;
    for (let f = 0; f < foundCount; f++) {
      const i = found[f];
      let sum = sums[i];
      sums[i] = 0;
      lastSlot[i] = 0;
      if (sum <= 0 || sum + rests[essential] < least || alive[base + i] === 0) continue;
      for (let s = essential; s < slots.length && sum + rests[s] >= least; s++)
        sum += lookUp(slots[s], base + i);
      if (sum < least || !admits(itemOf[base + i])) continue;
      top.offer(itemOf[base + i], sum);
      least = top.threshold;
    }
  };

  return (scan) => {
    const { segment, known, top } = scan;
    const slots = [...scan.slots].sort((a, b) => b.maxScore - a.maxScore || a.postingCount - b.postingCount);
    const rests = restsOf(slots);
    rewind(slots);
    let next = 0;
    for (let base = 0; base < segment.docCount; base += windowSize) {
      const least = Math.max(0, top.threshold);
      if (least >= allWordsKey) return;
      let essential = slots.length;
      while (essential > 0 && rests[essential - 1] < least) essential -= 1;
      if (essential === 0) return;
      if (essential === 1 && slots[0].lists.length === 1) return scanLast(scan, slots, base);
      base = nextWindow(slots, essential, base);
      if (base >= segment.docCount) return;
      addSlots(slots, essential, base, least, rests);
      while (next < known.length && known[next] < base) next += 1;
      const firstKnown = next;
      for (; next < known.length && known[next] < base + windowSize; next++)
        sums[known[next] - base] = barred;
      offerFound(scan, slots, essential, base, rests);
      for (let k = firstKnown; k < next; k++) sums[known[k] - base] = 0;
    }
  };
}
