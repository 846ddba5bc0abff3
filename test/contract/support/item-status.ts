/** Fields of an item that only gRPC callers see. */

import { fromJson } from '@bufbuild/protobuf';
import { createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import type { Item } from '../../../gen/es/personalisation/v1/item_pb.js';
import { GetItemRequestSchema, ItemService } from '../../../gen/es/personalisation/v1/item_service_pb.js';
import type { TestService } from '../../support/service.ts';
import { type ItemAddress, getItem as operationOf } from './spelled-operations.ts';

export async function getItem(
  { baseUrl, authorization }: TestService,
  address: ItemAddress,
): Promise<Pick<Item, 'enabled' | 'revision'>> {
  const transport = createConnectTransport({ baseUrl: new URL(baseUrl).origin, httpVersion: '1.1' });
  const client = createClient(ItemService, transport);
  const { item } = await client.getItem(fromJson(GetItemRequestSchema, operationOf(address).message), {
    headers: { authorization },
  });
  return item!;
}
