/**
 * Finds the best documents that have some words of a query: MaxScore (Turtle and Flood, 1995) in
 * windows of 4,096 documents.
 *
 * The slots that can still bring a new winner are added up in an array that fits the first cache.
 * The others are looked up for documents that still have a chance.
 */
import { impactMask } from '../index/weights.ts';
import { type PostingDocs, restsOf, rewind, rewindSlots, type ScanSlot, seek } from './postings.ts';
import { allWordsKey, type LookUpScan } from './scan-lead.ts';

export const windowSize = 4_096;

/** Sum of a document that must not be offered; no score makes it positive. */
const excluded = -(2 ** 29);

export type AnyScanner = (scan: Omit<LookUpScan, 'isWhole'>, known: readonly PostingDocs[]) => void;

/**
 * Returns the score of the first list that has the document; 0 when none has. Leaves the cursors,
 * so any order will do.
 */
function lookUp({ lists }: ScanSlot, doc: number): number {
  for (let l = 0; l < lists.length; l++) {
    const list = lists[l];
    const at = seek(list.docs, list.cursor, list.end, doc);
    if (at < list.end && list.docs[at] === doc)
      return ((list.payloads[at] & impactMask) * list.scale + 1) | 0;
  }
  return 0;
}

/**
 * Returns the start of the first window at or after `base` with a document of the first slots.
 * Windows lie on a grid.
 */
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

/** A window of documents, which are counted from its first. */
type Window = {
  /** By document: its sum, and the slot that added to it last, plus 1. */
  readonly sums: Int32Array;
  readonly lastSlot: Uint8Array;
  /** The documents that have a sum. */
  readonly found: Int32Array;
  foundCount: number;
};

function setAll(
  { sums, lastSlot }: Window,
  { docs, cursor, end }: PostingDocs,
  base: number,
  sum: number,
): void {
  for (let at = cursor; at < end && docs[at] < base + windowSize; at++) {
    sums[docs[at] - base] = sum;
    lastSlot[docs[at] - base] = 0;
  }
}

function addSlot(window: Window, { lists }: ScanSlot, slot: number, base: number): void {
  const { sums, lastSlot, found } = window;
  for (const list of lists) {
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
}

/** Drops the documents that cannot win any more when the slots that are left add `rest` at most. */
function dropHopeless(window: Window, rest: number, least: number): void {
  const { sums, lastSlot, found } = window;
  let kept = 0;
  for (let f = 0; f < window.foundCount; f++) {
    const i = found[f];
    if (sums[i] + rest >= least) found[kept++] = i;
    else sums[i] = lastSlot[i] = 0;
  }
  window.foundCount = kept;
}

/** Offers what was found, and clears the window. */
function offerFound(window: Window, { segment, top, admits }: Parameters<AnyScanner>[0], base: number): void {
  const { sums, lastSlot, found } = window;
  const { alive, itemOf } = segment;
  let least = top.threshold;
  for (let f = 0; f < window.foundCount; f++) {
    const i = found[f];
    const sum = sums[i];
    sums[i] = lastSlot[i] = 0;
    if (sum < least || alive[base + i] === 0 || !admits(itemOf[base + i])) continue;
    top.offer(itemOf[base + i], sum);
    least = top.threshold;
  }
  window.foundCount = 0;
}

export function createAnyScanner(): AnyScanner {
  const window: Window = {
    sums: new Int32Array(windowSize),
    lastSlot: new Uint8Array(windowSize),
    found: new Int32Array(windowSize),
    foundCount: 0,
  };
  return (scan, known) => {
    const { segment, top } = scan;
    const slots = [...scan.slots].sort((a, b) => b.maxScore - a.maxScore || a.postingCount - b.postingCount);
    const rests = restsOf(slots);
    rewindSlots(slots);
    rewind(known);
    for (let base = 0; base < segment.docCount; base += windowSize) {
      const least = Math.max(0, top.threshold);
      if (least >= allWordsKey) return;
      let essential = slots.length;
      while (essential > 0 && rests[essential - 1] < least) essential -= 1;
      if (essential === 0) return;
      base = nextWindow(slots, essential, base);
      if (base >= segment.docCount) return;
      for (const list of known) {
        list.cursor = seek(list.docs, list.cursor, list.end, base);
        setAll(window, list, base, excluded);
      }
      for (let s = 0; s < essential; s++) addSlot(window, slots[s], s, base);
      for (let s = essential; s < slots.length; s++) {
        dropHopeless(window, rests[s], least);
        for (let f = 0; f < window.foundCount; f++)
          window.sums[window.found[f]] += lookUp(slots[s], base + window.found[f]);
      }
      offerFound(window, scan, base);
      for (const list of known) setAll(window, list, base, 0);
    }
  };
}
