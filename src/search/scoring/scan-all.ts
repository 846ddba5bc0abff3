/**
 * Finds the best documents that have all words of a query.
 *
 * The rarest word is read and the others are looked up, the next rarest first; so common words cost nothing but look-ups. Once
 * the best are known, a document is looked up only while its own impact leaves a chance.
 *
 *   key = 2^24 [all words in the title] or 2^23, + BM25F score in 1/1024 (below 2^22)
 */
import type { Segment } from '../index/segment.ts';
import { impactMask } from '../index/weights.ts';
import { restsOf, rewind, type ScanSlot, seek } from './posting-list.ts';
import type { Top } from './top.ts';

/** Keys of documents with all words begin here, with all in the title at `titleKey`. */
export const allWordsKey = 2 ** 23;
export const titleKey = 2 ** 24;

/** Payloads are 16 bits; -1 says that no list of the slot has the document. */
const absent = -1;

export type Admits = (itemIndex: number) => boolean;

/** Whether one of the first `count` lists has the document; documents must be asked for in ascending order. */
function isInEarlier({ lists }: ScanSlot, count: number, doc: number): boolean {
  for (let l = 0; l < count; l++) {
    const list = lists[l];
    list.cursor = seek(list.docs, list.cursor, list.end, doc);
    if (list.cursor < list.end && list.docs[list.cursor] === doc) return true;
  }
  return false;
}

/** Reads one list of the rarest slot; returns with the new number of documents in `kept`. */
function readLead(
  segment: Segment,
  slots: readonly ScanSlot[],
  leadList: number,
  rests: Float64Array,
  top: Top,
  admits: Admits,
  kept: number[],
): void {
  const { alive, itemOf } = segment;
  const [lead] = slots;
  const { docs, payloads, start, end, scale } = lead.lists[leadList];
  const slotCount = slots.length;
  let least = top.threshold;
  for (let at = start; at < end; at++) {
    const payload = payloads[at];
    let score = ((payload & impactMask) * scale + 1) | 0;
    let titles = payload >>> 15;
    let base = titles === 1 ? titleKey : allWordsKey;
    if (base + score + rests[1] < least) continue;
    const doc = docs[at];
    if (leadList > 0 && isInEarlier(lead, leadList, doc)) continue;
    let s = 1;
    for (; s < slotCount; s++) {
      const { lists } = slots[s];
      let found = absent;
      for (let l = 0; l < lists.length && found === absent; l++) {
        const list = lists[l];
        const place = seek(list.docs, list.cursor, list.end, doc);
        list.cursor = place;
        if (place >= list.end || list.docs[place] !== doc) continue;
        found = list.payloads[place];
        score += ((found & impactMask) * list.scale + 1) | 0;
      }
      if (found === absent) break;
      titles += found >>> 15;
      if (titles <= s) base = allWordsKey;
      if (base + score + rests[s + 1] < least) break;
    }
    if (s < slotCount) continue;
    const item = itemOf[doc];
    if (base + score < least || alive[doc] === 0 || !admits(item)) continue;
    kept.push(doc);
    top.offer(item, base + score);
    least = top.threshold;
  }
}

/**
 * Offers the segment's documents that have a list of every slot.
 *
 * @returns the documents that were offered, ascending; all that there are, when `top` has room left
 */
export function scanAllWords(
  segment: Segment,
  slots: readonly ScanSlot[],
  top: Top,
  admits: Admits,
): number[] {
  const kept: number[] = [];
  const byRarity = [...slots].sort((a, b) => a.postingCount - b.postingCount);
  const rests = restsOf(byRarity);
  const leadLists = byRarity[0].lists.length;
  for (let l = 0; l < leadLists; l++) {
    rewind(byRarity);
    readLead(segment, byRarity, l, rests, top, admits, kept);
  }
  if (leadLists > 1) kept.sort((a, b) => a - b);
  return kept;
}
