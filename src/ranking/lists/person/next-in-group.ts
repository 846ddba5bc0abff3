/**
 * Selects the item to show for an ordered group: the one after the last consumed item or, after the
 * end, the first one still allowed. Subjects without consumption get the first.
 */

import type { Catalog } from '../../catalog/catalog.ts';

/** Last consumed item and its time, by code of an ordered group. */
export type Reached = Map<number, { itemIndex: number; atSeconds: number }>;

/** Records a consumed item of an ordered group. */
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
  /** Returns the item itself if its group is not ordered; undefined if no member is allowed. */
  of(itemIndex: number): number | undefined;
};

export type NextInGroupOptions = {
  catalog: Catalog;
  reached: Reached;
  /** Whether the subject may see an item. */
  mayCome(itemIndex: number): boolean;
};

/** Valid for one request. */
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
