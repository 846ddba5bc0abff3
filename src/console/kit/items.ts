/** Titles, pictures and prices of items by their ids. */

import { keepPreviousData } from '@tanstack/react-query';
import { useMemo } from 'react';
import { CatalogueService } from '../../../gen/es/personalisation/v1/catalogue_service_pb.js';
import type { Item } from '../../../gen/es/personalisation/v1/item_pb.js';
import { useConsole } from '../service/console-context.ts';
import { formatMoney } from './format.ts';
import { itemKey } from './item-names.ts';
import { useRead } from './queries.ts';

const mostItems = 500;

export type ItemLookup = (name: { itemType?: string; itemId: string }) => Item | undefined;

/** Looks items up by id; without a type, the lookup returns the first item with the id. */
export function useItems(itemIds: readonly string[]): ItemLookup {
  const { can } = useConsole();
  const wanted = useMemo(() => [...new Set(itemIds)].sort().slice(0, mostItems), [itemIds]);
  const { data } = useRead(
    CatalogueService.method.listItems,
    { filter: [isOneOf('item_id', wanted)], pageSize: mostItems },
    { enabled: wanted.length > 0 && can('items'), placeholderData: keepPreviousData },
  );
  return useMemo(() => {
    const items = new Map<string, Item>();
    for (const item of data?.items ?? []) {
      items.set(itemKey(item), item);
      if (!items.has(item.itemId ?? '')) items.set(item.itemId ?? '', item);
    }
    return ({ itemType, itemId }) => items.get(itemType ? itemKey({ itemType, itemId }) : itemId);
  }, [data]);
}

/** Filter of items by the values of a field. */
export const isOneOf = (key: string, values: readonly string[]) => ({
  key,
  or: values.map((value) => ({ value: { kind: { case: 'stringValue' as const, value } } })),
});

/** Formats an item's price; undefined for an item without one. */
export function usePrice(item: Item | undefined): string | undefined {
  const { environment } = useConsole();
  const price = item?.properties?.price;
  return typeof price === 'number' ? formatMoney(price, environment.currency) : undefined;
}
