import test from 'ava';
import { type Feature, featureLimits, featuresOf } from '../../../src/ranking/models/features.ts';

const shared = (a: Feature[], b: Feature[]) =>
  a.filter(({ hash }) => b.some((other) => other.hash === hash)).length;

test('case and diacritics do not separate items', (t) => {
  t.deepEqual(featuresOf({ title: 'Crème BRÛLÉE' }), featuresOf({ title: 'creme brulee' }));
});

test('both forms of a path are equal, and related paths share features', (t) => {
  const path = featuresOf({ categories: ['Home/Sofas/Corner'] });
  t.deepEqual(featuresOf({ categories: [['home', 'sofas', 'corner']] }), path);
  t.is(shared(featuresOf({ categories: ['home/sofas'] }), path), 2);
  t.is(shared(featuresOf({ categories: ['garden/sofas'] }), path), 0);
});

test('a word, a tag and an attribute of the same text are different features', (t) => {
  t.is(shared(featuresOf({ title: 'red' }), featuresOf({ tags: ['red'] })), 0);
  t.is(
    shared(featuresOf({ tags: ['red'] }), featuresOf({ attributes: [{ name: 'colour', value: 'red' }] })),
    0,
  );
});

test('stop words and single letters are left out, repeated words count once', (t) => {
  t.is(featuresOf({ title: 'the art of the x art' }).length, 1);
});

test('attribute values may be scalars or lists; objects are left out', (t) => {
  const attributes = [
    { name: 'size', value: [38, 40] },
    { name: 'sale', value: true },
    { name: 'raw', value: { nested: 1 } },
    { name: 'none', value: null },
  ];
  t.is(featuresOf({ attributes }).length, 3);
});

test('an item contributes a bounded number of features', (t) => {
  const tags = Array.from({ length: 1000 }, (_, tag) => `tag ${tag}`);
  t.is(featuresOf({ tags }).length, featureLimits.featuresPerItem);
});
