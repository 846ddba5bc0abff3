/** Counts by value of what is shown as one: a group counts once for each value that any of its found items has. */
import type { ItemGroups } from '../../catalog/groups.ts';
import type { FoundSet } from './found-set.ts';

/** Found items, those of one group side by side. */
export type GroupedSet = {
  items: Int32Array;
  /** By place: another number for each group, and for each item without one. */
  numbers: Int32Array;
};

export function groupSet(
  groups: ItemGroups,
  { items, count }: Pick<FoundSet, 'items' | 'count'>,
): GroupedSet {
  const starts = new Int32Array(groups.codeLimit + 1);
  let alone = 0;
  for (let i = 0; i < count; i++) {
    const group = groups.of(items[i]);
    if (group < 0) alone += 1;
    else starts[group + 1] += 1;
  }
  starts[0] = alone;
  for (let group = 0; group < groups.codeLimit; group++) starts[group + 1] += starts[group];
  const placed: GroupedSet = { items: new Int32Array(count), numbers: new Int32Array(count) };
  let place = 0;
  for (let i = 0; i < count; i++) {
    const group = groups.of(items[i]);
    const at = group < 0 ? place++ : starts[group]++;
    placed.items[at] = items[i];
    placed.numbers[at] = group < 0 ? at : count + group;
  }
  return placed;
}

export type Coding = {
  /** Codes are below it. */
  readonly codeLimit: number;
  /** Writes the codes of an item's values, of paths also those above, and returns how many there are; some may repeat. */
  codesAt(itemIndex: number, codes: number[]): number;
};

/** By code: how many groups, and items without one, have the value. */
export function countGroups({ items, numbers }: GroupedSet, { codeLimit, codesAt }: Coding): Int32Array {
  const counts = new Int32Array(codeLimit);
  const stamps = new Int32Array(codeLimit).fill(-1);
  const codes: number[] = [];
  for (let i = 0; i < items.length; i++) {
    for (let k = codesAt(items[i], codes) - 1; k >= 0; k--) {
      const code = codes[k];
      if (stamps[code] === numbers[i]) continue;
      stamps[code] = numbers[i];
      counts[code] += 1;
    }
  }
  return counts;
}
