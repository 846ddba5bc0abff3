/** Items by name, for pages that have ids and want titles and pictures. */

import { useQuery } from '@connectrpc/connect-query';
import { keepPreviousData } from '@tanstack/react-query';
import { useMemo } from 'react';
import { CatalogueService } from '../../../gen/es/personalisation/v1/catalogue_service_pb.js';
import type { Item } from '../../../gen/es/personalisation/v1/item_pb.js';
import { useConsole } from '../service/console-context.ts';
import { itemKey } from './item-key.ts';

/** Items of one read. */
const mostItems = 500;

export type ItemLookup = (name: { itemType?: string; itemId: string }) => Item | undefined;

/** Without a type: the first item of that id. */
export function useItems(itemIds: readonly string[]): ItemLookup {
  const { environment, can } = useConsole();
  const wanted = useMemo(() => [...new Set(itemIds)].sort().slice(0, mostItems), [itemIds]);
  const { data } = useQuery(
    CatalogueService.method.listItems,
    {
      environment: environment.name,
      filter: [{ key: 'item_id', or: wanted.map((itemId) => ({ value: stringValue(itemId) })) }],
      pageSize: mostItems,
    },
    { enabled: wanted.length > 0 && can('items'), placeholderData: keepPreviousData },
  );
  return useMemo(() => {
    const items = new Map<string, Item>();
    for (const item of data?.items ?? []) {
      const { itemType = '', itemId = '' } = item;
      items.set(itemKey({ itemType, itemId }), item);
      if (!items.has(itemId)) items.set(itemId, item);
    }
    return ({ itemType, itemId }) => items.get(itemType ? itemKey({ itemType, itemId }) : itemId);
  }, [data]);
}

export const stringValue = (value: string) => ({ kind: { case: 'stringValue' as const, value } });
