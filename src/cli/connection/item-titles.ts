/** What the catalogue says of a list's items, for people. */

import {
  type GetItemResponse,
  ItemServiceClient,
} from '../../../gen/grpc/personalisation/v1/item_service.ts';
import { ask, type Connection } from './connect.ts';

type Named = { item_id: string; item_type: string };

/**
 * Title and categories, in the order of the items; undefined for an item that the catalogue does not know. One by one: a list is
 * short, and an item that is gone must not spoil the others.
 */
export function findTitles(
  connection: Connection,
  environment: string,
  items: readonly Named[],
): Promise<(string | undefined)[]> {
  const service = connection.client(ItemServiceClient);
  return Promise.all(
    items.map(async ({ item_id, item_type }) => {
      if (item_type === '') return undefined;
      const { item } = await ask<GetItemResponse>((call, callback) =>
        service.getItem({ environment, item_type, item_id }, connection.metadata, call, callback),
      );
      return [item?.title, item?.categories.join(', ')].filter((part) => part).join(' · ');
    }),
  );
}
