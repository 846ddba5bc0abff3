import test from 'ava';
import type { ItemTypeSettings } from '../../../../src/deployment/deployment.ts';
import { createCatalog } from '../../../../src/ranking/catalog/catalog.ts';
import { createEmptyModels } from '../../../../src/ranking/environment/serving-models.ts';
import { describePerson } from '../../../../src/ranking/lists/person/person.ts';
import { findStandIns as findAll } from '../../../../src/ranking/lists/person/stand-ins.ts';

const nowSeconds = 1_000_000;
const catalog = createCatalog({ properties: [], itemTypes: ['article'] });
const stock = (itemId: string, document: Record<string, unknown>, enabled = true) =>
  catalog.apply({ itemType: 'article', itemId, document, enabled, revision: 1 });

stock('s0', { categories: ['sport'] });
stock('f1', { categories: ['sport/football'] });
stock('t2', { categories: ['travel'] });
stock('f3', { categories: ['sport/football'] }, false);
stock('f4', { categories: ['sport/football'] });
stock('f5', { categories: ['sport/football'], publication_datetime: '2999-01-01T00:00:00Z' });

const models = createEmptyModels();
const options = { catalog, models, nowSeconds };
const findStandIns = (name: string, about: Parameters<typeof findAll>[1]) =>
  findAll([name], about).get(name) ?? [];

test('before the first training, the newest items of a category and its descendants represent it', (t) => {
  t.deepEqual(findStandIns('sport', options), [4, 1, 0]);
  t.deepEqual(findStandIns('sport/football', options), [4, 1]);
  t.deepEqual(findStandIns('football', options), []);
});

test('after it, trending items come first, then newer ones', (t) => {
  const trained = { ...models, fallbackOrder: Int32Array.of(0, 2, 1, 3) };
  t.deepEqual(findStandIns('sport', { ...options, models: trained }), [0, 1, 4]);
});

test('a category adds interests that share its weight, and consumes no item', (t) => {
  const itemTypes = new Map([
    ['article', { name: 'article', consumedBy: new Set() } as unknown as ItemTypeSettings],
  ]);
  const about = { ...options, itemTypes };
  const history = [{ id: 'sport/football', itemType: 'category', reconsumable: false }];
  const { recents, consumed } = describePerson([], [history], about);
  t.deepEqual(
    recents.map(({ itemIndex, weight, contacts }) => [itemIndex, weight, contacts]),
    [
      [4, 1, 0],
      [1, 1, 0],
    ],
  );
  t.deepEqual(consumed, []);
  const unknown = [{ id: 'sport', itemType: 'article', reconsumable: false }];
  t.deepEqual(describePerson([], [unknown], about).recents, []);
});

test('so does a group of a stored event', (t) => {
  const entry = {
    eventType: 'group_pageview',
    itemType: 'group',
    itemId: 'travel',
    occurredAtSeconds: nowSeconds,
  };
  const { recents } = describePerson([entry], [], { ...options, itemTypes: new Map() });
  t.deepEqual(
    recents.map(({ itemIndex }) => itemIndex),
    [2],
  );
});

test('a group of items is treated like a category', (t) => {
  const series = createCatalog({ properties: [], itemTypes: ['article'] });
  for (const [itemId, group] of Object.entries({ a: 'dossier', b: undefined, c: 'dossier' }))
    series.apply({ itemType: 'article', itemId, document: { group_id: group }, enabled: true, revision: 1 });
  t.deepEqual(findStandIns('dossier', { ...options, catalog: series }), [2, 0]);
});

test('all names of a request are looked up in one pass, and unused names examine no item', (t) => {
  let examined = 0;
  const counting = {
    ...catalog,
    servable(itemIndex: number, nowMs: number) {
      examined += 1;
      return catalog.servable(itemIndex, nowMs);
    },
    get itemCount() {
      passes += 1;
      return catalog.itemCount;
    },
  };
  let passes = 0;
  const unknown = Array.from({ length: 5_000 }, (_, i) => `unknown-${i}`);
  t.is(findAll(unknown, { ...options, catalog: counting }).size, 0);
  t.deepEqual([passes, examined], [0, 0]);
  const names = [...unknown, 'sport', ' sport/football ', 'sport/football', 'travel'];
  const found = findAll(names, { ...options, catalog: counting });
  t.deepEqual(Object.fromEntries(found), {
    sport: [4, 1, 0],
    ' sport/football ': [4, 1],
    'sport/football': [4, 1],
    travel: [2],
  });
  t.is(passes, 1);
  t.true(examined <= catalog.itemCount);
});
