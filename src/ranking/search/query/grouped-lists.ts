/**
 * Hits into lists: one list per combination of the grouped fields' values, in the order of their best items.
 *
 * An item with several values stands in the list of each; items without a value of some field share the list `other`.
 */
import type { Catalog } from '../../catalog/catalog.ts';
import type { Value } from '../../catalog/typed-columns.ts';
import { browse } from './browse.ts';
import type { DistinctHits, NextOf } from './distinct-hits.ts';
import type { FieldLists, Narrowing } from './field-lists.ts';
import { type Hit, type HitFinder, type HitRequest, mostHits } from './hits.ts';
import { both, type ItemFilter, type ItemTests } from './item-tests.ts';
import type { ResultList } from './search-request.ts';

export type GroupValue = { field: string; value: Value };

export type Group = {
  /** Empty for the items that lack a value. */
  values: GroupValue[];
  /** Readable: `color: red, size: 42`. */
  name: string;
  hits: Hit[];
};

/** Lists that one item may stand in; further combinations of its values are left out. */
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

/**
 * The first `listCount` lists.
 *
 * @param hits ranked, best first
 */
export function groupHits(
  catalog: Catalog,
  fields: readonly string[],
  hits: readonly Hit[],
  listCount: number,
): Group[] {
  const columns = fields.map((field) => catalog.column(field));
  const groups: Group[] = [];
  const others = createBranch();
  const trunk = createBranch();
  /** Lists that the item stands in, or would if there was room for them. */
  let taken = 0;

  const stand = (branch: Branch, hit: Hit, values: readonly Value[]): void => {
    taken += 1;
    if (branch.group) branch.group.hits.push(hit);
    else if (groups.length < listCount) {
      const named = values.map((value, i) => ({ field: fields[i], value }));
      branch.group = { values: named, name: groupName(named), hits: [hit] };
      groups.push(branch.group);
    }
  };

  /** Goes on from a branch with each value of the next field. */
  const descend = (from: Branch, hit: Hit, values: readonly (readonly Value[])[], way: Value[]): void => {
    if (way.length === values.length) {
      stand(from, hit, way);
      return;
    }
    for (const value of values[way.length]) {
      if (taken === mostGroupsOfItem) return;
      way.push(value);
      descend(branchOf(from, value), hit, values, way);
      way.pop();
    }
  };

  for (const hit of hits) {
    const values = columns.map((column) => column?.valuesAt(hit.itemIndex) ?? []);
    taken = 0;
    if (values.some(({ length }) => length === 0)) stand(others, hit, []);
    else descend(trunk, hit, values, []);
  }
  return groups;
}

/** Of a tree of values, one field after the other; the lists are at its ends. */
type Branch = { next: Map<Value, Branch> | undefined; group: Group | undefined };

const createBranch = (): Branch => ({ next: undefined, group: undefined });

function branchOf(from: Branch, value: Value): Branch {
  from.next ??= new Map();
  let branch = from.next.get(value);
  if (branch === undefined) {
    branch = createBranch();
    from.next.set(value, branch);
  }
  return branch;
}

/** Whether an item stands in a group: has its very values, not ones below them. */
export function groupMatcher(
  catalog: Catalog,
  fields: readonly string[],
  group: Group,
): (itemIndex: number) => boolean {
  const { values } = group;
  const isGroup = (other: readonly GroupValue[]): boolean =>
    other.length === values.length && other.every(({ value }, field) => value === values[field].value);
  const stands = (itemIndex: number): boolean => combinations(catalog, fields, itemIndex).some(isGroup);
  const first = group.hits[0].itemIndex;
  // A column's own test is many times faster; it may say yes too often (paths), and cannot test some kinds for equality.
  const tests = values
    .map(({ field, value }) => catalog.column(field)!.matcher({ oneOf: [value] }))
    .filter((test) => test(first));
  return (itemIndex) => tests.every((test) => test(itemIndex)) && stands(itemIndex);
}

export type GroupedRequest = {
  fields: readonly string[];
  /** Without words, so that what is popular comes first. */
  isBrowse: boolean;
  listSize: number;
  listCount: number;
  /** Hits over all groups that are enough mostly. */
  usualHits: number;
  /** What is asked for of all groups, so many hits of it at most. */
  request(limit: number): HitRequest;
  find(limit: number): { hits: Hit[]; isComplete: boolean };
  nextInGroup?: NextOf;
};

export type GroupedLists = (asked: GroupedRequest) => ResultList[];

export type GroupedListsOptions = {
  catalog: Catalog;
  finder: HitFinder;
  answers: ItemTests;
  fieldLists: FieldLists;
  distinct: DistinctHits;
};

const spareGroupHits = 30;

/** Hits of each group alone: what is equal in tier and text is told apart, but nothing has to be left for further groups. */
const keyOf = (fields: readonly string[], { values }: Group): string =>
  JSON.stringify([fields, values, 'group']);

const groupPoolOf = (listSize: number): number => listSize * 2 + spareGroupHits;

export function createGroupedLists({
  catalog,
  finder,
  answers,
  fieldLists,
  distinct,
}: GroupedListsOptions): GroupedLists {
  const narrowingOf = ({ values }: Group): Narrowing =>
    fieldLists.narrowingOf(
      values.map(({ field, value }) => ({ field, values: [value] })),
      true,
    );

  const amongOf = (fields: readonly string[], group: Group): ItemFilter => {
    const key = keyOf(fields, group);
    const admits = answers.get(key, () => groupMatcher(catalog, fields, group));
    return { admits, known: { key, version: catalog.changes.position } };
  };

  /** The hits of lists that the common limit has cut short. */
  const refilled = (
    { fields, isBrowse, listSize, request }: GroupedRequest,
    groups: readonly Group[],
  ): Hit[][] => {
    const members = groups.map((group) => amongOf(fields, group));
    const filled = groups.map((): Hit[] => []);
    const common = request(groupPoolOf(listSize));
    const wide: number[] = [];
    for (const [i, ofGroup] of members.entries()) {
      const alone = { ...common, among: both(ofGroup, common.among), narrowing: narrowingOf(groups[i]) };
      if (isBrowse) filled[i] = browse({ catalog, ...alone }).hits;
      else if (finder.isNarrow(alone)) filled[i] = finder.find(alone).hits;
      else wide.push(i);
    }
    const wideOnes = wide.map((i) => members[i]);
    const found = wide.length === 0 ? [] : finder.findEach(common, wideOnes);
    for (const [i, group] of wide.entries()) filled[group] = found[i];
    return filled;
  };

  /** The same where items have groups, of which each list shows one item. */
  const refilledDistinct = (
    { fields, isBrowse, listSize, request, nextInGroup }: GroupedRequest,
    groups: readonly Group[],
  ): Hit[][] => {
    const limit = groupPoolOf(listSize);
    const common = request(limit);
    const find = isBrowse ? (alone: HitRequest) => browse({ catalog, ...alone }) : finder.find;
    return groups.map((group) => {
      const alone = { ...common, narrowing: narrowingOf(group) };
      const among = both(amongOf(fields, group), common.among);
      const found = (most: number, isNew: ItemFilter) => find({ ...alone, limit: most, among: isNew });
      return distinct.find({ limit, wanted: listSize, among, nextInGroup, find: found }).hits;
    });
  };

  return (asked) => {
    const { fields, listSize, listCount, usualHits, find, nextInGroup } = asked;
    const firstOf = (hits: readonly Hit[]) => distinct.firstOf(hits, nextInGroup);
    const refill = catalog.groups.count === 0 ? refilled : refilledDistinct;
    let found = find(usualHits);
    let groups = groupHits(catalog, fields, found.hits, listCount);
    if (groups.length < listCount && !found.isComplete) {
      found = find(mostHits);
      groups = groupHits(catalog, fields, found.hits, listCount);
    }
    const short = found.isComplete ? [] : groups.filter(({ hits }) => firstOf(hits).length < listSize);
    refill(asked, short).forEach((hits, i) => {
      short[i].hits = hits;
    });
    return groups.map(({ values, name, hits }) => ({
      values,
      name,
      items: firstOf(hits).slice(0, listSize),
    }));
  };
}
