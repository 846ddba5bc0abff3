/**
 * Finds the documents that have all words of a query where every word is common: list by list in windows of 4,096 documents, as
 * looking the others up for each document of one list would take several times longer than reading them.
 *
 * A document is one number while its window is read:
 *
 *   bits 0 to 21 its score · 22 whether some word tells what it is · 23 whether the title had all words · 24 and up how many slots
 */
import { impactMask, leastTellingImpact } from '../index/weights.ts';
import { type PostingDocs, restsOf, rewind, type ScanList, type ScanSlot, seek } from './postings.ts';
import { allWordsKey, type LeadScan, titleKey } from './scan-lead.ts';

const windowSize = 4_096;

const tellingBit = 1 << 22;
const titleBit = 1 << 23;
const oneSlot = 1 << 24;
const scoreMask = tellingBit - 1;

/** A document that cannot win; it has no number of slots. */
const lost = -1;

export type WholeScan = Pick<LeadScan, 'segment' | 'slots' | 'top' | 'admits'>;

export type WholeScanner = (scan: WholeScan) => PostingDocs;

/** First window that has a document of the slot left. */
function nextBase({ lists }: ScanSlot): number {
  let first = Number.POSITIVE_INFINITY;
  for (const { docs, cursor, end } of lists) if (cursor < end) first = Math.min(first, docs[cursor]);
  return first - (first % windowSize);
}

/** @returns the documents that were offered, ascending: all with all words, when `top` has room left */
export function createWholeScanner(): WholeScanner {
  const marks = new Int32Array(windowSize);

  /** Of the first slot: notes the documents that may still win when the other slots add `rest`. */
  const note = (list: ScanList, base: number, least: number, rest: number): void => {
    const { docs, payloads, end, scale } = list;
    let at = list.cursor;
    for (; at < end; at++) {
      const i = docs[at] - base;
      if (i >= windowSize) break;
      const payload = payloads[at];
      const impact = payload & impactMask;
      const score = (impact * scale + 1) | 0;
      const inTitle = payload >>> 15;
      if (marks[i] !== 0) continue;
      const telling = impact >= leastTellingImpact ? tellingBit : 0;
      const mayWin = (inTitle === 1 ? titleKey : allWordsKey) + score + rest >= least;
      marks[i] = mayWin ? oneSlot | (inTitle * titleBit) | telling | score : lost;
    }
    list.cursor = at;
  };

  /** Adds a list of slot s to the documents that all slots before it have. */
  const add = (list: ScanList, slot: number, base: number): void => {
    const { docs, payloads, end, scale } = list;
    let at = seek(docs, list.cursor, end, base);
    for (; at < end; at++) {
      const i = docs[at] - base;
      if (i >= windowSize) break;
      const mark = marks[i];
      if (mark >>> 24 !== slot) continue;
      const payload = payloads[at];
      const impact = payload & impactMask;
      const telling = impact >= leastTellingImpact ? tellingBit : 0;
      const kept = (payload >>> 15 === 1 ? mark : mark & ~titleBit) | telling;
      marks[i] = kept + oneSlot + ((impact * scale + 1) | 0);
    }
    list.cursor = at;
  };

  /** Offers the documents of a list of the first slot, docs[from] up to its cursor, and forgets what was noted of them. */
  const offer = (
    { segment, slots, top, admits }: WholeScan,
    { docs, cursor }: ScanList,
    from: number,
    base: number,
    kept: number[],
  ): void => {
    const { alive, itemOf } = segment;
    let least = top.threshold;
    for (let at = from; at < cursor; at++) {
      const doc = docs[at];
      const mark = marks[doc - base];
      marks[doc - base] = 0;
      if (mark >>> 24 !== slots.length || (mark & tellingBit) === 0) continue;
      const key = (mark & titleBit ? titleKey : allWordsKey) + (mark & scoreMask);
      if (key < least || alive[doc] === 0 || !admits(itemOf[doc])) continue;
      kept.push(doc);
      top.offer(itemOf[doc], key);
      least = top.threshold;
    }
  };

  return (scan) => {
    const { segment, slots, top } = scan;
    const { lists } = slots[0];
    const kept: number[] = [];
    const rests = restsOf(slots);
    rewind(slots);
    for (let base = nextBase(slots[0]); base < segment.docCount; base = nextBase(slots[0])) {
      const begins = lists.map(({ cursor }) => cursor);
      for (const list of lists) note(list, base, top.threshold, rests[1]);
      for (let s = 1; s < slots.length; s++) for (const list of slots[s].lists) add(list, s, base);
      for (let l = 0; l < lists.length; l++) offer(scan, lists[l], begins[l], base, kept);
    }
    const docs = Int32Array.from(kept);
    return { docs: lists.length > 1 ? docs.sort() : docs, start: 0, end: docs.length, cursor: 0 };
  };
}
