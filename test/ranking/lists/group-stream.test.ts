import test from 'ava';
import { createCatalog } from '../../../src/ranking/catalog/catalog.ts';
import { groupStream } from '../../../src/ranking/lists/group-stream.ts';
import { createNextInGroup } from '../../../src/ranking/lists/person/next-in-group.ts';

/** Three episodes of a series among three films. */
const ids = ['film 0', 'episode 1', 'film 2', 'episode 3', 'episode 4', 'film 5'];

function createSeries() {
  const properties = [{ name: 'number', type: 'number' as const }];
  const groupOrders = new Map([['episode', ['number']]]);
  const catalog = createCatalog({ properties, itemTypes: ['film', 'episode'], groupOrders });
  for (const itemId of ids) {
    const [itemType, number] = itemId.split(' ');
    const document = itemType === 'episode' ? { number: Number(number), group_id: 'series' } : {};
    catalog.apply({ itemType, itemId, document, enabled: true, revision: 1 });
  }
  return catalog;
}

test('the next episode takes the place of the best of its series, consumed episodes included', (t) => {
  const catalog = createSeries();
  const seen = new Set([1, 3]);
  const reached = new Map([[catalog.groups.of(1), { itemIndex: 3, atSeconds: 0 }]]);
  const next = createNextInGroup({ catalog, reached, mayCome: (itemIndex) => !seen.has(itemIndex) });
  const order = [0, 3, 2, 1, 5, 4];
  let count = 2;
  const source = {
    items: order,
    get count() {
      return count;
    },
    more() {
      count += 2;
      return count <= order.length;
    },
    positionOf: (itemIndex: number) => order.indexOf(itemIndex),
  };
  const stream = groupStream(source, catalog.groups, next);
  t.deepEqual(Array.from(stream.items).slice(0, 2), [0, 4]);
  t.is(stream.positionOf!(4), 1);
  t.is(stream.positionOf!(5), 4);
  t.true(stream.more!() && stream.more!());
  t.deepEqual(Array.from(stream.items).slice(0, stream.count), [0, 4, 2, 4, 5, 4]);
});

test('the last episode is followed by the first remaining one, or by none', (t) => {
  const catalog = createSeries();
  const reached = new Map([[catalog.groups.of(1), { itemIndex: 4, atSeconds: 0 }]]);
  const nextOf = (seen: number[]) =>
    createNextInGroup({ catalog, reached, mayCome: (itemIndex) => !seen.includes(itemIndex) }).of(3);
  t.is(nextOf([4]), 1);
  t.is(nextOf([1, 4]), 3);
  t.is(nextOf([1, 3, 4]), undefined);
});
