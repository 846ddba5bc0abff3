/**
 * Items that are one thing to people: the variants of a product, the episodes of a series.
 *
 * A group is the items with one `group_id`, whatever their types. Where their types declare an order its members stand in
 * that order, so that the next episode is found by looking at the group alone. While no item has a group nothing is held.
 */
import type { Column, ValueKey } from './typed-columns.ts';

export type ItemGroups = {
  /** 0 while no item has a group. */
  readonly count: number;
  /** Codes are below it. */
  readonly codeLimit: number;
  /** The item's group by a code that is good until the catalogue's next write; -1 for an item that stands for itself. */
  of(itemIndex: number): number;
  /** In order where the group is ordered, else in no particular one. */
  membersOf(code: number): readonly number[];
  /** Items of the item's group that pass a test; undefined for an item without a group. */
  countOf(itemIndex: number, passes: (member: number) => boolean): number | undefined;
  /** Whether the item's type declares an order, and the item has a group. */
  isOrdered(itemIndex: number): boolean;
};

export type GroupsOptions = {
  /** Of the key `group_id`. */
  column: Column;
  typeOf(itemIndex: number): string;
  /** By item type: what orders its items, the first telling most. */
  orders: ReadonlyMap<string, readonly ((itemIndex: number) => number)[]>;
};

export type WritableGroups = ItemGroups & {
  /** Runs a write of the item, and takes note of its group before and after it. */
  follow(itemIndex: number, write: () => void): void;
};

export function createGroups({ column, typeOf, orders }: GroupsOptions): WritableGroups {
  const membersByCode: number[][] = [];
  /** Groups whose members may be out of order. */
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

  /** An item without a value comes last; equal ones stand as they came. */
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
