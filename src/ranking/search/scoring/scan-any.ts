/**
 * Sums of scores over a window of 4,096 documents, in an array that fits the first cache.
 *
 * Functions over one state, as every line of them runs for each entry of a posting list.
 */

import type { Segment } from '../index/segment.ts';
import { impactMask } from '../index/weights.ts';
import { type PostingDocs, restsOf, rewind, type ScanList, type ScanSlot, seek } from './postings.ts';
import { type Admits, allWordsKey, isAmong } from './scan-lead.ts';
import type { Offers } from './top.ts';

export const windowSize = 4_096;

/** Sum of a document that must not be offered. */
const barred = -(2 ** 29);

export type WindowSums = {
  /** By document, counted from the window's first. */
  readonly sums: Int32Array;
  /** Slot of several lists that added to the sum last, plus 1. */
  readonly lastSlot: Uint8Array;
  /** The documents that have a sum. */
  readonly found: Int32Array;
  foundCount: number;
};

export function createWindowSums(): WindowSums {
  return {
    sums: new Int32Array(windowSize),
    lastSlot: new Uint8Array(windowSize),
    found: new Int32Array(windowSize),
    foundCount: 0,
  };
}

/** @param least what a document found by this list first must get from it to be worth keeping */
export function addList(window: WindowSums, list: ScanList, base: number, least: number): void {
  const { sums, found } = window;
  const { docs, payloads, end, scale } = list;
  const leastImpact = Math.max(0, (least - 1) / scale);
  const windowEnd = base + windowSize;
  let { foundCount } = window;
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
  window.foundCount = foundCount;
  list.cursor = at < end ? at : seek(docs, at, end, windowEnd);
}

/** The same for a list among several of its slot. */
export function addAlternative(window: WindowSums, list: ScanList, slot: number, base: number): void {
  const { sums, lastSlot, found } = window;
  const { docs, payloads, end, scale } = list;
  let at = list.cursor;
  for (; at < end; at++) {
    const i = docs[at] - base;
    if (i >= windowSize) break;
    if (lastSlot[i] === slot + 1) continue;
    lastSlot[i] = slot + 1;
    if (sums[i] === 0) found[window.foundCount++] = i;
    sums[i] += ((payloads[at] & impactMask) * scale + 1) | 0;
  }
  list.cursor = at;
}

/** Adds a list to documents that were found, by reading all of its window. */
export function addToFound(
  { sums }: WindowSums,
  { docs, payloads, end, scale, cursor }: ScanList,
  base: number,
): void {
  for (let at = cursor; at < end; at++) {
    const i = docs[at] - base;
    if (i >= windowSize) break;
    const sum = sums[i];
    if (sum > 0) sums[i] = sum + (((payloads[at] & impactMask) * scale + 1) | 0);
  }
}

/** Leaves the documents that can still win when the slots that are left may add `rest`. */
export function keepHopeful(window: WindowSums, rest: number, least: number): void {
  const { sums, lastSlot, found } = window;
  let kept = 0;
  for (let f = 0; f < window.foundCount; f++) {
    const i = found[f];
    const sum = sums[i];
    if (sum > 0 && sum + rest >= least) {
      found[kept++] = i;
      continue;
    }
    lastSlot[i] = 0;
    if (sum > 0) sums[i] = 0;
  }
  window.foundCount = kept;
}

/** Keeps a list's documents out of this window. */
export function bar({ sums }: WindowSums, list: PostingDocs, base: number): void {
  list.cursor = seek(list.docs, list.cursor, list.end, base);
  for (let at = list.cursor; at < list.end && list.docs[at] < base + windowSize; at++)
    sums[list.docs[at] - base] = barred;
}

export function unbar({ sums }: WindowSums, { docs, cursor, end }: PostingDocs, base: number): void {
  for (let at = cursor; at < end && docs[at] < base + windowSize; at++) sums[docs[at] - base] = 0;
}

/** Entries that are read in the time of one look-up. */
const lookUpCost = 12;

/** Of the documents of the last list that can bring winners so many have to be looked up in the others, at a guess. */
const lookedUpShare = 3;

export type AnyScan = {
  segment: Segment;
  slots: readonly ScanSlot[];
  /** Documents that were looked at before. */
  known: readonly PostingDocs[];
  top: Offers;
  admits: Admits;
};

type Window = {
  slots: readonly ScanSlot[];
  rests: Float64Array;
  /** How many of the slots can bring winners. */
  essential: number;
  /** Its first document. */
  base: number;
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

/** Whether looking up the other slots for each document of the first takes less time than reading them. */
function isLookedUpBest([first, ...others]: readonly ScanSlot[]): boolean {
  const entries = others.reduce((sum, { postingCount }) => sum + postingCount, 0);
  return first.lists.length === 1 && first.postingCount * lookUpCost <= entries * lookedUpShare;
}

/** Reads what is left of the only list that can bring winners. */
function scanLast({ segment, known, top, admits }: AnyScan, slots: readonly ScanSlot[], from: number): void {
  const { alive, itemOf } = segment;
  const [list] = slots[0].lists;
  const { docs, payloads, end, scale } = list;
  const rests = restsOf(slots);
  let least = top.threshold;
  for (const list of known) list.cursor = list.start;
  for (let at = seek(docs, list.cursor, end, from); at < end; at++) {
    let sum = ((payloads[at] & impactMask) * scale + 1) | 0;
    if (sum + rests[1] < least) continue;
    const doc = docs[at];
    if (alive[doc] === 0 || isAmong(known, doc)) continue;
    for (let s = 1; s < slots.length && sum + rests[s] >= least; s++) {
      for (const other of slots[s].lists) other.cursor = seek(other.docs, other.cursor, other.end, doc);
      sum += lookUp(slots[s], doc);
    }
    if (sum < least || !admits(itemOf[doc])) continue;
    top.offer(itemOf[doc], sum);
    least = top.threshold;
  }
}

/** Adds the slots that can bring winners. */
function addEssential(sums: WindowSums, { slots, rests, essential, base }: Window, least: number): void {
  sums.foundCount = 0;
  for (let s = 0; s < essential; s++) {
    const { lists } = slots[s];
    if (lists.length === 1) addList(sums, lists[0], base, least - rests[s + 1]);
    else for (const list of lists) addAlternative(sums, list, s, base);
  }
}

/** Adds the slots that cannot bring winners of their own. */
function addRest(
  window: WindowSums,
  { segment, top }: AnyScan,
  { slots, rests, essential, base }: Window,
): void {
  const { sums, found } = window;
  const least = top.threshold;
  for (let s = essential; s < slots.length; s++) {
    keepHopeful(window, rests[s], least);
    const { lists, postingCount } = slots[s];
    const inWindow = (postingCount / segment.docCount) * windowSize;
    if (lists.length === 1 && inWindow < window.foundCount * lookUpCost) addToFound(window, lists[0], base);
    else for (let f = 0; f < window.foundCount; f++) sums[found[f]] += lookUp(slots[s], base + found[f]);
  }
}

/** Offers what was found, and leaves no sum. */
function offerFound(
  { sums, lastSlot, found, foundCount }: WindowSums,
  { segment: { alive, itemOf }, top, admits }: AnyScan,
  base: number,
): void {
  let least = top.threshold;
  for (let f = 0; f < foundCount; f++) {
    const i = found[f];
    const sum = sums[i];
    sums[i] = 0;
    lastSlot[i] = 0;
    if (sum < least || sum <= 0 || alive[base + i] === 0 || !admits(itemOf[base + i])) continue;
    top.offer(itemOf[base + i], sum);
    least = top.threshold;
  }
}

export function createAnyScanner(): AnyScanner {
  const sums = createWindowSums();
  return (scan) => {
    const { segment, known, top } = scan;
    const slots = [...scan.slots].sort((a, b) => b.maxScore - a.maxScore || a.postingCount - b.postingCount);
    const rests = restsOf(slots);
    rewind(slots);
    for (const list of known) list.cursor = list.start;
    for (let base = 0; base < segment.docCount; base += windowSize) {
      const least = Math.max(0, top.threshold);
      if (least >= allWordsKey) return;
      let essential = slots.length;
      while (essential > 0 && rests[essential - 1] < least) essential -= 1;
      if (essential === 0) return;
      if (essential === 1 && (slots.length === 1 || isLookedUpBest(slots)))
        return scanLast(scan, slots, base);
      base = nextWindow(slots, essential, base);
      if (base >= segment.docCount) return;
      const window = { slots, rests, essential, base };
      addEssential(sums, window, least);
      for (const list of known) bar(sums, list, base);
      addRest(sums, scan, window);
      offerFound(sums, scan, base);
      for (const list of known) unbar(sums, list, base);
    }
  };
}
