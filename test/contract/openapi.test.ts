/** The OpenAPI document describes answers beyond the limits of requests. */

import test from 'ava';
import { createJsonClient } from '../support/json-client.ts';
import { testedService } from './support/tested-service.ts';

const service = testedService();
const http = createJsonClient(service);

type Document = Record<string, unknown>;

type Operations = Record<string, Record<string, { operationId: string; security: object[] }>>;

test('operations without a token are marked, but not batches, which name people', async (t) => {
  const { body } = await http.get<{ paths: Operations }>('/openapi.json');
  const operations = Object.values(body.paths).flatMap((path) => Object.values(path));
  const needNone = operations.filter(({ security }) => security.some((way) => Object.keys(way).length === 0));
  t.deepEqual(needNone.map(({ operationId }) => operationId).sort(), [
    'createCompletions',
    'createPage',
    'createRecommendations',
    'createSearch',
    'getCompletions',
    'getListStatement',
    'getRecommendationList',
    'getSearchList',
  ]);
});

test('sent nulls are returned as documented', async (t) => {
  const item = {
    title: null,
    categories: null,
    images: [{ url: 'a', alt: null }],
    item_attributes: { a: null },
  };
  t.is((await http.put('/shop/items/product/nulls', item)).status, 200);
  const { body } = await http.get<Document>('/shop/items/product/nulls');
  t.like(body, { title: null, categories: null });

  const rule = { query: { key: 'title', match: null, contains: 'a' }, diversify: null, limit: null };
  const configuration = { constraints: [rule], preferences: null, freshness: null };
  t.is((await http.put('/configurations/nulls', configuration)).status, 200);
  const stored = await http.get<Document>('/configurations/nulls');
  t.like(stored.body, configuration);
});

test('titles longer than a query are found as documented', async (t) => {
  const title = `lantern ${'x'.repeat(2_000)}`;
  await http.put('/shop/items/product/long', { title, brand: 'b'.repeat(5_000) });
  const { body } = await http.post<{ lists: { items: Document[] }[] }>('/shop/searches/requests', {
    q: 'lantern',
    page_type: 'search',
    device_id: 'd',
  });
  t.is(body.lists[0].items[0].title, title);
});

test('more refused events than the limit of a list are reported as documented', async (t) => {
  const events = Array.from({ length: 1_500 }, () => ({ event_type: 'page_visit', device_id: 'd' }));
  const { body } = await http.post<{ refused: unknown[] }>('/shop/events?partial=true', { events });
  t.is(body.refused.length, 1_500);
});
