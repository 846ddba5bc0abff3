import { useInfiniteQuery } from '@connectrpc/connect-query';
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { CatalogueService } from '../../../gen/es/personalisation/v1/catalogue_service_pb.js';
import { type Condition, type JsonObject, printCondition, readCondition } from '../grammar/document.ts';
import { toQuery } from '../grammar/message.ts';
import type { ItemName } from '../kit/item-key.ts';
import { stringValue } from '../kit/items.ts';
import { useRefresh } from '../kit/refresh.ts';
import { useConsole } from '../service/console-context.ts';

export type Filters = {
  text: string;
  type: string;
  status: string;
  missing: string;
  order: string;
  /** Conditions on any property, as JSON of the grammar. */
  where: string;
};

export function readConditions(where: string): Condition[] {
  try {
    const conditions: unknown = JSON.parse(where);
    return Array.isArray(conditions) ? conditions.map(readCondition) : [];
  } catch {
    return [];
  }
}

export const writeConditions = (conditions: readonly Condition[]): string =>
  conditions.length === 0 ? '' : JSON.stringify(conditions.map(printCondition));

/** One without a value holds for nothing yet. */
const saysSomething = ({ key, tests }: Condition): boolean =>
  key !== '' &&
  tests.length > 0 &&
  tests.every((test) => test.kind !== 'compare' || test.operands.length > 0);

const pageSize = 100;

/** Pages of items, fetched as one scrolls. */
export function useItemPages({ text, type, status, missing, order, where }: Filters) {
  const { environment } = useConsole();
  return useInfiniteQuery(
    CatalogueService.method.listItems,
    {
      environment: environment.name,
      text: text || undefined,
      filter: [
        ...(type ? [{ key: 'item_type', or: [{ value: stringValue(type) }] }] : []),
        ...readConditions(where).filter(saysSomething).map(toQuery),
      ],
      status: status || undefined,
      missing: missing ? [missing] : [],
      orderBy: order || undefined,
      pageSize,
      pageToken: '',
    },
    {
      pageParamKey: 'pageToken',
      getNextPageParam: ({ nextPageToken }) => nextPageToken || undefined,
      placeholderData: keepPreviousData,
    },
  );
}

const pathOf = (environment: string, { itemType, itemId }: ItemName): string =>
  `/${environment}/items/${encodeURIComponent(itemType)}/${encodeURIComponent(itemId)}`;

/** An item as it was sent. */
export function useItemDocument(name: ItemName) {
  const { connection, environment } = useConsole();
  return useQuery({
    queryKey: ['item', environment.name, name],
    queryFn: async () => {
      const { body, etag } = await connection.fetchJson(pathOf(environment.name, name));
      return { document: body as JsonObject, etag };
    },
  });
}

/** Stores a whole item; where the service told a version, only if it is still that one. */
export function useSaveItem(name: ItemName) {
  const { connection, environment } = useConsole();
  const refresh = useRefresh();
  return useMutation({
    mutationFn: ({ document, etag }: { document: JsonObject; etag?: number }) =>
      connection.fetchJson(pathOf(environment.name, name), {
        method: 'PUT',
        headers: {
          'content-type': 'application/json',
          ...(etag !== undefined && { 'if-match': `"${etag}"` }),
        },
        body: JSON.stringify(document),
      }),
    ...refresh,
  });
}
