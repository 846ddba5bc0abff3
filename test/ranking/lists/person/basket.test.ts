import test from 'ava';
import { createCatalog } from '../../../../src/ranking/catalog/catalog.ts';
import { basketOf } from '../../../../src/ranking/lists/person/basket.ts';

const catalog = createCatalog({ properties: [], itemTypes: ['product'] });
for (const itemId of ['a', 'b', 'c'])
  catalog.apply({ itemType: 'product', itemId, document: {}, enabled: true, revision: 1 });

const nowSeconds = 100 * 86_400;
for (const itemId of ['tee-s', 'tee-m'])
  catalog.apply({
    ...{ itemType: 'product', itemId, document: { group_id: 'tee' } },
    ...{ enabled: true, revision: 1 },
  });
const about = { catalog, nowSeconds };
const did = (eventType: string, itemId: string, secondsAgo: number) => ({
  eventType,
  itemType: 'product',
  itemId,
  occurredAtSeconds: nowSeconds - secondsAgo,
});

test('the cart has the items added last that were neither removed nor bought since', (t) => {
  const entries = [
    did('add_to_cart', 'a', 500),
    did('purchase', 'a', 400),
    did('add_to_cart', 'b', 300),
    did('remove_from_cart', 'b', 200),
    did('add_to_cart', 'b', 100),
    did('add_to_cart', 'c', 40 * 86_400),
    did('detail_pageview', 'a', 1),
  ];
  t.deepEqual(basketOf(entries, [], about), [1]);
  t.deepEqual(basketOf([did('purchase', 'a', 9), did('add_to_cart', 'a', 9)], [], about), []);
});

test('an item added to the cart before it was in the catalogue leaves the cart normally', (t) => {
  const untyped = { ...did('add_to_cart', 'a', 500), itemType: '' };
  t.deepEqual(basketOf([untyped], [], about), [0]);
  t.deepEqual(basketOf([untyped, did('purchase', 'a', 400)], [], about), []);
  t.deepEqual(basketOf([untyped, did('remove_from_cart', 'a', 400)], [], about), []);
});

test('the histories of the request are the basket if the catalogue has any of their items', (t) => {
  const entries = [did('add_to_cart', 'a', 1)];
  const named = (id: string) => ({ id, reconsumable: false });
  t.deepEqual(basketOf(entries, [[named('c'), named('b'), named('c')]], about), [2, 1]);
  t.deepEqual(basketOf(entries, [[named('unknown')]], about), [0]);
});

test('buying a variant removes the others from the cart', (t) => {
  const cart = [did('add_to_cart', 'tee-s', 500), did('add_to_cart', 'a', 500)];
  t.deepEqual(basketOf([...cart, did('purchase', 'tee-m', 400)], [], about), [0]);
  t.deepEqual(basketOf([...cart, did('purchase', 'tee-m', 600)], [], about), [3, 0]);
});
