import { createClient } from '@connectrpc/connect';
import { useInfiniteQuery } from '@connectrpc/connect-query';
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { CatalogueService } from '../../../gen/es/personalisation/v1/catalogue_service_pb.js';
import { QuerySchema } from '../../../gen/es/personalisation/v1/configuration_pb.js';
import type { Item } from '../../../gen/es/personalisation/v1/item_pb.js';
import { decodeJson } from '../../formats/codec.ts';
import { type Condition, type JsonObject, printCondition, readCondition } from '../grammar/document.ts';
import type { ItemName } from '../kit/item-names.ts';
import { isOneOf } from '../kit/items.ts';
import { byPageToken, useRefresh } from '../kit/queries.ts';
import { type ConsoleContext, useConsole } from '../service/console-context.ts';

export type Filters = {
  text: string;
  type: string;
  status: string;
  missing: string;
  order: string;
  /** Conditions on properties, as JSON of the grammar. */
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

/** A condition without values does not filter yet. */
const isComplete = ({ key, tests }: Condition): boolean =>
  key !== '' &&
  tests.length > 0 &&
  tests.every((test) => test.kind !== 'compare' || test.operands.length > 0);

const toQuery = (condition: Condition) => decodeJson(QuerySchema, printCondition(condition)).message;

const pageSize = 100;

const requestOf = (environment: string, { text, type, status, missing, order, where }: Filters) => ({
  environment,
  query: text || undefined,
  filter: [
    ...(type ? [isOneOf('item_type', [type])] : []),
    ...readConditions(where).filter(isComplete).map(toQuery),
  ],
  status: status || undefined,
  missing: missing ? [missing] : [],
  orderBy: order || undefined,
});

/** Most items of a bulk change or an export. */
export const mostTogether = 10_000;

/** Reads all items of a filter, at most `mostTogether`. */
export async function readAll(
  { connection, environment }: Pick<ConsoleContext, 'connection' | 'environment'>,
  filters: Filters,
): Promise<Item[]> {
  const service = createClient(CatalogueService, connection.transport);
  const items: Item[] = [];
  let pageToken = '';
  do {
    const page = { ...requestOf(environment.name, filters), pageSize: 500, pageToken };
    const answer = await service.listItems(page);
    items.push(...answer.items);
    pageToken = answer.nextPageToken;
  } while (pageToken && items.length < mostTogether);
  return items.slice(0, mostTogether);
}

/** Pages of items, loaded while scrolling. */
export function useItemPages(filters: Filters) {
  const { environment } = useConsole();
  return useInfiniteQuery(
    CatalogueService.method.listItems,
    { ...requestOf(environment.name, filters), pageSize, pageToken: '' },
    { ...byPageToken, placeholderData: keepPreviousData },
  );
}

const pathOf = (environment: string, { itemType, itemId }: ItemName): string =>
  `/${environment}/items/${encodeURIComponent(itemType)}/${encodeURIComponent(itemId)}`;

/** An item's JSON as it was sent. */
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

/** Replaces an item; with an ETag, only if the stored version is still the same. */
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
