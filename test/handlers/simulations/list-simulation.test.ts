/** Simulations of drafts on recorded requests, in this process. */

import test from 'ava';
import { simulate } from '../../../src/handlers/simulations/list-simulation.ts';
import { createShop, ingredientsOf, nowSeconds } from '../../ranking/lists/small-shop.ts';

test('a request with an undeclared version and group is simulated without them', async (t) => {
  const documents = ['a', 'b'].map((item_id) => ({ item_id }));
  const shop = await createShop({ documents, events: [] });
  const { request, active, history } = ingredientsOf(shop, {});
  const { changedListCount, before, after } = await simulate({
    environment: shop,
    requests: [request, { ...request, version: 'gone' }, { ...request, userGroup: 'gone' }],
    draft: { ...active[0], configurationId: 'any' },
    findConfiguration: () => active[0],
    readHistory: async () => ({ ...history!, version: '' }),
    shareKeys: [],
    nowMs: nowSeconds * 1_000,
  });
  t.is(changedListCount, 0);
  for (const side of [before, after]) t.like(side, { fillRate: 0.2, failedListCount: 0 });
});
