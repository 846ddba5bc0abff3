/** Prices in words: what they filter, and what they leave as words. */
import test from 'ava';
import { readPrice } from '../../../../src/ranking/search/query/price-words.ts';
import { createWorld } from '../support/world.ts';

const rows: [query: string, minimum: number | undefined, maximum: number | undefined, text: string][] = [
  ['headphones under 50', undefined, 50, 'under 50'],
  ['headphones under $50', undefined, 50, 'under $50'],
  ['jacke unter 50 euro rot', undefined, 50, 'unter 50 euro'],
  ['jacke bis 49,90 €', undefined, 49.9, 'bis 49,90 €'],
  ['jacke 20-40 €', 20, 40, '20-40 €'],
  ['jacke zwischen 20 und 40', 20, 40, 'zwischen 20 und 40'],
  ['tv over 500 dollars', 500, undefined, 'over 500 dollars'],
  ['schoenen onder 80', undefined, 80, 'onder 80'],
  ['tv under $1,000', undefined, 1_000, 'under $1,000'],
  ['tv unter 1.299,50 €', undefined, 1_299.5, 'unter 1.299,50 €'],
  ['tv 1 000 - 1 500 €', 1_000, 1_500, '1 000 - 1 500 €'],
  ['laptop under $500 512 gb', undefined, 500, 'under $500'],
  ['laptop unter €1 500', undefined, 1_500, 'unter €1 500'],
  ['tv < 500', undefined, 500, '< 500'],
  ['tv >= 500 €', 500, undefined, '>= 500 €'],
];
const words = [
  'under armour 50',
  'desk under 50 cm',
  'vitamins over 50',
  'iphone 15',
  'six feet under',
  'under 50',
  'lego 3-5 years',
];

for (const [query, minimum, maximum, text] of rows)
  test(`"${query}" has a price`, (t) => {
    const price = readPrice(query)!;
    t.is(price.text, text);
    t.is(price.minimum, minimum);
    t.true(maximum === undefined ? price.maximum === undefined : Math.abs(price.maximum! - maximum) < 1e-6);
  });

for (const query of words)
  test(`"${query}" has words alone`, (t) => {
    t.is(readPrice(query), undefined);
  });

const world = createWorld([
  { id: 'cheap', title: 'Headphones in-ear', price: 30 },
  { id: 'dear', title: 'Headphones over-ear', price: 80 },
  { id: 'socks', title: 'Socks 50', price: 5 },
]);

test('the words filter, are reported, and can be words again', (t) => {
  const priced = { q: 'hedphones under 50', nowMs: 0, listSize: 9, priceField: 'price' };
  const found = world.search.search(priced);
  t.deepEqual(found.interpreted, { field: 'price', maximum: 50, text: 'under 50' });
  t.is(found.correctedQuery, 'headphones under 50');
  t.deepEqual(world.find(priced.q, priced), ['cheap']);
  t.is(world.find('headphones under 50', { priceField: undefined }).length, 3);
});

test('a price that nothing has is left out', (t) => {
  const request = { q: 'headphones under 20', nowMs: 0, listSize: 9, priceField: 'price' };
  t.is(world.search.search(request).interpreted, undefined);
  t.deepEqual(world.find(request.q, request).toSorted(), ['cheap', 'dear']);
});
