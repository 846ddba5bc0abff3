import test from 'ava';
import { createOrdersBuilder, orderSeconds } from '../../../src/ranking/models/orders.ts';

type Purchase = [person: string, item: number, atSeconds: number];

const purchases: Purchase[] = [
  ['anna', 1, 0],
  ['ben', 7, 5],
  ['anna', 2, 60],
  ['anna', 2, 90],
  ['anna', 3, 60 + orderSeconds * 2],
  ['ben', 8, 10],
  ['ben', 9, 10 + orderSeconds],
];

function ordersOf(events: readonly Purchase[], mostPurchases?: number) {
  const builder = createOrdersBuilder(mostPurchases);
  for (const [person, item, atSeconds] of events) builder.add(person, item, atSeconds);
  const orders = builder.finish();
  if (!orders) return undefined;
  const { offsets, item } = orders;
  const all = Array.from({ length: offsets.length - 1 }, (_, i) => [
    ...item.slice(offsets[i], offsets[i + 1]),
  ]);
  return all.sort((a, b) => a[0] - b[0]);
}

test('an order is the purchases of a subject without a long pause, each item once', (t) => {
  t.deepEqual(ordersOf(purchases), [
    [1, 2],
    [7, 8, 9],
  ]);
});

test('the orders do not depend on the order of arrival of purchases', (t) => {
  t.deepEqual(ordersOf(purchases.toReversed()), ordersOf(purchases));
});

test('a single purchase is no order', (t) => {
  t.is(ordersOf(purchases.filter(([person]) => person === 'nobody')), undefined);
  t.is(ordersOf([['anna', 1, 0]]), undefined);
});

test('the newest purchases count within the limit', (t) => {
  t.deepEqual(
    ordersOf(
      [
        ['anna', 1, 0],
        ['anna', 2, 1],
        ['ben', 3, 2],
        ['ben', 4, 3],
      ],
      2,
    ),
    [[3, 4]],
  );
});
