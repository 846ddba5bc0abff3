/**
 * Finds the best documents of a segment: MaxScore (Turtle and Flood, 1995) in windows of 4,096 documents.
 *
 * A query is a list of slots (its words); a slot is a list of posting lists (the word, its synonyms), of which the first that has
 * a document counts. In a window, the slots that can still bring a new winner are added up in an array that fits the first
 * cache; the others are only looked up for documents found by then. Once enough documents with all words are known, only
 * the rarest word is read and the others are looked up: common words cost nothing but look-ups.
 *
 * An accumulator counts in one double: matched slots · 2^30 + slots in the title · 2^22 + BM25F score in 1/1024 (below 2^22).
 * All parts are whole numbers, so that a sum does not depend on the order of its parts.
 */
import type { PostingRange, Segment } from '../index/segment.ts';
import { impactMask, titleFlag } from '../index/weights.ts';
import type { Top } from './top.ts';

export type ScanList = PostingRange & {
  /** Score of the highest possible impact. */
  weight: number;
  /** Next entry to read. */
  cursor: number;
};

export type ScanSlot = {
  lists: ScanList[];
  /** No document gets more from the slot, in parts of 1/1024. */
  maxScore: number;
  postingCount: number;
};

const windowSize = 4_096;
const slotUnit = 2 ** 30;
const titleUnit = 2 ** 22;

/** Scores are counted in parts of 1/1024. */
export const scoreUnits = 1_024;

/** Keys of documents with all words begin at 2^23, with all in the title at 2^24; a score lies below 2^22. */
export const allWordsKey = 2 ** 23;
export const titleKey = 2 ** 24;

/** What an impact adds to the score, in parts of 1/1024. */
export function scoreOfImpact(impact: number, weight: number): number {
  return (impact * ((weight * scoreUnits) / impactMask) + 0.5) | 0;
}

/** The part of a sum below `titleUnit`; many times faster than the remainder of doubles. */
function scoreOf(sum: number): number {
  return sum - Math.floor(sum * (1 / titleUnit)) * titleUnit;
}

/** What a document's sum is worth in the ranking. */
function keyOf(sum: number, slotCount: number): number {
  const score = scoreOf(sum);
  if (sum < slotCount * slotUnit) return score;
  return score + (sum - slotCount * slotUnit >= slotCount * titleUnit ? titleKey : allWordsKey);
}

export type Scanner = {
  /** Offers the segment's best documents to `top`; `slots` must not be empty. */
  scan(
    segment: Segment,
    slots: ScanSlot[],
    slotCount: number,
    top: Top,
    admits: (itemIndex: number) => boolean,
  ): void;
};

/** First entry from `from` on whose document is not below `target`; looks ahead in doubling steps. */
function seek(docs: Int32Array, from: number, end: number, target: number): number {
  if (from >= end || docs[from] >= target) return from;
  let step = 1;
  let low = from;
  while (low + step < end && docs[low + step] < target) {
    low += step;
    step *= 2;
  }
  let high = Math.min(end, low + step);
  while (low + 1 < high) {
    const middle = (low + high) >>> 1;
    if (docs[middle] < target) low = middle;
    else high = middle;
  }
  return high;
}

export function createScanner(): Scanner {
  const sums = new Float64Array(windowSize);
  /** Slot that added to the sum last, plus 1. */
  const lastSlot = new Uint8Array(windowSize);
  const bitmap = new Uint32Array(windowSize / 32);
  const found = new Int32Array(windowSize);
  let foundCount = 0;

  /** @param least what a document found by this list alone must reach here to be worth keeping */
  const addList = (list: ScanList, slot: number, base: number, isOnly: boolean, least: number): void => {
    const { docs, payloads, end } = list;
    const scale = (list.weight * scoreUnits) / impactMask;
    const leastImpact = (least - 1) / scale;
    const windowEnd = base + windowSize;
    let at = seek(docs, list.cursor, end, base);
    for (; at < end; at++) {
      const doc = docs[at];
      if (doc >= windowEnd) break;
      const i = doc - base;
      const payload = payloads[at];
      if ((payload & impactMask) < leastImpact && sums[i] === 0) continue;
      if (!isOnly) {
        if (lastSlot[i] === slot + 1) continue;
        lastSlot[i] = slot + 1;
      }
      sums[i] += slotUnit + (payload >>> 15) * titleUnit + (((payload & impactMask) * scale + 0.5) | 0);
      bitmap[i >>> 5] |= 1 << (i & 31);
    }
    list.cursor = at;
  };

  const collect = (): void => {
    foundCount = 0;
    for (let word = 0; word < bitmap.length; word++) {
      let bits = bitmap[word];
      if (bits === 0) continue;
      bitmap[word] = 0;
      while (bits !== 0) {
        const bit = 31 - Math.clz32(bits & -bits);
        found[foundCount++] = word * 32 + bit;
        bits &= bits - 1;
      }
    }
  };

  /** What the first list that has the document adds; 0 when none has. */
  const lookUp = (slot: ScanSlot, doc: number): number => {
    for (const list of slot.lists) {
      const at = seek(list.docs, list.cursor, list.end, doc);
      list.cursor = at;
      if (at >= list.end || list.docs[at] !== doc) continue;
      const payload = list.payloads[at];
      const score = scoreOfImpact(payload & impactMask, list.weight);
      return slotUnit + (payload >>> 15) * titleUnit + score;
    }
    return 0;
  };

  /** Adds a slot to the documents found so far and drops those that cannot win any more. */
  const lookUpFound = (
    slot: ScanSlot,
    slotsSeen: number,
    rest: number,
    base: number,
    least: number,
  ): void => {
    let kept = 0;
    for (let f = 0; f < foundCount; f++) {
      const i = found[f];
      const sum = sums[i] + lookUp(slot, base + i);
      const canHaveAll = sum >= slotsSeen * slotUnit;
      if (canHaveAll || scoreOf(sum) + rest >= least) {
        sums[i] = sum;
        found[kept++] = i;
      } else {
        sums[i] = 0;
        lastSlot[i] = 0;
      }
    }
    foundCount = kept;
  };

  const offerFound = (
    segment: Segment,
    base: number,
    slotCount: number,
    top: Top,
    admits: (itemIndex: number) => boolean,
  ): void => {
    const { alive, itemOf } = segment;
    let least = top.threshold;
    for (let f = 0; f < foundCount; f++) {
      const i = found[f];
      const key = keyOf(sums[i], slotCount);
      sums[i] = 0;
      lastSlot[i] = 0;
      if (key < least || alive[base + i] === 0 || !admits(itemOf[base + i])) continue;
      top.offer(itemOf[base + i], key);
      least = top.threshold;
    }
  };

  /**
   * Documents with all words from `from` on, when no others can win any more: reads the rarest slot and looks up the others,
   * but only where the posting's own impact leaves a chance.
   */
  const scanAllWords = (
    segment: Segment,
    slots: ScanSlot[],
    from: number,
    top: Top,
    admits: (itemIndex: number) => boolean,
  ): void => {
    const { alive, itemOf } = segment;
    const [list] = slots[0].lists;
    const scale = (list.weight * scoreUnits) / impactMask;
    const rests = restsOf(slots);
    let least = top.threshold;
    for (let at = seek(list.docs, list.cursor, list.end, from); at < list.end; at++) {
      const payload = list.payloads[at];
      let sum = slotUnit + (payload >>> 15) * titleUnit + (((payload & impactMask) * scale + 0.5) | 0);
      let key = (payload >= titleFlag ? titleKey : allWordsKey) + scoreOf(sum);
      for (let s = 1; s < slots.length && key + rests[s] >= least; s++) {
        const added = lookUp(slots[s], list.docs[at]);
        sum += added;
        key = added === 0 ? Number.NEGATIVE_INFINITY : keyOf(sum, s + 1);
      }
      if (key < least || alive[list.docs[at]] === 0 || !admits(itemOf[list.docs[at]])) continue;
      top.offer(itemOf[list.docs[at]], key);
      least = top.threshold;
    }
  };

  return {
    scan(segment, slots, slotCount, top, admits) {
      slots.sort((a, b) => b.maxScore - a.maxScore || a.postingCount - b.postingCount);
      const rests = restsOf(slots);
      let base = 0;
      while (base < segment.docCount) {
        const least = top.threshold;
        if (least >= allWordsKey && slots.length < slotCount) return;
        if (least >= allWordsKey) {
          slots.sort((a, b) => a.lists.length - b.lists.length || a.postingCount - b.postingCount);
          if (slots[0].lists.length === 1) return scanAllWords(segment, slots, base, top, admits);
          slots.sort((a, b) => b.maxScore - a.maxScore || a.postingCount - b.postingCount);
        }
        let essential = slots.length;
        while (essential > 0 && rests[essential - 1] < least && least < allWordsKey) essential -= 1;
        if (essential === 0) return;
        base = nextWindow(slots, essential, base);
        if (base >= segment.docCount) return;
        for (let s = 0; s < essential; s++) {
          const isOnly = slots[s].lists.length === 1;
          // Who is not in the first slot has not all words, and needs the score. Among several lists the first that has
          // a document counts, so none may be passed over there.
          const leastAlone = s === 0 || !isOnly ? 0 : Math.min(least, allWordsKey) - rests[s + 1];
          for (const list of slots[s].lists) addList(list, s, base, isOnly, leastAlone);
        }
        collect();
        for (let s = essential; s < slots.length; s++)
          lookUpFound(slots[s], s + 1, rests[s + 1], base, least);
        offerFound(segment, base, slotCount, top, admits);
        base += windowSize;
      }
    },
  };
}

/** Entry i: the most that the slots from i on can add. */
function restsOf(slots: readonly ScanSlot[]): Float64Array {
  const rests = new Float64Array(slots.length + 1);
  for (let i = slots.length - 1; i >= 0; i--) rests[i] = rests[i + 1] + slots[i].maxScore;
  return rests;
}

/** Start of the first window from `base` on in which an essential list has a document; windows lie on a grid. */
function nextWindow(slots: ScanSlot[], essential: number, base: number): number {
  let first = Number.POSITIVE_INFINITY;
  for (let s = 0; s < essential; s++) {
    for (const list of slots[s].lists) {
      list.cursor = seek(list.docs, list.cursor, list.end, base);
      if (list.cursor < list.end) first = Math.min(first, list.docs[list.cursor]);
    }
  }
  return first === Number.POSITIVE_INFINITY ? first : first - (first % windowSize);
}
