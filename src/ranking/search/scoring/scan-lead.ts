/**
 * Finds the best documents of one word of a query, the lead, by looking up the other words for each of its documents.
 *
 * Good for rare words, whose documents are few and mostly the best; common words then cost nothing but look-ups. Once the best
 * are known, a document is looked up only while its own impact leaves a chance.
 */
import type { Segment } from '../index/segment.ts';
import { impactMask, leastTellingImpact } from '../index/weights.ts';
import { type PostingDocs, restsOf, rewind, type ScanSlot, seek } from './postings.ts';
import type { Offers } from './top.ts';

/** Keys of documents with all words begin here, with all in the title at `titleKey`; a score alone lies below 2^22. */
export const allWordsKey = 2 ** 23;
export const titleKey = 2 ** 24;

export type Admits = (itemIndex: number) => boolean;

export type LeadScan = {
  segment: Segment;
  /** The lead, then those that are looked up. */
  slots: readonly ScanSlot[];
  /** Whether these are all words of the query, so that a document may have all of them. */
  isWhole: boolean;
  /** Documents that were looked at before. */
  known: readonly PostingDocs[];
  top: Offers;
  admits: Admits;
};

/** Whether one of the lists has the document; documents must be asked for in ascending order. */
export function isAmong(lists: readonly PostingDocs[], doc: number): boolean {
  for (let l = 0; l < lists.length; l++) {
    const list = lists[l];
    list.cursor = seek(list.docs, list.cursor, list.end, doc);
    if (list.cursor < list.end && list.docs[list.cursor] === doc) return true;
  }
  return false;
}

/** Reads one list of the lead. One function, as the loop is where the time of most queries goes. */
function readList(
  { segment, slots, isWhole, known, top, admits }: LeadScan,
  lead: number,
  rests: Float64Array,
): void {
  const { alive, itemOf } = segment;
  const { docs, payloads, start, end, scale } = slots[0].lists[lead];
  const before = [...known, ...slots[0].lists.slice(0, lead)];
  const slotCount = slots.length;
  let least = top.threshold;
  for (let at = start; at < end; at++) {
    const payload = payloads[at];
    let sum = ((payload & impactMask) * scale + 1) | 0;
    let titles = payload >>> 15;
    let isTelling = (payload & impactMask) >= leastTellingImpact;
    let whole = !isWhole ? 0 : titles === 1 ? titleKey : allWordsKey;
    if (whole + sum + rests[1] < least) continue;
    const doc = docs[at];
    if (before.length > 0 && isAmong(before, doc)) continue;
    let s = 1;
    for (; s < slotCount && whole + sum + rests[s] >= least; s++) {
      const { lists } = slots[s];
      let isFound = false;
      for (let l = 0; l < lists.length && !isFound; l++) {
        const list = lists[l];
        const place = seek(list.docs, list.cursor, list.end, doc);
        list.cursor = place;
        if (place >= list.end || list.docs[place] !== doc) continue;
        isFound = true;
        const other = list.payloads[place];
        isTelling ||= (other & impactMask) >= leastTellingImpact;
        sum += ((other & impactMask) * list.scale + 1) | 0;
        titles += other >>> 15;
      }
      if (!isFound) whole = 0;
      else if (whole === titleKey && titles <= s) whole = allWordsKey;
    }
    if (!isTelling) whole = 0;
    if (s < slotCount || whole + sum < least || alive[doc] === 0 || !admits(itemOf[doc])) continue;
    top.offer(itemOf[doc], whole + sum);
    least = top.threshold;
  }
}

/** Offers the documents of the lead. */
export function scanLead(scan: LeadScan): void {
  const { slots, known } = scan;
  const rests = restsOf(slots);
  for (let lead = 0; lead < slots[0].lists.length; lead++) {
    rewind(slots);
    for (const list of known) list.cursor = list.start;
    readList(scan, lead, rests);
  }
}

export type ListedScan = {
  segment: Segment;
  /** The rarest first. */
  slots: readonly ScanSlot[];
  /** Whether these are all words of the query. */
  isWhole: boolean;
  lists: readonly PostingDocs[];
  top: Offers;
  admits: Admits;
};

/**
 * Whether looking all words up for each listed document takes less time than reading the words. An entry costs about as much as
 * a look-up here: when few documents are admitted, nearly all that is read is offered, and in vain.
 */
export function isNarrow(slots: readonly ScanSlot[], lists: readonly PostingDocs[]): boolean {
  const listed = lists.reduce((sum, { start, end }) => sum + end - start, 0);
  const entries = slots.reduce((sum, { postingCount }) => sum + postingCount, 0);
  return listed * slots.length <= entries;
}

function readListed({ segment, slots, isWhole, lists, top, admits }: ListedScan, listIndex: number): void {
  const { alive, itemOf } = segment;
  const { docs, start, end } = lists[listIndex];
  const before = lists.slice(0, listIndex);
  const rests = restsOf(slots);
  const slotCount = slots.length;
  let least = top.threshold;
  for (let at = start; at < end; at++) {
    const doc = docs[at];
    let sum = 0;
    let whole = isWhole ? titleKey : 0;
    let isTelling = false;
    let s = 0;
    for (; s < slotCount && whole + sum + rests[s] >= least; s++) {
      const slotLists = slots[s].lists;
      let isFound = false;
      for (let l = 0; l < slotLists.length && !isFound; l++) {
        const list = slotLists[l];
        const place = seek(list.docs, list.cursor, list.end, doc);
        list.cursor = place;
        if (place >= list.end || list.docs[place] !== doc) continue;
        isFound = true;
        const payload = list.payloads[place];
        const impact = payload & impactMask;
        isTelling ||= impact >= leastTellingImpact;
        sum += (impact * list.scale + 1) | 0;
        if (payload >>> 15 === 0 && whole === titleKey) whole = allWordsKey;
      }
      if (!isFound) whole = 0;
    }
    if (!isTelling) whole = 0;
    if (s < slotCount || sum === 0 || whole + sum < least || alive[doc] === 0 || !admits(itemOf[doc]))
      continue;
    if (before.length > 0 && isAmong(before, doc)) continue;
    top.offer(itemOf[doc], whole + sum);
    least = top.threshold;
  }
}

export function scanListed(scan: ListedScan): void {
  for (let i = 0; i < scan.lists.length; i++) {
    rewind(scan.slots);
    for (const list of scan.lists) list.cursor = list.start;
    readListed(scan, i);
  }
}
