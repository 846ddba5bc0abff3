/**
 * The best documents of a query: MaxScore (Turtle and Flood, 1995) in windows of 4,096 documents.
 *
 *   key = 2^24 [all words in the title] or 2^23 [all words], + BM25F score in 1/1024 (below 2^22)
 *
 * The rarest words are read first. Once good hits are known, the words that cannot bring another by
 * themselves are only added to documents that still have a chance. Where a narrow filter lists
 * fewer documents than that, all words are looked up for these.
 *
 * A document is one number while its window is read:
 *
 *   bits 0 to 21 score · 22 whether a word is telling · 23 whether the title had all words · 24 and up number of words
 */
import type { Segment } from '../index/segment.ts';
import { impactMask, leastTellingImpact, titleFlag } from '../index/weights.ts';
import { type PostingDocs, type ScanSlot, seek } from './postings.ts';
import type { Offers } from './top.ts';

export const allWordsKey = 2 ** 23;
export const titleKey = 2 ** 24;

const windowSize = 4_096;
const tellingBit = 1 << 22;
const titleBit = 1 << 23;
const oneSlot = 1 << 24;
const scoreMask = tellingBit - 1;

/** Entries that are read in the time of one look-up. */
const lookUpCost = 12;

/** A segment with the slots that it has something for. */
export type ScanPart = { segment: Segment; slots: readonly ScanSlot[] };

export type Scan = {
  /** Slots of the query, 1 to 32. */
  slotCount: number;
  top: Offers;
  admits: (itemIndex: number) => boolean;
  /** Lists that hold everything that is admitted of a segment; undefined where there are none. */
  narrowing?: (segment: Segment) => readonly PostingDocs[] | undefined;
};

/** Entry i: the most that the slots from i on can add. */
function restsOf(slots: readonly ScanSlot[]): Float64Array {
  const rests = new Float64Array(slots.length + 1);
  for (let i = slots.length - 1; i >= 0; i--) rests[i] = rests[i + 1] + slots[i].maxScore;
  return rests;
}

/**
 * Whether looking up all words for each listed document takes less time than reading the words. An
 * entry costs about as much as a look-up: where few documents are admitted, nearly all that is read
 * is offered in vain.
 */
function isNarrow(slots: readonly ScanSlot[], lists: readonly PostingDocs[]): boolean {
  const listed = lists.reduce((sum, { start, end }) => sum + end - start, 0);
  const entries = slots.reduce((sum, { postingCount }) => sum + postingCount, 0);
  return listed * slots.length <= entries;
}

/** Returns the first document of the lists at or after `base`, where the next window begins. */
function nextWindow(lists: readonly PostingDocs[], base: number): number {
  let first = Number.POSITIVE_INFINITY;
  for (const list of lists) {
    list.cursor = seek(list.docs, list.cursor, list.end, base);
    if (list.cursor < list.end) first = Math.min(first, list.docs[list.cursor]);
  }
  return first;
}

type Window = {
  /** By place in the window. */
  readonly marks: Int32Array;
  /** The slot that was added last, plus 1; 0 for a document without a mark. */
  readonly lastSlot: Uint8Array;
  /** Places of the documents with a mark. */
  readonly found: Int32Array;
  foundCount: number;
};

function begin(window: Window, place: number): void {
  window.marks[place] = titleBit;
  window.found[window.foundCount++] = place;
}

function add({ marks, lastSlot }: Window, place: number, payload: number, scale: number, slot: number): void {
  lastSlot[place] = slot + 1;
  const impact = payload & impactMask;
  const before = payload & titleFlag ? marks[place] : marks[place] & ~titleBit;
  const telling = impact >= leastTellingImpact ? tellingBit : 0;
  marks[place] = (before | telling) + oneSlot + ((impact * scale + 1) | 0);
}

/** Reads a slot's entries of the window. @param begins whether documents without a mark get one */
function read(window: Window, { lists }: ScanSlot, slot: number, base: number, begins: boolean): void {
  const { lastSlot } = window;
  for (const list of lists) {
    const { docs, payloads, end, scale } = list;
    let at = seek(docs, list.cursor, end, base);
    for (; at < end; at++) {
      const place = docs[at] - base;
      if (place >= windowSize) break;
      if (lastSlot[place] === slot + 1) continue;
      if (lastSlot[place] === 0) {
        if (!begins) continue;
        begin(window, place);
      }
      add(window, place, payloads[at], scale, slot);
    }
    list.cursor = at;
  }
}

/** Does the same as `read` without new marks, document by document. */
function lookUp(window: Window, { lists }: ScanSlot, slot: number, base: number): void {
  for (let f = 0; f < window.foundCount; f++) {
    const doc = base + window.found[f];
    for (let l = 0; l < lists.length; l++) {
      const { docs, payloads, end, scale, cursor } = lists[l];
      const at = seek(docs, cursor, end, doc);
      if (at === end || docs[at] !== doc) continue;
      add(window, window.found[f], payloads[at], scale, slot);
      break;
    }
  }
}

/**
 * Drops the documents that cannot win when the slots from `slot` on add `rest` at most. @param
 * isWhole whether a document can have all words
 */
function dropHopeless(window: Window, slot: number, rest: number, least: number, isWhole: boolean): void {
  const { marks, lastSlot, found } = window;
  let kept = 0;
  for (let f = 0; f < window.foundCount; f++) {
    const mark = marks[found[f]];
    const mayHaveAll = isWhole && mark >>> 24 === slot;
    if ((mayHaveAll ? tierOf(mark) : 0) + (mark & scoreMask) + rest >= least) found[kept++] = found[f];
    else lastSlot[found[f]] = 0;
  }
  window.foundCount = kept;
}

const tierOf = (mark: number): number => (mark & titleBit ? titleKey : allWordsKey);

/** Offers what was found, and clears the window. */
function offerFound(window: Window, { alive, itemOf }: Segment, scan: Scan, base: number): void {
  const { marks, lastSlot, found } = window;
  const { slotCount, top, admits } = scan;
  let least = Math.max(1, top.threshold);
  for (let f = 0; f < window.foundCount; f++) {
    const doc = base + found[f];
    const mark = marks[found[f]];
    lastSlot[found[f]] = 0;
    const isAll = mark >>> 24 === slotCount && (mark & tellingBit) !== 0;
    const key = (mark & scoreMask) + (isAll ? tierOf(mark) : 0);
    if (key < least || alive[doc] === 0 || !admits(itemOf[doc])) continue;
    top.offer(itemOf[doc], key);
    least = Math.max(1, top.threshold);
  }
  window.foundCount = 0;
}

/** Marks the documents of the lists in the window. */
function markListed(window: Window, lists: readonly PostingDocs[], base: number): void {
  for (const { docs, cursor, end } of lists)
    for (let at = cursor; at < end && docs[at] < base + windowSize; at++) {
      const place = docs[at] - base;
      if (window.lastSlot[place] === 0) begin(window, place);
      window.lastSlot[place] = 255;
    }
}

function scanPart(window: Window, { segment, slots: given }: ScanPart, scan: Scan): void {
  const { top, slotCount, narrowing } = scan;
  const slots = [...given].sort((a, b) => a.postingCount - b.postingCount);
  const isWhole = slots.length === slotCount;
  const rests = restsOf(slots);
  const most = rests[0] + (isWhole ? titleKey : 0);
  const listed = narrowing?.(segment);
  const narrow = listed && isNarrow(slots, listed) ? listed : undefined;
  let leading = narrow ? 0 : slots.length;
  let lists = narrow ?? slots.flatMap((slot) => slot.lists);
  for (let base = 0; ; base += windowSize) {
    const least = Math.max(0, top.threshold);
    if (most < least) return;
    // A document with all words has the first one; others need a slot that can still bring a winner.
    while (leading > Number(isWhole) && rests[leading - 1] < least) {
      leading -= 1;
      lists = slots.slice(0, leading).flatMap((slot) => slot.lists);
    }
    base = nextWindow(lists, base);
    if (!(base < segment.docCount)) return;
    if (narrow) markListed(window, narrow, base);
    for (let s = 0; s < leading; s++) read(window, slots[s], s, base, true);
    for (let s = leading; s < slots.length; s++) {
      dropHopeless(window, s, rests[s], least, isWhole);
      const entries = (slots[s].postingCount * windowSize) / segment.docCount;
      if (window.foundCount * lookUpCost < entries) lookUp(window, slots[s], s, base);
      else read(window, slots[s], s, base, false);
    }
    offerFound(window, segment, scan, base);
  }
}

export function createScanner() {
  const window: Window = {
    marks: new Int32Array(windowSize),
    lastSlot: new Uint8Array(windowSize),
    found: new Int32Array(windowSize),
    foundCount: 0,
  };
  return {
    scan(parts: readonly ScanPart[], scan: Scan): void {
      for (const part of parts) if (part.slots.length > 0) scanPart(window, part, scan);
    },
  };
}
