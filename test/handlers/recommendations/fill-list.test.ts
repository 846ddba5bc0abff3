/** Filling gaps of lists, within this process. */

import test from 'ava';
import type { ConfigurationReplica } from '../../../src/handlers/configurations/replica/configuration-replica.ts';
import type { FoundList, ListStore, StoredList } from '../../../src/handlers/lists/list-store.ts';
import { createFillList } from '../../../src/handlers/recommendations/fill-list.ts';
import { createListMaker } from '../../../src/ranking/lists/list-maker.ts';
import { createShop, ingredientsOf, nowSeconds, put } from '../../ranking/lists/small-shop.ts';

test('a list is filled even if the deployment no longer declares the version of its request', async (t) => {
  const documents = ['a', 'b', 'c'].map((item_id) => ({ item_id }));
  const shop = await createShop({ documents, events: [] });
  const { request, active, history } = ingredientsOf(shop, {});
  const list: StoredList = {
    ...{ kind: 'recommendations', configurationId: 'any', listName: 'picks', deviceId: 'd1' },
    ...{ requestId: '00000000-0000-4000-8000-000000000000', userGroup: 'recommender', version: 'gone' },
    items: [
      ['a', 'product'],
      ['b', 'product'],
    ],
    asked: { body: '{}', atMs: 0, isRobot: false },
  };
  put(shop, documents[0], false);
  const fillList = createFillList({
    environments: new Map([['shop', shop]]),
    configurations: { find: () => active[0] } as Partial<ConfigurationReplica> as ConfigurationReplica,
    listStore: {
      findRow: async (): Promise<FoundList> => ({ ...list, expiresAtMs: 0 }),
      fill: async (_environment, _row, { after }) => after,
    } as Partial<ListStore> as ListStore,
    readHistory: async () => ({ ...history!, version: '' }),
    makeLists: createListMaker(),
    clock: () => nowSeconds * 1_000,
  });
  const revive = () => ({ ...request, version: 'gone' });
  const filled = await fillList({ environment: 'shop', list, firstRank: 1, lastRank: 2, revive });
  t.deepEqual(filled.filled, [[0, 'c', 'product']]);
});
