/**
 * Hits into lists: one list per combination of the grouped fields' values, in the order of their best items.
 *
 * An item with several values stands in the list of each; items without a value of some field share the list `other`.
 */
import type { Catalog } from '../../catalog/catalog.ts';
import type { Value } from '../../catalog/typed-columns.ts';
import type { Hit } from './hits.ts';

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
