/**
 * All items that a query finds, for facets and sorting: those with all of its words; if there are
 * none, those with some; for a query without words those with that title. Ranked hits do not need
 * it.
 */
import type { Catalog } from '../../catalog/catalog.ts';
import { grown } from '../../catalog/growth.ts';
import type { Column } from '../../catalog/typed-columns.ts';
import { primaryLanguage } from '../analysis/analyser.ts';
import { foldTitle } from '../analysis/fold.ts';
import type { TextIndex } from '../index/index.ts';
import type { Segment } from '../index/segment.ts';
import { type PostingDocs, postingsOf } from '../scoring/postings.ts';
import { createTop } from '../scoring/top.ts';
import type { Slot } from '../slot.ts';
import type { AdmittedItems, ShowableItems } from './item-tests.ts';

export type FoundSet = {
  /** Positions of the items; only the first `count` are valid. */
  readonly items: Int32Array;
  readonly count: number;
  /** All items that can be shown; these are some of them, or all. */
  readonly among: ShowableItems;
};

export type FoundSetRequest = {
  /** Whether the query is empty, so that all items are found. */
  isBrowse: boolean;
  query: string;
  slots: readonly Slot[];
  admitted: AdmittedItems;
};

/** Creates a finder; its result is valid until its next call. */
export function createFoundSets({ index, catalog }: { index: TextIndex; catalog: Catalog }) {
  let items = new Int32Array(0);
  let marks = new Uint8Array(0);
  let count = 0;

  /** Notes by document how many of the first slots it has. */
  const mark = (segment: Segment, slots: readonly Slot[], isAny: boolean): void => {
    if (marks.length < segment.docCount) marks = new Uint8Array(segment.docCount * 2);
    marks.fill(0, 0, segment.docCount);
    for (let s = 0; s < slots.length; s++) {
      const before = isAny ? 0 : s;
      for (const alternative of slots[s].alternatives) {
        const range = postingsOf(index, segment, alternative);
        if (range) raise(marks, range, before);
      }
    }
  };

  const collect = ({ slots, admitted: { bytes } }: FoundSetRequest, isAny: boolean): void => {
    const wanted = isAny ? 1 : slots.length;
    for (const segment of index.segments) {
      mark(segment, slots, isAny);
      count = gather({ segment, marks, wanted, bytes }, items, count);
    }
  };

  /** Finds titles of signs alone, such as `!!!`. */
  const collectTitled = ({ query, admitted: { bytes } }: FoundSetRequest): void => {
    const title = foldTitle(query);
    for (const itemIndex of index.titles.find(title))
      if (bytes[itemIndex] === 1 && foldTitle(catalog.titleAt(itemIndex) ?? '') === title)
        items[count++] = itemIndex;
    items.subarray(0, count).sort();
  };

  const collectAll = (bytes: Uint8Array): void => {
    for (let itemIndex = 0; itemIndex < catalog.itemCount; itemIndex++) {
      items[count] = itemIndex;
      count += bytes[itemIndex];
    }
  };

  return {
    find(request: FoundSetRequest): FoundSet {
      count = 0;
      items = grown(items, catalog.itemCount + 1, 0);
      if (request.isBrowse) collectAll(request.admitted.bytes);
      else if (request.slots.length > 0) {
        collect(request, false);
        if (count === 0 && request.slots.length > 1) collect(request, true);
      } else collectTitled(request);
      return { items, count, among: request.admitted.showable };
    },
  };
}

function raise(marks: Uint8Array, { docs, start, end }: Omit<PostingDocs, 'cursor'>, before: number): void {
  for (let at = start; at < end; at++) if (marks[docs[at]] === before) marks[docs[at]] = before + 1;
}

type Marked = { segment: Segment; marks: Uint8Array; wanted: number; bytes: Uint8Array };

/** Appends the living, admitted items with `wanted` marks; returns the new count. */
function gather({ segment, marks, wanted, bytes }: Marked, items: Int32Array, count: number): number {
  const { alive, itemOf, docCount } = segment;
  let end = count;
  for (let doc = 0; doc < docCount; doc++) {
    if (marks[doc] !== wanted || alive[doc] !== 1) continue;
    const itemIndex = itemOf[doc];
    items[end] = itemIndex;
    end += bytes[itemIndex];
  }
  return end;
}

/** Positions of items; only the first `count` are valid. */
type ItemSet = Pick<FoundSet, 'items' | 'count'>;

export type ItemOrder = {
  key: string;
  descending: boolean /** BCP 47; orders texts [en]. */;
  language?: string;
};

/** Returns the item with the highest key of each group, and the items without a group. */
export function bestOfGroups(
  { groups, comesBefore }: Catalog,
  set: ItemSet,
  keyOf: (itemIndex: number) => number,
): ItemSet {
  if (groups.count === 0) return set;
  const { items, count } = set;
  const kept = new Int32Array(count);
  const places = new Int32Array(groups.codeLimit);
  let keptCount = 0;
  const isBetter = (one: number, other: number): boolean => {
    const difference = keyOf(one) - keyOf(other);
    return difference > 0 || (difference === 0 && comesBefore(one, other));
  };
  for (let i = 0; i < count; i++) {
    const group = groups.of(items[i]);
    const place = group < 0 ? 0 : places[group];
    if (place === 0) {
      kept[keptCount++] = items[i];
      if (group >= 0) places[group] = keptCount;
    } else if (isBetter(items[i], kept[place - 1])) kept[place - 1] = items[i];
  }
  return { items: kept, count: keptCount };
}

/** Returns the first `end` items, one of each group; items without a value come last in either direction. */
export function sortedItems(catalog: Catalog, set: FoundSet, order: ItemOrder, end: number): Int32Array {
  const column = catalog.column(order.key);
  const rankAt = column ? rankOf(column, set, order.language) : () => Number.NaN;
  const sign = order.descending ? 1 : -1;
  const keyOf = (itemIndex: number): number => {
    const rank = rankAt(itemIndex);
    return Number.isNaN(rank) ? -Number.MAX_VALUE : rank * sign;
  };
  return bestItems(catalog, bestOfGroups(catalog, set, keyOf), end, keyOf);
}

/** Returns the first `end` items, highest keys first. */
export function bestItems(
  { comesBefore }: Pick<Catalog, 'comesBefore'>,
  { items, count }: ItemSet,
  end: number,
  keyOf: (itemIndex: number) => number,
): Int32Array {
  const size = Math.min(end, count);
  const top = createTop(size, comesBefore);
  top.begin(size);
  for (let i = 0; i < count; i++) top.offer(items[i], keyOf(items[i]));
  top.finish();
  return top.items.subarray(0, top.size);
}

/** Returns a number that orders items as the first value of the column does, texts as the language does. */
function rankOf(column: Column, { items, count }: FoundSet, language = 'en'): (itemIndex: number) => number {
  if (column.numberAt) return column.numberAt;
  const firstAt = (itemIndex: number) => column.valuesAt(itemIndex)[0];
  const texts = new Set<string>();
  for (let i = 0; i < count; i++) {
    const value = firstAt(items[i]);
    if (value !== undefined) texts.add(String(value));
  }
  const { compare } = new Intl.Collator(primaryLanguage(language));
  const ranks = new Map([...texts].sort(compare).map((text, rank) => [text, rank]));
  return (itemIndex) => ranks.get(String(firstAt(itemIndex))) ?? Number.NaN;
}
