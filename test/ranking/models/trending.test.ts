import test from 'ava';
import { segmentKey, segmentRows, trending } from '../../../src/ranking/models/trending.ts';
import { nowSeconds, themeSize, view, worldOf } from './world.ts';

const daySeconds = 86_400;
const contents = Array.from({ length: themeSize + 2 }, () => ({}));
const ago = (subject: string, item: number, days: number) =>
  view(subject, item, nowSeconds - days * daySeconds);

test('an event counts half after a half-life', (t) => {
  const { interactions } = worldOf(contents, [ago('u', 3, 0), ago('u', 1, 3), ago('u', 2, 6)]);
  const { order, scores } = trending.train(interactions, { nowSeconds });
  t.deepEqual([...order], [3, 1, 2]);
  t.deepEqual([scores[3], scores[1], scores[2], scores[0]], [1, 0.5, 0.25, 0]);
});

test('events later than now count as of now', (t) => {
  const { interactions } = worldOf(contents, [ago('u', 3, -5), ago('v', 4, 0)]);
  t.deepEqual([...trending.train(interactions, { nowSeconds }).order], [3, 4]);
});

test('segments rank their own items: page types, channels and the categories of the caller', (t) => {
  const { interactions } = worldOf(contents, [
    { ...ago('u', 1, 0), channel: 'web' },
    { ...ago('u', 2, 3), channel: 'web' },
    ago('v', 2, 3),
    ago('u', themeSize, 0),
  ]);
  const categories = { keys: ['boats'], ofItem: new Int32Array(contents.length).fill(-1) };
  categories.ofItem[2] = 0;
  const tables = trending.train(interactions, { nowSeconds, categories });
  const rows = segmentRows(tables);
  const ranked = (key: string) => {
    const row = rows.get(key)!;
    return [
      ...tables.segments.items.subarray(tables.segments.offsets[row], tables.segments.offsets[row + 1]),
    ];
  };
  t.deepEqual(ranked(segmentKey('page_type', 'home')), [1, 2]);
  t.deepEqual(ranked(segmentKey('page_type', 'detail')), [themeSize]);
  t.deepEqual(ranked(segmentKey('channel', 'web')), [1, 2]);
  t.deepEqual(ranked(segmentKey('category', 'boats')), [2]);
});

test('one repeating client does not make a trend', (t) => {
  const loop = Array.from({ length: 500 }, () => ago('robot', 1, 0));
  const crowd = Array.from({ length: 11 }, (_, reader) => ago(`reader-${reader}`, 2, 0));
  const { interactions } = worldOf(contents, [...loop, ...crowd]);
  t.is(trending.train(interactions, { nowSeconds }).order[0], 2);
});

test('a retracted event does not trend, even alone', (t) => {
  const removed = (subject: string, item: number) => ({
    ...ago(subject, item, 0),
    eventType: 'remove_from_cart',
    pageType: 'cart',
  });
  const { interactions } = worldOf(contents, [
    ago('u', 1, 0),
    ago('v', 2, 0),
    removed('u', 1),
    removed('v', 2),
    removed('w', 2),
  ]);
  const tables = trending.train(interactions, { nowSeconds });
  const row = segmentRows(tables).get(segmentKey('page_type', 'cart'))!;
  t.is(tables.segments.offsets[row + 1] - tables.segments.offsets[row], 0);
});
