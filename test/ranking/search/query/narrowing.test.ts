/** A narrow filter, or a group, is answered from lists of its items, with the same results as by reading every posting. */
import test, { type ExecutionContext } from 'ava';
import type { SearchRequest } from '../../../../src/ranking/search/search.ts';
import { createWorld, merge, type World } from '../support/world.ts';

/** More than the minimum for lists, and than one query reads. */
const itemCount = 6_000;
/** Number of queries after which the lists are complete. */
const questionCount = 3;

/** Deterministic numbers below `limit`, small ones much more often. */
function createSkewed(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor(limit * (state / 2 ** 32) ** 3);
  };
}

const brandOf = (i: number): string => `brand${Math.floor(Math.sqrt(i % 900))}`;

function createShop(): World {
  const skewed = createSkewed(11);
  const text = (length: number): string => Array.from({ length }, () => `w${skewed(60)}x`).join(' ');
  const world = createWorld();
  for (let i = 0; i < itemCount; i++)
    world.fill({ id: `i${i}`, title: text(3), description: text(9), brand: brandOf(i), price: i % 50 });
  merge(world);
  return world;
}

/** Three words: no feedback, which would depend on how many hits it sees. */
const queries = ['w0x w1x w2x', 'w0x w30x w59x', 'w50x w40x w1x', 'w3x w4x w59x'];

const hitsOf = ({ search, catalog }: World, q: string, request: Partial<SearchRequest>) => {
  const { lists } = search.search({ q, nowMs: 0, listSize: 60, ...request });
  return lists.map(({ name, items }) => ({
    name,
    hits: items.map(({ itemIndex, tier, score }) => [catalog.itemIdAt(itemIndex), tier, score]),
  }));
};

function isSameAsTested(t: ExecutionContext, world: World, field: string, values: (string | number)[]): void {
  const { catalog } = world;
  const admits = (itemIndex: number): boolean =>
    catalog
      .column(field)!
      .valuesAt(itemIndex)
      .some((value) => values.includes(value as string));
  for (let turn = 0; turn < questionCount; turn++)
    for (const q of queries)
      t.deepEqual(
        hitsOf(world, q, { filters: [{ field, values }] }),
        hitsOf(world, q, { admits }),
        `${field} ${q}`,
      );
}

test('filters of one and of several values, of strings and of numbers', (t) => {
  const world = createShop();
  isSameAsTested(t, world, 'brand', ['brand3']);
  isSameAsTested(t, world, 'brand', ['brand2', 'brand28', 'nobody']);
  isSameAsTested(t, world, 'price', [7, 8]);
  isSameAsTested(t, world, 'brand', ['nobody']);
});

test('items that changed after the lists were made', (t) => {
  const world = createShop();
  isSameAsTested(t, world, 'brand', ['brand3']);
  for (let i = 0; i < itemCount; i += 53)
    world.put({
      id: `i${i}`,
      title: 'w0x w1x',
      description: 'w2x',
      brand: i % 2 === 0 ? 'brand3' : 'brand4',
    });
  for (let i = 0; i < itemCount; i += 301) world.disable(`i${i}`);
  world.put({ id: 'new', title: 'w0x w1x w2x', brand: 'brand3' });
  isSameAsTested(t, world, 'brand', ['brand3']);
  isSameAsTested(t, world, 'brand', ['brand4']);
  merge(world);
  isSameAsTested(t, world, 'brand', ['brand3']);
});

test('more changes than the log holds', (t) => {
  const world = createShop();
  isSameAsTested(t, world, 'brand', ['brand3']);
  for (let i = 0; i < itemCount; i += 2)
    world.put({ id: `i${i}`, title: 'w0x w1x', description: 'w40x', brand: brandOf(i + 77) });
  isSameAsTested(t, world, 'brand', ['brand3']);
});

test('each group has its own best items', (t) => {
  const world = createShop();
  const { catalog } = world;
  for (let turn = 0; turn < questionCount; turn++)
    for (const q of queries) {
      const lists = hitsOf(world, q, { groupBy: ['brand'], listCount: 6, listSize: 20 });
      for (const { name, hits } of lists) {
        const admits = (itemIndex: number): boolean =>
          `brand: ${catalog.column('brand')!.valuesAt(itemIndex)[0]}` === name;
        t.deepEqual(hits, hitsOf(world, q, { admits, listSize: 20 })[0].hits);
      }
    }
});
