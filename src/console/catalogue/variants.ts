/** Items of a group as one entry of the list, which unfolds. */

import { useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import type { Item } from '../../../gen/es/personalisation/v1/item_pb.js';
import { readCondition } from '../grammar/document.ts';
import { itemKey } from '../kit/item-names.ts';
import { useConsole } from '../service/console-context.ts';
import { type Filters, readAll, readConditions, writeConditions } from './queries.ts';

export type Entry = {
  item: Item;
  /** Found items of its group, itself included, if there are several. */
  variants?: { count: number; isOpen: boolean; toggle(): void };
  /** Whether it belongs to the opened group above. */
  isVariant?: boolean;
};

const ofGroup = (filters: Filters, match: string): Filters => ({
  ...filters,
  where: writeConditions([...readConditions(filters.where), readCondition({ key: 'group_id', match })]),
});

/** The loaded items as entries; an opened group has all items of the filters, loaded or not. */
export function useEntries(items: readonly Item[], filters: Filters, isTogether: boolean): Entry[] {
  const context = useConsole();
  const [open, setOpen] = useState<string[]>([]);
  const members = useQueries({
    queries: open.map((id) => ({
      queryKey: ['variants', context.environment.name, filters, id],
      queryFn: () => readAll(context, ofGroup(filters, id)),
    })),
  });
  if (!isTogether) return items.map((item) => ({ item }));
  const groups = Map.groupBy(items, (item) => item.groupId || itemKey(item));
  return [...groups].flatMap(([id, loaded]): Entry[] => {
    const [item] = loaded;
    const place = open.indexOf(id);
    const found = members[place]?.data ?? loaded;
    if (found.length === 1 && place < 0) return [{ item }];
    const toggle = () => setOpen(place < 0 ? [...open, id] : open.toSpliced(place, 1));
    const others = found.filter((other) => itemKey(other) !== itemKey(item));
    const head = { item, variants: { count: found.length, isOpen: place >= 0, toggle } };
    return [head, ...(place < 0 ? [] : others.map((other) => ({ item: other, isVariant: true })))];
  });
}
