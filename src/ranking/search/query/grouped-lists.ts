/**
 * Lists of hits by the values of the grouped fields, in the order of their best items.
 *
 * An item with several values is in the list of each; items without a value of some field share the
 * list `other`.
 */
import type { Catalog } from '../../catalog/catalog.ts';
import type { Value } from '../../catalog/typed-columns.ts';
import type { DistinctHits, NextOf } from './distinct-hits.ts';
import type { FieldLists, Narrowing } from './field-lists.ts';
import { browse, type Hit, type HitFinder, type HitRequest, mostHits } from './hits.ts';
import { both, type ItemFilter, type ItemTests } from './item-tests.ts';
import type { ResultList } from './search-request.ts';

export type GroupValue = { field: string; value: Value };

/** Lists that one item may be in; further combinations of its values are left out. */
const mostGroupsOfItem = 64;

function combinations(catalog: Catalog, fields: readonly string[], itemIndex: number): GroupValue[][] {
  let combined: GroupValue[][] = [[]];
  for (const field of fields) {
    const values = catalog.column(field)?.valuesAt(itemIndex) ?? [];
    combined = combined.flatMap((before) => values.map((value) => [...before, { field, value }]));
    if (combined.length > mostGroupsOfItem) combined = combined.slice(0, mostGroupsOfItem);
  }
  return combined.length > 0 ? combined : [[]];
}

function groupName(values: readonly GroupValue[]): string {
  if (values.length === 0) return 'other';
  return values.map(({ field, value }) => `${field}: ${value}`).join(', ');
}

/** Returns the first `listCount` lists. @param hits ranked, best first */
function groupHits(
  catalog: Catalog,
  fields: readonly string[],
  hits: readonly Hit[],
  listCount: number,
): ResultList[] {
  const groups = new Map<string, ResultList>();
  for (const hit of hits) {
    for (const values of combinations(catalog, fields, hit.itemIndex)) {
      const key = [values.length, ...values.map(({ value }) => value)].join('\u0000');
      const group = groups.get(key);
      if (group) group.items.push(hit);
      else if (groups.size < listCount) groups.set(key, { values, name: groupName(values), items: [hit] });
    }
  }
  return [...groups.values()];
}

/** Returns a test for the very values of a group, not ones below them. */
function groupMatcher(
  catalog: Catalog,
  fields: readonly string[],
  group: ResultList,
): (itemIndex: number) => boolean {
  const { values } = group;
  const isGroup = (other: readonly GroupValue[]): boolean =>
    other.length === values.length && other.every(({ value }, field) => value === values[field].value);
  const stands = (itemIndex: number): boolean => combinations(catalog, fields, itemIndex).some(isGroup);
  const first = group.items[0].itemIndex;
  // A column's own test is many times faster, but it also accepts values below (paths), and some
  // kinds cannot test equality.
  const columnTests = values
    .map(({ field, value }) => catalog.column(field)!.matcher({ oneOf: [value] }))
    .filter((test) => test(first));
  return (itemIndex) => columnTests.every((test) => test(itemIndex)) && stands(itemIndex);
}

export type GroupedRequest = {
  fields: readonly string[];
  /** Whether the query is empty, so that popular items come first. */
  isBrowse: boolean;
  listSize: number;
  listCount: number;
  /** Hits over all groups that usually are enough. */
  usualHits: number;
  /** Returns the request for all groups with another limit. */
  request(limit: number): HitRequest;
  find(limit: number): { hits: Hit[]; isComplete: boolean };
  nextInGroup?: NextOf;
};

export type GroupedListsOptions = {
  catalog: Catalog;
  finder: HitFinder;
  tests: ItemTests;
  fieldLists: FieldLists;
  distinct: DistinctHits;
};

const spareGroupHits = 30;

/** Identifies a group. */
const keyOf = (fields: readonly string[], { values }: ResultList): string =>
  JSON.stringify([fields, values, 'group']);

const groupPoolOf = (listSize: number): number => listSize * 2 + spareGroupHits;

export function createGroupedLists({ catalog, finder, tests, fieldLists, distinct }: GroupedListsOptions) {
  const narrowingOf = ({ values }: ResultList): Narrowing =>
    fieldLists.narrowingOf(
      values.map(({ field, value }) => ({ field, values: [value] })),
      true,
    );

  const amongOf = (fields: readonly string[], group: ResultList): ItemFilter => {
    const key = keyOf(fields, group);
    const admits = tests.get(key, () => groupMatcher(catalog, fields, group));
    return { admits, known: { key, version: catalog.changes.position } };
  };

  /** Fills lists that the common limit has cut short, each with the hits of its group alone. */
  const refill = (
    { fields, isBrowse, listSize, request, nextInGroup }: GroupedRequest,
    groups: readonly ResultList[],
  ): Hit[][] => {
    const limit = groupPoolOf(listSize);
    const common = request(limit);
    const find = isBrowse ? (alone: HitRequest) => browse(catalog, alone) : finder.find;
    return groups.map((group) => {
      const alone = { ...common, narrowing: narrowingOf(group) };
      const among = both(amongOf(fields, group), common.among);
      const found = (most: number, isNew: ItemFilter) => find({ ...alone, limit: most, among: isNew });
      return distinct.find({ limit, wanted: listSize, among, nextInGroup, find: found }).hits;
    });
  };

  return (request: GroupedRequest): ResultList[] => {
    const { fields, listSize, listCount, usualHits, find, nextInGroup } = request;
    const firstOf = (hits: readonly Hit[]) => distinct.firstOf(hits, nextInGroup);
    let found = find(usualHits);
    let groups = groupHits(catalog, fields, found.hits, listCount);
    if (groups.length < listCount && !found.isComplete) {
      found = find(mostHits);
      groups = groupHits(catalog, fields, found.hits, listCount);
    }
    const short = found.isComplete ? [] : groups.filter(({ items }) => firstOf(items).length < listSize);
    refill(request, short).forEach((hits, i) => {
      short[i].items = hits;
    });
    return groups.map((group) => ({ ...group, items: firstOf(group.items).slice(0, listSize) }));
  };
}
