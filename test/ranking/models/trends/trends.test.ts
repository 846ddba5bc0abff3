import test from 'ava';
import { createChance } from '../../../../src/deployment/demo/random.ts';
import { createBlend, createScorer } from '../../../../src/ranking/models/blend.ts';
import { createTrendModels } from '../../../../src/ranking/models/trends/trend-models.ts';
import { createTrends, interestCategory, trendNames } from '../../../../src/ranking/models/trends/trends.ts';

const now = 1_000_000;
const hour = 3_600;

/** Items 0 to 9 are cooking items, 10 to 19 sports; only item 9 is new (a minute old). */
const traits = {
  itemCount: 20,
  categoryOf: (index: number) => (index < 10 ? 'Cooking' : 'Sports'),
  publishedAt: (index: number) => (index === 9 ? now - 60 : now - (index % 10) * 2 * hour),
  isPresent: (index: number) => index !== 4,
};

const byPublication = (one: number, other: number) => traits.publishedAt(other) - traits.publishedAt(one);

const mapping = { localOf: new Int32Array(20).fill(-1), itemIndexOf: new Int32Array(0) };

function listFor(trends: ReturnType<typeof createTrends>, seeds: number[]): number[] {
  const snapshot = trends.snapshot(now);
  const view = { current: () => snapshot, categoryOf: traits.categoryOf, itemCount: 20 };
  const models = createTrendModels(view, mapping);
  const blend = createBlend({
    mapping,
    models,
    weights: Object.fromEntries(trendNames.map((name) => [name, 1])),
  });
  const scorer = createScorer({ itemCount: 20 });
  const recents = seeds.map((itemIndex) => ({ itemIndex, ageSeconds: 0, weight: 1 }));
  const count = scorer.score(blend, { recents, limit: 20 });
  return Array.from(scorer.items.subarray(0, count));
}

function trendsWith(views: [index: number, count: number][]) {
  const trends = createTrends(traits);
  let subject = 0;
  for (const [index, count] of views)
    for (let view = 0; view < count; view++) trends.add(index, now - hour, 1, ++subject);
  return trends;
}

test('trending items of the subject’s categories come first', (t) => {
  const trends = trendsWith([
    [2, 5],
    [3, 9],
    [12, 20],
  ]);
  t.deepEqual(listFor(trends, [1, 2, 1, 3]).slice(0, 2), [3, 2]);
  t.is(listFor(trends, [15])[0], 12);
});

test('an item published a minute ago is in the lists of its category at once', (t) => {
  const trends = trendsWith([
    [0, 6],
    [1, 5],
  ]);
  t.true(listFor(trends, [0, 1]).slice(0, 5).includes(9));
  t.false(listFor(trends, [0, 1]).includes(4), 'an item that may not be shown');
});

test('the newest items of a category are ranked by their publication, whatever their counts', (t) => {
  const { categories, windows } = trendsWith([[7, 9]]).snapshot(now);
  const { offsets, items, scores } = windows.newest;
  const row = categories.indexOf('Cooking');
  const [start, end] = [offsets[row], offsets[row + 1]];
  t.deepEqual([...items.subarray(start, end)], [9, 0, 1, 2, 3, 5, 6, 7, 8].toSorted(byPublication));
  t.true(scores[start] === 1 && scores[end - 1] < 0.5);
});

test('the search for the newest items begins where the last one ended, in any order of the catalogue', (t) => {
  const itemCount = 50_000;
  for (const direction of [1, -1]) {
    const hidden = new Set<number>();
    let looks = 0;
    const isPresent = (index: number) => {
      looks += 1;
      return !hidden.has(index);
    };
    const publishedAt = (index: number) => now - 1_000 * hour + direction * index;
    const trends = createTrends({ ...traits, itemCount, publishedAt, isPresent });
    const newest = direction > 0 ? itemCount - 1 : 0;
    const has = (index: number) => trends.snapshot(now).windows.newest.items.includes(index);
    t.true(has(newest));
    looks = 0;
    t.true(has(newest));
    t.is(looks, 4_000, 'once to choose the 2,000 newest, and once to place them');
    for (let place = 0; place < 1_990; place++) hidden.add(newest - direction * place);
    t.false(has(newest));
    t.true(has(newest - direction * 1_995));
    t.true(has(newest - direction * 2_050), 'an item that was none of the newest before');
  }
});

test('an item with a burst of events leads its category, and is in other lists', (t) => {
  const trends = trendsWith([
    [2, 5],
    [12, 4],
  ]);
  for (let reader = 0; reader < 300; reader++) trends.add(14, now - 30, 1, 10_000 + reader);
  t.is(listFor(trends, [15])[0], 14);
  t.true(listFor(trends, [1]).slice(0, 10).includes(14));
});

test('repeated events of one device count once an hour', (t) => {
  const trends = trendsWith([[2, 5]]);
  for (let view = 0; view < 500; view++) trends.add(3, now - 30, 1, 77);
  t.is(listFor(trends, [1])[0], 2);
});

test('each score is explained by its parts', (t) => {
  const trends = trendsWith([
    [2, 5],
    [12, 7],
  ]);
  const snapshot = trends.snapshot(now);
  const view = { current: () => snapshot, categoryOf: traits.categoryOf, itemCount: 20 };
  const models = createTrendModels(view, mapping);
  const blend = createBlend({ mapping, models, weights: { trend_hour: 0.3, trend_day: 1, trend_week: 0.5 } });
  const scorer = createScorer({ itemCount: 20 });
  const count = scorer.score(blend, { recents: [{ itemIndex: 1, ageSeconds: 0, weight: 1 }], limit: 20 });
  t.true(count > 0);
  for (let rank = 0; rank < count; rank++) {
    const { score, parts } = scorer.explain(scorer.items[rank])!;
    const sum = parts.reduce((total, part) => total + part.score, 0);
    t.true(Math.abs(score - sum) < 1e-5);
    t.is(score, scorer.scores[rank]);
  }
});

test('interests use the first two levels of a category', (t) => {
  t.is(interestCategory('Electronics/Cameras/DSLR'), 'Electronics/Cameras');
  t.is(interestCategory('Books'), 'Books');
});

/** A front page of ten items, to which five articles of random, fading appeal come each hour; some come by a link. */
function readFrontPage(areImpressionsSent: boolean, seed: number): number {
  const chance = createChance(`front page ${seed}`);
  const published = Array.from({ length: 200 }, (_, index) => Math.floor(index / 5) * hour);
  const appeal = published.map(() => 0.3 * chance.fraction() ** 4);
  const trends = createTrends({
    ...{ itemCount: 200, categoryOf: () => undefined, isPresent: () => true },
    publishedAt: (index) => published[index],
  });
  let clicks = 0;
  let page = new Int32Array(0);
  const visitCount = 100 * 40;
  for (let visit = 0; visit < visitCount; visit++) {
    const at = (visit / 100) * hour;
    if (visit % 10 === 0) trends.add(5 * Math.floor(at / hour), at, 1, visit);
    if (visit % 10 === 0) page = trends.snapshot(at).overall.items.slice(0, 10);
    for (const item of page) {
      if (areImpressionsSent) trends.show(item, at, visit);
      if (!chance.happens(appeal[item] * 2 ** ((published[item] - at) / (12 * hour)))) continue;
      trends.add(item, at, 1, visit);
      clicks += 1;
    }
  }
  return clicks / visitCount;
}

test('a front page finds what is clicked when it is shown, instead of what was shown first', (t) => {
  const seeds = [1, 2, 3, 4, 5];
  const [blind, counted] = [false, true].map((areSent) =>
    seeds.map((seed) => readFrontPage(areSent, seed)).reduce((sum, rate) => sum + rate, 0),
  );
  t.true(counted > 1.3 * blind, `${counted} against ${blind}`);
});

test('contacts of an item that is shown a lot count less than those of one that is not', (t) => {
  const trends = trendsWith([
    [12, 20],
    [13, 10],
  ]);
  const overall = () =>
    [...trends.snapshot(now).overall.items].filter((index) => index === 12 || index === 13);
  t.deepEqual(overall(), [12, 13]);
  for (let subject = 0; subject < 1_000; subject++) trends.show(12, now - hour, subject);
  for (let subject = 0; subject < 50; subject++) trends.show(13, now - hour, subject);
  t.deepEqual(overall(), [13, 12]);
});

test('an item that visitors find more often than lists show it keeps its contacts', (t) => {
  const trends = trendsWith([
    [12, 20],
    [13, 15],
  ]);
  for (let subject = 0; subject < 20; subject++) trends.show(12, now - hour, 1_000 + subject);
  t.is(
    trends.snapshot(now).overall.items.find((index) => index === 12 || index === 13),
    12,
  );
});

test('one device cannot push an item down by impressions', (t) => {
  const trends = trendsWith([
    [12, 20],
    [13, 17],
  ]);
  for (let at = 0; at < 1_000; at++) trends.show(12, now - 60, 7);
  t.deepEqual([...trends.snapshot(now).overall.items].filter((index) => index === 12 || index === 13)[0], 12);
});

test('rows of wanted categories and of all items do not depend on the other categories', (t) => {
  const chance = createChance('wanted categories');
  const itemCount = 1_000;
  const categoryOf = (index: number) => (index % 4 === 0 ? undefined : `category ${index % 4}`);
  const facts = { itemCount, isPresent: () => true, publishedAt: () => Number.NaN };
  const trends = createTrends({ ...facts, categoryOf });
  const single = createTrends({ ...facts, categoryOf: () => undefined });
  for (let subject = 0; subject < 5_000; subject++) {
    const index = Math.floor(itemCount * chance.fraction() ** 2);
    for (const one of [trends, single]) {
      one.add(index, now - (subject % 10) * hour, 1, subject);
      if (subject % 5 === 0) one.show(index, now, subject);
    }
  }
  const everything = trends.snapshot(now);
  const some = trends.snapshot(now, new Set(['category 2', undefined]));
  const none = single.snapshot(now);
  t.deepEqual(some.categories, everything.categories);
  t.deepEqual([some.overall, some.newestCounts], [everything.overall, everything.newestCounts]);
  for (const name of trendNames) {
    const rowOf = ({ categories, windows }: typeof some, category?: string) => {
      const { offsets, items, scores } = windows[name];
      const row = category === undefined ? categories.length : categories.indexOf(category);
      return [items, scores].map((values) => [...values.subarray(offsets[row], offsets[row + 1])]);
    };
    t.deepEqual(rowOf(some, 'category 2'), rowOf(everything, 'category 2'));
    t.deepEqual(rowOf(some, 'category 1'), [[], []]);
    t.deepEqual(rowOf(some), rowOf(everything));
    t.deepEqual(rowOf(everything), rowOf(none));
  }
});
