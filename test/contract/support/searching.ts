/** Searches over HTTP that must succeed. */

import type { JsonClient } from '../../support/json-client.ts';

export type Results = {
  request_id: string;
  auto_suggest?: string;
  lists: { list_key: string; items: { item_id: string }[] }[];
  redirect?: string;
  promoted_content?: object[];
  total_size?: number;
};

/**
 * Searches for a device with a page of 20; throws failures. @param given Further fields of the
 * request.
 */
export async function searchShop(http: JsonClient, q: string, given: object = {}): Promise<Results> {
  const body = { q, page_type: 'search', device_id: 'd', limit: 20, ...given };
  const answer = await http.post<Results>('/shop/searches/requests', body);
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return answer.body;
}

export const idsOf = ({ lists }: Results): string[] =>
  lists.flatMap(({ items }) => items.map(({ item_id }) => item_id));
