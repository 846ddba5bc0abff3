/**
 * Selects the item to show for an ordered group: the unfinished item or the one after the last
 * consumed item, whichever event is later; after the end, the first one still allowed. Subjects
 * without consumption get the first.
 */

import type { Catalog } from '../../catalog/catalog.ts';

/** A consumed or unfinished item of an ordered group, and the time of the event. */
export type ReachedItem = { itemIndex: number; atSeconds: number; isUnfinished?: boolean };

/** The last item by code of its ordered group. */
export type Reached = Map<number, ReachedItem>;

/** Records a consumed or unfinished item of an ordered group. */
export function noteReached(reached: Reached, { groups }: Catalog, item: ReachedItem): void {
  if (!groups.isOrdered(item.itemIndex)) return;
  const code = groups.of(item.itemIndex);
  const known = reached.get(code);
  if (known === undefined || known.atSeconds < item.atSeconds) reached.set(code, item);
}

export type NextInGroup = {
  /** Returns the item itself if its group is not ordered; undefined if no member is allowed. */
  of(itemIndex: number): number | undefined;
  /** Returns the allowed item that follows in an ordered group; undefined after the end. */
  after(itemIndex: number): number | undefined;
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

  const findFrom = (members: readonly number[], begin: number) =>
    members.find((member, place) => place >= begin && mayCome(member));
  const find = (code: number): number | undefined => {
    const members = groups.membersOf(code);
    const last = reached.get(code);
    const begin = last === undefined ? 0 : members.indexOf(last.itemIndex) + (last.isUnfinished ? 0 : 1);
    return findFrom(members, begin) ?? members.find(mayCome);
  };

  return {
    after(itemIndex) {
      const members = groups.membersOf(groups.of(itemIndex));
      return findFrom(members, members.indexOf(itemIndex) + 1);
    },
    of(itemIndex) {
      if (!groups.isOrdered(itemIndex)) return itemIndex;
      const code = groups.of(itemIndex);
      if (!nextByCode.has(code)) nextByCode.set(code, find(code));
      return nextByCode.get(code);
    },
  };
}
