/** Pins and hides of configurations of lists: pages, explanations, and refused documents. */

import { createClient } from '@connectrpc/connect';
import test from 'ava';
import { RecommendationService } from '../../gen/es/personalisation/v1/recommendation_service_pb.js';
import { createAdminTransport } from '../support/admin-transport.ts';
import { createJsonClient } from '../support/json-client.ts';
import { testedService } from './support/tested-service.ts';

const service = testedService(`
environments:
  - name: shop
    item_types: [ { name: product, properties: [ { name: brand, type: string } ] } ]
`);
const http = createJsonClient(service);

test.before(async () => {
  for (let i = 0; i < 12; i++)
    await http.put(`/shop/items/product/p${i}`, { item_id: `p${i}`, brand: i % 2 ? 'Odd' : 'Even' });
  await http.post('/shop/items/product/p3/disable', undefined);
});

test.serial('pins and hides hold on every page and are explained', async (t) => {
  const { status } = await http.put('/configurations/home', {
    constraints: [{ query: { key: 'brand', match: 'Odd' }, limit: { max: 1 } }],
    pins: [
      { item_id: 'p9', rank: 1 },
      { item_id: 'p11', rank: 2 },
      { item_id: 'p3', rank: 3 },
      { item_id: 'p8', rank: 4 },
    ],
    hides: [{ item_id: 'p2' }],
  });
  t.is(status, 200);
  const rpc = createClient(RecommendationService, createAdminTransport(service));
  const { recommendations, explanations } = await rpc.createRecommendations({
    environment: 'shop',
    request: {
      deviceId: 'd',
      pageType: 'home',
      lists: [{ configurationId: 'home', listName: 'l', listSize: 6, limit: 3 }],
    },
    explain: true,
    whyNot: ['p2', 'p3', 'p11'].map((itemId) => ({ itemId })),
  });
  const [{ listKey, items }] = recommendations!.lists;
  const next = await http.get<{ lists: { items: { item_id: string }[] }[] }>(
    `/shop/recommendations/lists?list_key=${encodeURIComponent(listKey)}&offset=4&limit=3`,
  );
  const ids = [
    ...items.map(({ itemId }) => itemId),
    ...next.body.lists[0].items.map(({ item_id }) => item_id),
  ];
  t.is(ids.length, new Set(ids).size);
  t.is(ids[0], 'p9');
  t.is(ids[3], 'p8');
  t.false(ids.some((id) => ['p2', 'p3', 'p11'].includes(id)));
  const [{ items: explained, whyNot, rules }] = explanations;
  t.deepEqual(
    explained.filter(({ source }) => source === 'pinned').map(({ rank, step }) => [rank, step]),
    [
      [1, 'pinned'],
      [4, 'pinned'],
    ],
  );
  t.is(rules[0].usedCount, 1, 'a pin counts towards quotas');
  t.deepEqual(
    whyNot.map(({ reason }) => reason),
    ['hidden', 'disabled', 'rule'],
  );
});

for (const [title, document, pointer] of [
  [
    'two pins with one rank',
    {
      pins: [
        { item_id: 'a', rank: 1 },
        { item_id: 'b', rank: 1 },
      ],
    },
    '/pins/1/rank',
  ],
  ['a hidden pin', { pins: [{ item_id: 'a', rank: 1 }], hides: [{ item_id: 'a' }] }, '/pins/0/item_id'],
  ['a rank of 101', { pins: [{ item_id: 'a', rank: 101 }] }, '/pins/0/rank'],
  ['pins of lists beside searches', { pins: [{ item_id: 'a', rank: 1 }], search: {} }, '/pins'],
  ['hides of lists beside searches', { hides: [{ item_id: 'a' }], search: {} }, '/hides'],
] as const)
  test.serial(`refuses ${title}`, async (t) => {
    const { status, pointers } = await http.put('/configurations/refused', document);
    t.is(status, 400);
    t.deepEqual(pointers, [pointer]);
  });
