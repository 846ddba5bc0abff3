import test from 'ava';
import { createBlend, createScorer } from '../../../src/ranking/models/blend.ts';
import { contentSimilarity } from '../../../src/ranking/models/content-similarity.ts';
import { featuresOf } from '../../../src/ranking/models/features.ts';
import { createNewItems } from '../../../src/ranking/models/new-items.ts';
import { plantedWorld, themeSize } from './world.ts';

const newItem = themeSize * 2;

function serve(options: { maxItems?: number } = {}) {
  const world = plantedWorld();
  const tables = contentSimilarity.train(world.matrix, {});
  const mapping = {
    localOf: Int32Array.from({ length: newItem + 5 }, (_, item) => (item < newItem ? item : -1)),
    itemIndexOf: Int32Array.from({ length: newItem }, (_, local) => local),
  };
  const newItems = createNewItems({ tables, mapping, ...options });
  const blend = createBlend({ mapping, models: [newItems.model] });
  const scorer = createScorer({ itemCount: newItem });
  const best = (contextItem: number) => {
    const count = scorer.score(blend, { recents: [], contextItem, limit: 100 });
    return Array.from(scorer.items.subarray(0, count));
  };
  return { newItems, best, scorer };
}

const lamp = featuresOf({ title: 'new lamps', categories: ['shop/lamps'], tags: ['lamps'] });

test('a new item and similar items propose each other', (t) => {
  const { newItems, best } = serve();
  t.true(newItems.set(newItem, lamp));
  t.deepEqual(best(themeSize + 3), [newItem]);
  t.true(
    best(newItem)
      .slice(0, themeSize)
      .every((item) => item >= themeSize),
  );
});

test('a new item may precede known ones in the catalogue, as after a restart', (t) => {
  const world = plantedWorld();
  const mapping = {
    localOf: Int32Array.from({ length: newItem + 1 }, (_, item) => item - 1),
    itemIndexOf: Int32Array.from({ length: newItem }, (_, local) => local + 1),
  };
  const newItems = createNewItems({ tables: contentSimilarity.train(world.matrix, {}), mapping });
  newItems.set(0, lamp);
  const scorer = createScorer({ itemCount: 0 });
  const blend = createBlend({ mapping, models: [newItems.model] });
  const count = scorer.score(blend, { recents: [], contextItem: themeSize + 4, limit: 100 });
  t.deepEqual([...scorer.items.subarray(0, count)], [0]);
  t.true(scorer.scoreAt(0) > 0);
});

test('new items can be similar to each other', (t) => {
  const { newItems, best } = serve();
  const robots = (title: string) => featuresOf({ title, tags: ['robots'] });
  newItems.set(newItem, robots('first'));
  newItems.set(newItem + 1, featuresOf({ title: 'other', tags: ['kites'] }));
  newItems.set(newItem + 2, robots('second'));
  t.deepEqual(best(newItem), [newItem + 2]);
  t.deepEqual(best(newItem + 2), [newItem]);
  newItems.set(newItem, featuresOf({ tags: ['kites'] }));
  t.deepEqual(best(newItem + 2), []);
  t.deepEqual(best(newItem + 1), [newItem]);
  newItems.delete(newItem);
  t.deepEqual(best(newItem + 1), []);
});

test('each of many similar new items names its most similar one', (t) => {
  const { newItems, best } = serve();
  const parts = (set: number) => featuresOf({ tags: ['parts', `set ${set}`] });
  for (let item = 0; item < 300; item++) newItems.set(newItem + item, parts(item % 30));
  const peers = best(newItem + 7);
  t.deepEqual(
    peers.slice(0, 9).toSorted((a, b) => a - b),
    Array.from({ length: 9 }, (_, at) => newItem + 7 + 30 * (at + 1)),
  );
  t.true(peers.length <= 50);
});

test('the parts of a new item add up to its score', (t) => {
  const { newItems, best, scorer } = serve();
  newItems.set(newItem, lamp);
  best(themeSize);
  const explanation = scorer.explain(newItem)!;
  t.is(explanation.parts[0].reasons[0].seedItemIndex, themeSize);
  t.true(Math.abs(explanation.parts[0].score - explanation.score) < 1e-6);
});

test('a changed item is compared again, and a deleted one dropped', (t) => {
  const { newItems, best } = serve();
  newItems.set(newItem, lamp);
  newItems.set(newItem, featuresOf({ tags: ['boats'] }));
  t.deepEqual(best(themeSize), []);
  t.deepEqual(best(0), [newItem]);
  newItems.delete(newItem);
  t.deepEqual(best(0), []);
});

test('new items beyond the limit wait for the next training', (t) => {
  const { newItems } = serve({ maxItems: 1 });
  t.true(newItems.set(newItem, lamp));
  t.true(newItems.set(newItem, lamp));
  t.false(newItems.set(newItem + 1, lamp));
});
