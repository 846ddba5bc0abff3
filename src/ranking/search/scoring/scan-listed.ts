/** Finds the best among documents that are listed: those of a narrow filter, or of one group. */
import type { Segment } from '../index/segment.ts';
import { impactMask, leastTellingImpact } from '../index/weights.ts';
import { type PostingDocs, restsOf, rewind, type ScanSlot, seek } from './posting-list.ts';
import { type Admits, allWordsKey, isAmong, titleKey } from './scan-lead.ts';
import type { Offers } from './top.ts';

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
