/**
 * Groups of items that belong together, such as the variants of a product or the episodes of a
 * series.
 *
 * A group consists of the items with the same `group_id`, of any type. Members whose types declare
 * an order are sorted by it, so that the next episode is found in the group alone. Without groups,
 * no memory is used.
 */
import type { Column, ValueKey } from './typed-columns.ts';

export type ItemGroups = {
  /** 0 while no item has a group. */
  readonly count: number;
  /** All codes are below this number. */
  readonly codeLimit: number;
  /** Returns the code of the item's group until the next write; -1 without a group. */
  of(itemIndex: number): number;
  /** Returns the members of a group, sorted if their types declare an order. */
  membersOf(code: number): readonly number[];
  /** Counts the members of the item's group that pass a test; undefined without a group. */
  countOf(itemIndex: number, passes: (member: number) => boolean): number | undefined;
  /** Tells whether the item has a group and its type declares an order. */
  isOrdered(itemIndex: number): boolean;
};

type GroupsOptions = {
  /** The column of `group_id`. */
  column: Column;
  typeOf(itemIndex: number): string;
  /** By item type: the sort keys of its items, the most significant first. */
  orders: ReadonlyMap<string, readonly ((itemIndex: number) => number)[]>;
};

export type WritableGroups = ItemGroups & {
  /** Runs a write of the item and updates its group. */
  follow(itemIndex: number, write: () => void): void;
};

export function createGroups({ column, typeOf, orders }: GroupsOptions): WritableGroups {
  const membersByCode: number[][] = [];
  /** Groups with members that may be out of order. */
  const unsorted = new Set<number>();
  const keys: ValueKey[] = [];
  let count = 0;

  const codeAt = (itemIndex: number): number =>
    column.valueKeysAt(itemIndex, keys) > 0 ? (keys[0] as number) : -1;

  const leave = (itemIndex: number, code: number): void => {
    const members = membersByCode[code];
    members.splice(members.indexOf(itemIndex), 1);
    if (members.length === 0) count -= 1;
  };

  const enter = (itemIndex: number, code: number): void => {
    membersByCode[code] ??= [];
    if (membersByCode[code].push(itemIndex) === 1) count += 1;
  };

  /** Sorts items without a value last, and equal ones by index. */
  const compare = (a: number, b: number): number => {
    const ofA = orders.get(typeOf(a)) ?? [];
    const ofB = orders.get(typeOf(b)) ?? [];
    for (let place = 0; place < Math.max(ofA.length, ofB.length); place++) {
      const first = ofA[place]?.(a) ?? Number.NaN;
      const second = ofB[place]?.(b) ?? Number.NaN;
      if (first === second || (Number.isNaN(first) && Number.isNaN(second))) continue;
      return Number.isNaN(first) ? 1 : Number.isNaN(second) ? -1 : first - second;
    }
    return a - b;
  };

  return {
    get count() {
      return count;
    },
    get codeLimit() {
      return membersByCode.length;
    },
    of: (itemIndex) => (count === 0 ? -1 : codeAt(itemIndex)),
    membersOf(code) {
      if (unsorted.delete(code)) membersByCode[code].sort(compare);
      return membersByCode[code];
    },
    countOf(itemIndex, passes) {
      const code = count === 0 ? -1 : codeAt(itemIndex);
      if (code < 0) return undefined;
      let passing = 0;
      for (const member of membersByCode[code]) if (passes(member)) passing += 1;
      return passing;
    },
    isOrdered: (itemIndex) => count > 0 && orders.has(typeOf(itemIndex)) && codeAt(itemIndex) >= 0,
    follow(itemIndex, write) {
      const before = codeAt(itemIndex);
      write();
      const after = codeAt(itemIndex);
      if (before !== after && before >= 0) leave(itemIndex, before);
      if (before !== after && after >= 0) enter(itemIndex, after);
      if (after >= 0 && orders.size > 0) unsorted.add(after);
    },
  };
}
