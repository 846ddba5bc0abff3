import test from 'ava';
import { createBlend, createScorer } from '../../src/models/blend.ts';
import { contentSimilarity } from '../../src/models/content-similarity.ts';
import { featuresOf } from '../../src/models/features.ts';
import { createNewItems } from '../../src/models/new-items.ts';
import { plantedWorld, THEME_SIZE } from './world.ts';

const NEW_ITEM = THEME_SIZE * 2;

function serve(options: { maxItems?: number } = {}) {
  const world = plantedWorld();
  const tables = contentSimilarity.train(world.matrix, {});
  const mapping = {
    localOf: Int32Array.from({ length: NEW_ITEM + 5 }, (_, item) => (item < NEW_ITEM ? item : -1)),
    itemIndexOf: Int32Array.from({ length: NEW_ITEM }, (_, local) => local),
  };
  const newItems = createNewItems({ tables, mapping, ...options });
  const blend = createBlend({ mapping, models: [newItems.model] });
  const scorer = createScorer({ itemCount: NEW_ITEM });
  const best = (contextItem: number) => {
    const count = scorer.score(blend, { recents: [], contextItem, limit: 100 });
    return Array.from(scorer.items.subarray(0, count));
  };
  return { newItems, best, scorer };
}

const lamp = featuresOf({ title: 'new lamps', categories: ['shop/lamps'], tags: ['lamps'] });

test('a new item is proposed for the items it is like, and they for it', (t) => {
  const { newItems, best } = serve();
  t.true(newItems.set(NEW_ITEM, lamp));
  t.deepEqual(best(THEME_SIZE + 3), [NEW_ITEM]);
  t.true(
    best(NEW_ITEM)
      .slice(0, THEME_SIZE)
      .every((item) => item >= THEME_SIZE),
  );
});

test('new items are like each other, though no training knew them', (t) => {
  const { newItems, best } = serve();
  const robots = (title: string) => featuresOf({ title, tags: ['robots'] });
  newItems.set(NEW_ITEM, robots('first'));
  newItems.set(NEW_ITEM + 1, featuresOf({ title: 'other', tags: ['kites'] }));
  newItems.set(NEW_ITEM + 2, robots('second'));
  t.deepEqual(best(NEW_ITEM), [NEW_ITEM + 2]);
  t.deepEqual(best(NEW_ITEM + 2), [NEW_ITEM]);
  newItems.set(NEW_ITEM, featuresOf({ tags: ['kites'] }));
  t.deepEqual(best(NEW_ITEM + 2), []);
  t.deepEqual(best(NEW_ITEM + 1), [NEW_ITEM]);
  newItems.delete(NEW_ITEM);
  t.deepEqual(best(NEW_ITEM + 1), []);
});

test('of many new items that are alike, each names the likest', (t) => {
  const { newItems, best } = serve();
  const parts = (set: number) => featuresOf({ tags: ['parts', `set ${set}`] });
  for (let item = 0; item < 300; item++) newItems.set(NEW_ITEM + item, parts(item % 30));
  const peers = best(NEW_ITEM + 7);
  t.deepEqual(
    peers.slice(0, 9).toSorted((a, b) => a - b),
    Array.from({ length: 9 }, (_, at) => NEW_ITEM + 7 + 30 * (at + 1)),
  );
  t.true(peers.length <= 50);
});

test('the parts of a new item add up to its score', (t) => {
  const { newItems, best, scorer } = serve();
  newItems.set(NEW_ITEM, lamp);
  best(THEME_SIZE);
  const explanation = scorer.explain(NEW_ITEM)!;
  t.is(explanation.parts[0].reasons[0].seedItemIndex, THEME_SIZE);
  t.true(Math.abs(explanation.parts[0].score - explanation.score) < 1e-6);
});

test('a changed item is compared anew, a deleted one forgotten', (t) => {
  const { newItems, best } = serve();
  newItems.set(NEW_ITEM, lamp);
  newItems.set(NEW_ITEM, featuresOf({ tags: ['boats'] }));
  t.deepEqual(best(THEME_SIZE), []);
  t.deepEqual(best(0), [NEW_ITEM]);
  newItems.delete(NEW_ITEM);
  t.deepEqual(best(0), []);
});

test('new items beyond the limit wait for the next training', (t) => {
  const { newItems } = serve({ maxItems: 1 });
  t.true(newItems.set(NEW_ITEM, lamp));
  t.true(newItems.set(NEW_ITEM, lamp));
  t.false(newItems.set(NEW_ITEM + 1, lamp));
});
