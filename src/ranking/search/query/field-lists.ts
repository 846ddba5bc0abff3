/**
 * Documents of the packed segment by the values of a field. Searches with a narrow filter, or in
 * one group of many, read these lists instead of the postings of common words, in a fifth of the
 * time.
 *
 * The requests that use a field build its lists a slice at a time; until then they scan postings.
 * Items that changed since are in every list, and a list may hold items that lost the value, so
 * readers test the items too. When many have changed, the lists are built anew.
 */
import type { Catalog } from '../../catalog/catalog.ts';
import { grown } from '../../catalog/growth.ts';
import type { Column, Value, ValueKey } from '../../catalog/typed-columns.ts';
import type { TextIndex } from '../index/index.ts';
import type { Segment } from '../index/segment.ts';
import type { PostingDocs } from '../scoring/postings.ts';
import type { FieldFilter } from './item-tests.ts';

/**
 * Lists that together hold each admitted document of the segment; undefined where nothing narrows
 * the search.
 */
export type Narrowing = (segment: Segment) => readonly PostingDocs[] | undefined;

export type FieldLists = ReturnType<typeof createFieldLists>;

/** Documents read for one request: about 0.3 ms. */
const documentsPerRequest = 4_000;
/** Fields with lists; filters on further fields are tested item by item. */
const mostFields = 16;
/** With more lists of a field, or more changed items, reading them costs more than it saves. */
const mostLists = 50_000;
const mostChanged = 2_000;
const mostValues = 20;
/** Smaller segments are scanned. */
const leastDocuments = 4_096;

type List = { docs: Int32Array; length: number };

type Lists = {
  segment: Segment;
  byKey: Map<ValueKey, List>;
  /** Documents below it were read. */
  readUntil: number;
  /** Position in the catalogue's changes up to which they are in `changed`. */
  position: number;
  changed: Set<number>;
  /** Their documents in the segment, ascending. */
  changedDocs: Int32Array;
};

const postingsOf = (docs: Int32Array, end: number): PostingDocs => ({ docs, start: 0, end, cursor: 0 });

const sizeOf = (docs: readonly PostingDocs[]): number => docs.reduce((sum, { end }) => sum + end, 0);

/** Reads the next documents of the segment. */
function readSome(lists: Lists, column: Column): void {
  const { segment, byKey } = lists;
  const keys: ValueKey[] = [];
  const end = Math.min(segment.docCount, lists.readUntil + documentsPerRequest);
  for (let doc = lists.readUntil; doc < end; doc++) {
    const count = column.valueKeysAt(segment.itemOf[doc], keys);
    for (let i = 0; i < count; i++) {
      const list = byKey.get(keys[i]) ?? { docs: new Int32Array(4), length: 0 };
      if (list.length === 0) byKey.set(keys[i], list);
      list.docs = grown(list.docs, list.length + 1);
      list.docs[list.length++] = doc;
    }
  }
  lists.readUntil = end;
}

export function createFieldLists(catalog: Catalog, index: TextIndex) {
  const listsByField = new Map<string, Lists>();

  const begin = (segment: Segment): Lists => ({
    segment,
    byKey: new Map(),
    readUntil: 0,
    position: catalog.changes.position,
    changed: new Set(),
    changedDocs: new Int32Array(0),
  });

  /** Returns whether all changes could be noted. */
  const noteChanges = (lists: Lists): boolean => {
    if (lists.position === catalog.changes.position) return true;
    const followed = catalog.changes.visitSince(lists.position, (itemIndex) => lists.changed.add(itemIndex));
    if (!followed || lists.changed.size > mostChanged) return false;
    lists.position = catalog.changes.position;
    const places = [...lists.changed].map((itemIndex) => index.placeOf(itemIndex));
    const docs = places.flatMap((place) => (place?.segment === lists.segment ? [place.ordinal] : []));
    lists.changedDocs = Int32Array.from(docs).sort();
    return true;
  };

  /** Returns the finished lists of a field. */
  const listsOf = (field: string, column: Column): Lists | undefined => {
    const { settled: segment } = index;
    let lists = listsByField.get(field);
    if (!lists && listsByField.size >= mostFields) return undefined;
    if (lists?.segment !== segment || !noteChanges(lists)) lists = begin(segment);
    listsByField.set(field, lists);
    if (lists.readUntil === segment.docCount) return lists;
    if (lists.byKey.size <= mostLists) readSome(lists, column);
    return undefined;
  };

  const docsOf = ({ field, values, range }: FieldFilter, exact: boolean): PostingDocs[] | undefined => {
    const column = catalog.column(field);
    if (range || !column?.keyOf || (column.hasLevels && !exact) || values.length > mostValues)
      return undefined;
    const lists = listsOf(field, column);
    if (!lists) return undefined;
    const found = values.flatMap((value: Value) => {
      const key = column.keyOf!(value);
      const list = key === undefined ? undefined : lists.byKey.get(key);
      return list ? [postingsOf(list.docs, list.length)] : [];
    });
    return [...found, postingsOf(lists.changedDocs, lists.changedDocs.length)];
  };

  return {
    /** @param exact whether items must have the value itself, not one below it */
    narrowingOf(filters: readonly FieldFilter[], exact = false): Narrowing {
      const { settled: segment } = index;
      if (filters.length === 0 || segment.docCount < leastDocuments) return () => undefined;
      const narrowed = filters.map((filter) => docsOf(filter, exact)).filter((docs) => docs !== undefined);
      if (narrowed.length === 0) return () => undefined;
      const shortest = narrowed.reduce((a, b) => (sizeOf(b) < sizeOf(a) ? b : a));
      return (asked) => (asked === segment ? shortest : undefined);
    },
  };
}
