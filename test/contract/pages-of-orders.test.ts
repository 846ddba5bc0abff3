import test from 'ava';
import { createJsonClient } from '../support/json-client.ts';
import { testedService } from './support/tested-service.ts';

const service = testedService();
const http = createJsonClient(service);

/** The first request of the service, so that no scores of another one are at hand. */
test('a page of rows that are ordered for nobody needs no scores of an earlier request', async (t) => {
  await http.put('/configurations/any', {});
  for (const id of ['a', 'b', 'c']) await http.put(`/shop/items/article/${id}`, { title: id });
  const order = (name: string) => ({
    list_name: name,
    configuration_id: 'any',
    order: name,
    minimum_items: 1,
  });
  const request = { device_id: 'd', page_type: 'home', rows: [order('newest'), order('trending')] };
  const { status, body } = await http.post<{ rows: unknown[] }>('/shop/pages/requests', request);
  t.is(status, 200, JSON.stringify(body));
  t.true(body.rows.length > 0);
});
