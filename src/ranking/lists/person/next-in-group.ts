/**
 * Which item stands for a group that has an order: the one after the last that the person consumed, or, behind the last of the
 * group, the first that they may still have. Who has not begun gets the first.
 */

import type { Catalog } from '../../catalog/catalog.ts';

/** By code of an ordered group: what the person consumed last of it, and when. */
export type Reached = Map<number, { itemIndex: number; atSeconds: number }>;

/** Takes note of a consumed item of an ordered group. */
export function noteReached(
  reached: Reached,
  { groups }: Catalog,
  itemIndex: number,
  atSeconds: number,
): void {
  if (!groups.isOrdered(itemIndex)) return;
  const code = groups.of(itemIndex);
  const known = reached.get(code);
  if (known === undefined || known.atSeconds < atSeconds) reached.set(code, { itemIndex, atSeconds });
}

export type NextInGroup = {
  /** The item itself unless its group is ordered; undefined when none of the group may come. */
  of(itemIndex: number): number | undefined;
};

export type NextInGroupOptions = {
  catalog: Catalog;
  reached: Reached;
  /** Whether an item may be shown to the person. */
  mayCome(itemIndex: number): boolean;
};

/** Good for one request. */
export function createNextInGroup({ catalog, reached, mayCome }: NextInGroupOptions): NextInGroup {
  const { groups } = catalog;
  const nextByCode = new Map<number, number | undefined>();

  const find = (code: number): number | undefined => {
    const members = groups.membersOf(code);
    const last = reached.get(code);
    const begin = last === undefined ? 0 : members.indexOf(last.itemIndex) + 1;
    for (let place = begin; place < members.length; place++)
      if (mayCome(members[place])) return members[place];
    for (let place = 0; place < begin; place++) if (mayCome(members[place])) return members[place];
    return undefined;
  };

  return {
    of(itemIndex) {
      if (!groups.isOrdered(itemIndex)) return itemIndex;
      const code = groups.of(itemIndex);
      if (!nextByCode.has(code)) nextByCode.set(code, find(code));
      return nextByCode.get(code);
    },
  };
}
