/**
 * All items that a query finds, for counts and orders that are about every one of them: those with all of its words, or,
 * where there are none, those with some. The best hits of a list are chosen without it.
 */
import type { Catalog } from '../../catalog/catalog.ts';
import { grown } from '../../catalog/growth.ts';
import type { TextIndex } from '../index/index.ts';
import type { Segment } from '../index/segment.ts';
import { postingsOf } from '../scoring/postings-of.ts';
import type { Slot } from '../slot.ts';

export type FoundSet = {
  /** The first `count` are the positions of the items. */
  items: Int32Array;
  count: number;
};

export type FoundSetRequest = {
  /** Whether nothing was typed: then all items are found. */
  isBrowse: boolean;
  slots: readonly Slot[];
  admits: (itemIndex: number) => boolean;
};

export type FoundSets = { find(request: FoundSetRequest): FoundSet };

/** What it answers is good until its next answer. */
export function createFoundSets({ index, catalog }: { index: TextIndex; catalog: Catalog }): FoundSets {
  let items = new Int32Array(0);
  let marks = new Int32Array(0);
  let count = 0;

  /** Notes by document how many of the first slots it has. */
  const mark = (segment: Segment, slots: readonly Slot[], isAny: boolean): void => {
    marks = grown(marks, segment.docCount, 0);
    marks.fill(0, 0, segment.docCount);
    for (let s = 0; s < slots.length; s++) {
      const before = isAny ? 0 : s;
      for (const alternative of slots[s].alternatives) {
        const range = postingsOf(index, segment, alternative);
        if (!range) continue;
        const { docs, start, end } = range;
        for (let at = start; at < end; at++) if (marks[docs[at]] === before) marks[docs[at]] = before + 1;
      }
    }
  };

  const collect = ({ slots, admits }: FoundSetRequest, isAny: boolean): void => {
    const wanted = isAny ? 1 : slots.length;
    for (const segment of index.segments) {
      mark(segment, slots, isAny);
      const { alive, itemOf, docCount } = segment;
      for (let doc = 0; doc < docCount; doc++)
        if (marks[doc] === wanted && alive[doc] === 1 && admits(itemOf[doc])) items[count++] = itemOf[doc];
    }
  };

  return {
    find(request) {
      count = 0;
      items = grown(items, catalog.itemCount, 0);
      if (request.isBrowse) {
        for (let itemIndex = 0; itemIndex < catalog.itemCount; itemIndex++)
          if (request.admits(itemIndex)) items[count++] = itemIndex;
      } else if (request.slots.length > 0) {
        collect(request, false);
        if (count === 0 && request.slots.length > 1) collect(request, true);
      }
      return { items, count };
    },
  };
}
