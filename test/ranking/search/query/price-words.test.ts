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
  'windows 10 to 11',
  'tide pod 50',
  'kinder ab 3 jahren',
  'tv under 50 inch',
  'until dawn 2',
  'max 50',
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

/** The words between the bounds, for a lower bound of 20 and an upper one of 50. */
const spoken: Record<string, string> = {
  '..50': [
    'under 50, below 50 dollars, less than £50, maximum 50 €, not more than 50 euro, under US$50, under ₹50',
    'nicht über 50 euro, hoechstens 50 euro, maximal 50 €, guenstiger als 50 euro',
    'onder de 50 euro, goedkoper dan 50 euro, hoogstens 50 euro, tot €50, maximaal 50 euro',
    "jusqu'à 50 €, en dessous de 50 €, pas plus de 50 €, moins cher que 50 €, sous 50 €",
    'hasta 50 euros, por debajo de 50 €, máximo 50 €, inferior a 50 €, no más de 50 €',
    'sotto i 50 euro, sotto 50 euro, fino a 50 €, massimo 50 euro',
    'billigare än 50 kr, upp till 50 kronor, högst 50 kr, max 50:-, højst 50 kr, maks 50 kroner, enintään 50 €',
    'do 50 złotych, poniżej 50 zł, до 50 рублей, дешевле 50 ₽, pod 50 Kč, até R$ 50, abaixo de 50 €',
  ].join(', '),
  '20..': [
    'over 20 €, at least 20 €, min 20 €, 20 € and up, mindestens 20 €, meer dan 20 euro, minstens 20 euro',
    'à partir de 20 €, au dessus de 20 €, más de 20 €, mas de 20 €, superior a 20 €, oltre 20 euro',
    'minst 20 kr, mer än 20 kr, mindst 20 kr, yli 20 €, vähintään 20 €, powyżej 20 zł, acima de 20 €, от 20 руб',
  ].join(', '),
  '20..50': [
    '€20-€50, $20 to $50, between €20 and €50, 20€-50€, zwischen 20 und 50, van 20 tot 50 euro',
    'entre 20 € et 50 €, de 20 a 50 euros, tra 20 e 50 euro, mellan 20 och 50 kr, od 20 do 50 zł, от 20 до 50 рублей',
  ].join(', '),
};

for (const [range, phrases] of Object.entries(spoken))
  for (const phrase of phrases.split(', '))
    test(`"thing ${phrase}" costs ${range}`, (t) => {
      const { minimum, maximum, text } = readPrice(`thing ${phrase}`)!;
      t.is(`${minimum ?? ''}..${maximum === undefined ? '' : Math.round(maximum)}`, range);
      t.is(text, phrase);
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
