/**
 * Finds the best documents that have some words of a query: MaxScore (Turtle and Flood, 1995) in windows of 4,096 documents.
 *
 * The slots that can still bring a new winner are added up in an array that fits the first cache; the others are only looked up
 * for documents that have a chance. When one list is left that can bring winners, it is read without windows.
 */
import type { Segment } from '../index/segment.ts';
import { impactMask } from '../index/weights.ts';
import { type PostingDocs, restsOf, rewind, type ScanSlot, seek } from './posting-list.ts';
import { type Admits, allWordsKey, isAmong } from './scan-lead.ts';
import type { Offers } from './top.ts';
import {
  addAlternative,
  addList,
  addToFound,
  bar,
  createWindowSums,
  keepHopeful,
  unbar,
  type WindowSums,
  windowSize,
} from './window-sums.ts';

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
