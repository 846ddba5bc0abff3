/**
 * Finds the documents that have all words of a query where every word is common: list by list in
 * windows of 4,096 documents, as looking the others up for each document of one list would take
 * several times longer than reading them.
 *
 * A document is one number while its window is read:
 *
 *   bits 0 to 21 score · 22 whether a word is telling · 23 whether the title had all words · 24 and up number of slots
 */
import { impactMask, leastTellingImpact } from '../index/weights.ts';
import { type PostingDocs, restsOf, rewindSlots, type ScanList, type ScanSlot, seek } from './postings.ts';
import { windowSize } from './scan-any.ts';
import { allWordsKey, type LookUpScan, titleKey } from './scan-lead.ts';

const tellingBit = 1 << 22;
const titleBit = 1 << 23;
const oneSlot = 1 << 24;
const scoreMask = tellingBit - 1;

/** A document that cannot win; it has no number of slots. */
const lost = -1;

export type WholeScan = Omit<LookUpScan, 'isWhole'>;

export type WholeScanner = (scan: WholeScan) => PostingDocs;

/** Returns the first window that has a document of the slot left. */
function nextBase({ lists }: ScanSlot): number {
  let first = Number.POSITIVE_INFINITY;
  for (const { docs, cursor, end } of lists) if (cursor < end) first = Math.min(first, docs[cursor]);
  return first - (first % windowSize);
}

/** Adds a list of a slot to the documents that all slots before it have. */
function addList(marks: Int32Array, list: ScanList, slot: number, base: number): void {
  const { docs, payloads, end, scale } = list;
  let at = seek(docs, list.cursor, end, base);
  for (; at < end; at++) {
    const i = docs[at] - base;
    if (i >= windowSize) break;
    const before = marks[i];
    if (before >>> 24 !== slot) continue;
    const impact = payloads[at] & impactMask;
    const telling = impact >= leastTellingImpact ? tellingBit : 0;
    const kept = (payloads[at] >>> 15 === 1 ? before : before & ~titleBit) | telling;
    marks[i] = kept + oneSlot + ((impact * scale + 1) | 0);
  }
  list.cursor = at;
}

/** @returns the documents that were offered, ascending: all with all words, when `top` has room left */
export function createWholeScanner(): WholeScanner {
  const marks = new Int32Array(windowSize);

  /** Marks the documents of the first slot that can still win when the other slots add `rest`. */
  const mark = (list: ScanList, base: number, least: number, rest: number): void => {
    const { docs, payloads, end, scale } = list;
    let at = list.cursor;
    for (; at < end; at++) {
      const i = docs[at] - base;
      if (i >= windowSize) break;
      if (marks[i] !== 0) continue;
      const impact = payloads[at] & impactMask;
      const score = (impact * scale + 1) | 0;
      const inTitle = payloads[at] >>> 15;
      const telling = impact >= leastTellingImpact ? tellingBit : 0;
      const mayWin = (inTitle === 1 ? titleKey : allWordsKey) + score + rest >= least;
      marks[i] = mayWin ? oneSlot | (inTitle * titleBit) | telling | score : lost;
    }
    list.cursor = at;
  };

  /**
   * Offers the documents of a list of the first slot, docs[from] up to its cursor, and clears their
   * marks.
   */
  const offer = (
    { segment, slots, top, admits }: WholeScan,
    { docs, cursor }: ScanList,
    from: number,
    base: number,
    offered: number[],
  ): void => {
    const { alive, itemOf } = segment;
    let least = top.threshold;
    for (let at = from; at < cursor; at++) {
      const doc = docs[at];
      const bits = marks[doc - base];
      marks[doc - base] = 0;
      if (bits >>> 24 !== slots.length || (bits & tellingBit) === 0) continue;
      const key = (bits & titleBit ? titleKey : allWordsKey) + (bits & scoreMask);
      if (key < least || alive[doc] === 0 || !admits(itemOf[doc])) continue;
      offered.push(doc);
      top.offer(itemOf[doc], key);
      least = top.threshold;
    }
  };

  return (scan) => {
    const { segment, slots, top } = scan;
    const { lists } = slots[0];
    const offered: number[] = [];
    const rests = restsOf(slots);
    rewindSlots(slots);
    for (let base = nextBase(slots[0]); base < segment.docCount; base = nextBase(slots[0])) {
      const starts = lists.map(({ cursor }) => cursor);
      for (const list of lists) mark(list, base, top.threshold, rests[1]);
      for (let s = 1; s < slots.length; s++) for (const list of slots[s].lists) addList(marks, list, s, base);
      for (let l = 0; l < lists.length; l++) offer(scan, lists[l], starts[l], base, offered);
    }
    const docs = Int32Array.from(offered);
    return { docs: lists.length > 1 ? docs.sort() : docs, start: 0, end: docs.length, cursor: 0 };
  };
}
