import test from 'ava';
import { contentSimilarity, similarTo } from '../../../src/ranking/models/content-similarity.ts';
import { featuresOf } from '../../../src/ranking/models/features.ts';
import { plantedWorld, themeSize, worldOf } from './world.ts';

test('a rare shared feature counts for more than a common one', (t) => {
  const tags = [
    ['common', 'rare'],
    ['common', 'x1'],
    ['other', 'rare'],
    ['common', 'x2'],
    ['common', 'x3'],
  ];
  const { matrix } = worldOf(
    tags.map((own) => ({ tags: own })),
    [],
  );
  const { neighbours } = contentSimilarity.train(matrix, {});
  t.is(neighbours.items[neighbours.offsets[0]], 2);
});

test('identical items have cosine 1 and no item is its own neighbour', (t) => {
  const { matrix } = worldOf([{ tags: ['a', 'b'] }, { tags: ['a', 'b'] }, { tags: ['c'] }], []);
  const { neighbours } = contentSimilarity.train(matrix, {});
  t.deepEqual([...neighbours.offsets], [0, 1, 2, 2]);
  t.deepEqual([...neighbours.items], [1, 0]);
  t.true(Math.abs(neighbours.scores[0] - 1) < 1e-6);
});

test('a budget of postings bounds the search but leaves every item with neighbours near it', (t) => {
  const { matrix } = worldOf(
    Array.from({ length: 100 }, () => ({ tags: ['everywhere'] })),
    [],
  );
  const { neighbours } = contentSimilarity.train(matrix, { postingBudget: 7 });
  for (let item = 0; item < 100; item++) {
    const row = [...neighbours.items.subarray(neighbours.offsets[item], neighbours.offsets[item + 1])];
    t.is(row.length, 6);
    t.true(row.every((other) => Math.abs(other - item) <= 6));
  }
});

test('a new item is compared like the trained ones', (t) => {
  const { matrix } = plantedWorld();
  const tables = contentSimilarity.train(matrix, {});
  const similar = similarTo(
    tables,
    featuresOf({ title: 'boats m4', categories: ['shop/boats'], tags: ['boats'] }),
  );
  t.is(similar[0].local, 4);
  t.true(Math.abs(similar[0].score - 1) < 1e-6);
  t.true(similar.slice(0, themeSize).every(({ local }) => local < themeSize));
});

test('unknown features are similar to no item', (t) => {
  const tables = contentSimilarity.train(plantedWorld().matrix, {});
  t.deepEqual(similarTo(tables, featuresOf({ tags: ['submarine'] })), []);
  t.deepEqual(similarTo(tables, []), []);
});
