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

test('an order is what one person buys without a long pause, each item once', (t) => {
  t.deepEqual(ordersOf(purchases), [
    [1, 2],
    [7, 8, 9],
  ]);
});

test('in whatever order purchases come, the orders are the same', (t) => {
  t.deepEqual(ordersOf(purchases.toReversed()), ordersOf(purchases));
});

test('what was bought alone is no order', (t) => {
  t.is(ordersOf(purchases.filter(([person]) => person === 'nobody')), undefined);
  t.is(ordersOf([['anna', 1, 0]]), undefined);
});

test('of more purchases than are kept the newest count', (t) => {
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
