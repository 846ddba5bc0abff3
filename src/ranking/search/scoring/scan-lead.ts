/**
 * Scans one list of documents and looks up the words of a query for each.
 *
 * The list is that of the rarest word (the lead), with few and mostly the best documents, or
 * that of a narrow filter. Once good hits are known, a document is looked up only while the scores
 * that are left can still bring it among them.
 */
import type { Segment } from '../index/segment.ts';
import { impactMask, leastTellingImpact } from '../index/weights.ts';
import {
  type PostingDocs,
  restsOf,
  rewind,
  rewindSlots,
  type ScanList,
  type ScanSlot,
  seek,
} from './postings.ts';
import type { Offers } from './top.ts';

/**
 * Keys of documents with all words start here, with all words in the title at `titleKey`; a score
 * is below 2^22.
 */
export const allWordsKey = 2 ** 23;
export const titleKey = 2 ** 24;

export type LookUpScan = {
  segment: Segment;
  slots: readonly ScanSlot[];
  /** Whether these are all words of the query, so that a document can have all of them. */
  isWhole: boolean;
  top: Offers;
  admits: (itemIndex: number) => boolean;
};

/** Whether one of the lists has the document. Must be called with ascending documents. */
function isAmong(lists: readonly PostingDocs[], doc: number): boolean {
  for (let l = 0; l < lists.length; l++) {
    const list = lists[l];
    list.cursor = seek(list.docs, list.cursor, list.end, doc);
    if (list.cursor < list.end && list.docs[list.cursor] === doc) return true;
  }
  return false;
}

/**
 * Offers the documents of a list that are not among `known`. @param lead the list itself, when it
 * is one of the first slot
 */
function scanList(
  { segment, slots, isWhole, top, admits }: LookUpScan,
  { docs, start, end }: PostingDocs,
  known: readonly PostingDocs[],
  lead?: ScanList,
): void {
  const { alive, itemOf } = segment;
  const rests = restsOf(slots);
  const slotCount = slots.length;
  const { payloads, scale } = lead ?? { payloads: undefined, scale: 0 };
  let least = top.threshold;
  for (let at = start; at < end; at++) {
    let sum = 0;
    let whole = isWhole ? titleKey : 0;
    let isTelling = false;
    let s = 0;
    if (payloads !== undefined) {
      const impact = payloads[at] & impactMask;
      sum = (impact * scale + 1) | 0;
      isTelling = impact >= leastTellingImpact;
      if (isWhole && payloads[at] >>> 15 === 0) whole = allWordsKey;
      s = 1;
      if (whole + sum + rests[1] < least) continue;
    }
    const doc = docs[at];
    if (known.length > 0 && isAmong(known, doc)) continue;
    for (; s < slotCount && whole + sum + rests[s] >= least; s++) {
      const { lists } = slots[s];
      let isFound = false;
      for (let l = 0; l < lists.length && !isFound; l++) {
        const list = lists[l];
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
    top.offer(itemOf[doc], whole + sum);
    least = top.threshold;
  }
}

/** Offers the documents of the first slot that are not among `known`. */
export function scanLead(scan: LookUpScan, known: readonly PostingDocs[]): void {
  const { lists } = scan.slots[0];
  for (const [l, lead] of lists.entries()) {
    rewindSlots(scan.slots);
    rewind(known);
    scanList(scan, lead, [...known, ...lists.slice(0, l)], lead);
  }
}

/** Offers documents of lists that hold everything that is admitted. @param scan with the rarest slot first */
export function scanListed(scan: LookUpScan, lists: readonly PostingDocs[]): void {
  for (const [l, list] of lists.entries()) {
    rewindSlots(scan.slots);
    rewind(lists);
    scanList(scan, list, lists.slice(0, l));
  }
}

/**
 * Whether looking up all words for each listed document takes less time than reading the words. An
 * entry costs about as much as a look-up: where few documents are admitted, nearly all that is read
 * is offered in vain.
 */
export function isNarrow(slots: readonly ScanSlot[], lists: readonly PostingDocs[]): boolean {
  const listed = lists.reduce((sum, { start, end }) => sum + end - start, 0);
  const entries = slots.reduce((sum, { postingCount }) => sum + postingCount, 0);
  return listed * slots.length <= entries;
}
