/** Serving models that are older than the catalogue: every item still has a place. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import test from 'ava';
import { parseDeployment } from '../../../src/deployment/load-deployment.ts';
import { createCatalog } from '../../../src/ranking/catalog/catalog.ts';
import { createServingModels } from '../../../src/ranking/environment/serving-models.ts';
import { createStringTable } from '../../../src/ranking/models/arrays/string-table.ts';
import { packModels } from '../../../src/ranking/models/artefact.ts';
import { itemKey } from '../../../src/ranking/models/item-keys.ts';

const settings = parseDeployment(
  'environments: [ { name: shop, item_types: [ { name: article } ] } ]',
  'test.yaml',
).environments.get('shop')!;

function catalogOf(count: number) {
  const catalog = createCatalog({ properties: [], itemTypes: ['article'] });
  for (let i = 0; i < count; i++)
    catalog.apply({ itemType: 'article', itemId: `a${i}`, document: {}, enabled: true, revision: 1 });
  return catalog;
}

/** Models of the named items and a removed one, in this order. */
const modelsOf = (...ids: string[]) =>
  packModels({
    itemKeys: createStringTable(['gone', ...ids].map((id) => itemKey('article', id))),
    fallbackOrder: Int32Array.from({ length: ids.length + 1 }, (_, local) => local),
  });

test('items that are new to the models come first, newest first', async (t) => {
  const models = await createServingModels(modelsOf('a3', 'a1'), catalogOf(5), settings);
  t.deepEqual([...models.fallbackOrder], [4, 2, 0, 3, 1]);
  t.deepEqual([...models.fallbackPlaces], [2, 4, 1, 3, 0]);
});

test('an item that arrives during a change of models is placed or counted as new', async (t) => {
  const catalog = catalogOf(5);
  let isTaken = false;
  const taken = createServingModels(modelsOf('a3', 'a1'), catalog, settings).finally(() => {
    isTaken = true;
  });
  for (let i = 5; !isTaken; i++) {
    catalog.apply({ itemType: 'article', itemId: `a${i}`, document: {}, enabled: true, revision: 1 });
    await nextTurn();
  }
  const { mappedCount, fallbackOrder } = await taken;
  t.true(catalog.itemCount > 5);
  t.deepEqual(
    [...fallbackOrder].toSorted((a, b) => a - b),
    Array.from({ length: mappedCount }, (_, itemIndex) => itemIndex),
  );
});

test('models of an empty catalogue leave no item out', async (t) => {
  const models = await createServingModels(modelsOf(), catalogOf(3), settings);
  t.deepEqual([...models.fallbackOrder], [2, 1, 0]);
});
