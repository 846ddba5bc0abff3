/** A node that serves some of the deployment's environments: `serve --environments`. */

import test from 'ava';
import { createJsonClient } from '../support/json-client.ts';
import { startTestService } from '../support/service.ts';

test('a node answers for its own environments and refers others elsewhere', async (t) => {
  const service = await startTestService(t, undefined, { watch: { served: ['news'] } });
  const client = createJsonClient(service);
  t.is((await client.put('/news/items/article/a', { title: 'Flood' })).status, 200);
  const elsewhere = await client.put('/shop/items/product/chair', { title: 'Chair' });
  t.is(elsewhere.status, 503);
  t.is((await client.put('/nowhere/items/article/a', { title: 'Flood' })).status, 404);
  const rules = {
    configuration_id: 'branded',
    constraints: [],
    preferences: [{ brand: ['acme'], weight: 1 }],
  };
  const put = await client.put('/configurations/branded', rules);
  t.not(put.status, 503, 'configurations belong to the whole deployment');
  const { body } = await client.get<{ environments: { name: string }[] }>('/environments');
  t.deepEqual(
    body.environments.map(({ name }) => name),
    ['news'],
  );
});
