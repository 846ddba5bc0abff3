import test from 'ava';
import { createStringTable } from '../../../src/ranking/models/arrays/string-table.ts';
import { createBlend, createScorer } from '../../../src/ranking/models/blend.ts';
import { coVisits } from '../../../src/ranking/models/co-visits.ts';
import { contentSimilarity } from '../../../src/ranking/models/content-similarity.ts';
import { freshness } from '../../../src/ranking/models/freshness.ts';
import {
  createQuery,
  defaultSeedProfile,
  fillQuery,
  keepRecents,
  mostRecents,
  weighSeeds,
} from '../../../src/ranking/models/query.ts';
import { trending } from '../../../src/ranking/models/trending.ts';
import { identityMapping, nowSeconds, plantedWorld } from './world.ts';

const world = plantedWorld();
const mapping = identityMapping(world.itemCount);
const models = [
  trending.serve(trending.train(world.interactions, { nowSeconds }), mapping),
  coVisits.serve(coVisits.train(world.interactions, {}), mapping),
  contentSimilarity.serve(contentSimilarity.train(world.matrix, {}), mapping),
];
const blend = createBlend({ mapping, models });
const recent = (itemIndex: number, ageSeconds = 0, weight = 1) => ({ itemIndex, ageSeconds, weight });

test('proposing models come before lifting ones, and a weight of 0 leaves a model out', (t) => {
  t.deepEqual(
    blend.parts.map(({ model }) => model.name),
    ['co_visits', 'content_similarity', 'trending'],
  );
  const weights = { co_visits: 1, trending: 0 };
  t.deepEqual(
    createBlend({ mapping, models, weights }).parts.map(({ model }) => model.name),
    ['co_visits'],
  );
});

test('a blended score is the sum of the parts of all models', (t) => {
  const scorer = createScorer({ itemCount: world.itemCount });
  const count = scorer.score(blend, {
    recents: [recent(4), recent(2, 500)],
    contextItem: 1,
    disliked: [recent(3)],
    segments: [0],
    limit: 50,
  });
  t.true(count > 5);
  for (let rank = 0; rank < count; rank++) {
    const explanation = scorer.explain(scorer.items[rank])!;
    const sum = explanation.parts.reduce((total, { score }) => total + score, 0);
    t.is(explanation.score, scorer.scores[rank]);
    t.true(Math.abs(sum - explanation.score) < 1e-6);
  }
});

test('candidates that resemble a disliked item are lowered, and it adds no candidates', (t) => {
  const scorer = createScorer({ itemCount: world.itemCount });
  const request = { recents: [recent(4)], limit: world.itemCount };
  const count = scorer.score(blend, request);
  const before = Array.from({ length: world.itemCount }, (_, item) => scorer.scoreAt(item));
  t.is(scorer.resembling().size, 0);
  t.is(scorer.score(blend, { ...request, disliked: [recent(5)] }), count);
  const alike = scorer.resembling();
  t.true(alike.size > 0);
  const changes = before.map((score, item) => scorer.scoreAt(item) - score);
  t.true(changes.every((change) => change <= 0));
  t.true([...alike].filter((item) => before[item] > 0).every((item) => changes[item] < 0));
});

test('the segment’s score is part of an item’s score, whichever model proposes it', (t) => {
  const page = {
    offsets: Int32Array.of(0, 1),
    items: Int32Array.of(1),
    scores: Float32Array.of(1),
  };
  const segmentKeys = createStringTable(['page_type home']);
  const trend = { scores: Float32Array.of(1, 0), order: Int32Array.of(0), segments: page, segmentKeys };
  const news = { scores: Float32Array.of(0, 1), head: Int32Array.of(1) };
  const impersonal = [trending.serve(trend, mapping), freshness.serve(news, mapping)];
  const scorer = createScorer({ itemCount: world.itemCount });
  const weights = { trending: 1, freshness: 0.25 };
  const request = { recents: [recent(0)], segments: [0], limit: 2 };
  t.is(scorer.score(createBlend({ mapping, models: impersonal, weights }), request), 2);
  t.deepEqual(
    [0, 1].map((item) => [scorer.scoreAt(item), scorer.explain(item)!.parts.map(({ score }) => score)]),
    [
      [0.5, [0.5, 0]],
      [0.75, [0.5, 0.25]],
    ],
  );
});

test('without history and context no item is scored, so that the fallbacks answer', (t) => {
  const scorer = createScorer({ itemCount: world.itemCount });
  t.is(scorer.score(blend, { recents: [], segments: [0], limit: 50 }), 0);
  t.is(scorer.explain(0), undefined);
});

test('only admitted items are returned, and the limit is filled with them', (t) => {
  const scorer = createScorer({ itemCount: world.itemCount });
  const count = scorer.score(blend, { recents: [recent(0)], limit: 3, admits: (item) => item % 2 === 1 });
  t.is(count, 3);
  t.true([...scorer.items.subarray(0, count)].every((item) => item % 2 === 1));
});

test('a removed item is no candidate of any model and has no score', (t) => {
  const left = Int32Array.from(mapping.itemIndexOf, (itemIndex) => (itemIndex % 3 === 0 ? itemIndex : -1));
  const moved = { localOf: Int32Array.from(left), itemIndexOf: left };
  const tables = {
    trend: trending.train(world.interactions, { nowSeconds }),
    pairs: coVisits.train(world.interactions, {}),
  };
  const served = [coVisits.serve(tables.pairs, moved), trending.serve(tables.trend, moved)];
  const scorer = createScorer({ itemCount: world.itemCount });
  for (const some of [served, served.slice(0, 1)]) {
    const count = scorer.score(createBlend({ mapping: moved, models: some }), {
      recents: [recent(0)],
      limit: 50,
    });
    t.true(count > 0);
    t.true([...scorer.items.subarray(0, count)].every((item) => item % 3 === 0));
    t.true([...scorer.scores.subarray(0, count)].every(Number.isFinite));
    t.is(scorer.scoreAt(1), 0);
  }
});

test('the limit of the scorer bounds that of a request', (t) => {
  const scorer = createScorer({ itemCount: world.itemCount, maxLimit: 2 });
  t.is(scorer.score(blend, { recents: [recent(0)], limit: 1000 }), 2);
  t.is(scorer.score(blend, { recents: [recent(0)], limit: 0 }), 0);
});

test('a scorer repeats its answer after other requests', (t) => {
  const scorer = createScorer({ itemCount: 1 });
  const ask = () => {
    const count = scorer.score(blend, { recents: [recent(3)], limit: 10 });
    return [...scorer.items.subarray(0, count), ...scorer.scores.subarray(0, count)];
  };
  const first = ask();
  scorer.score(blend, { recents: [recent(15), recent(0)], contextItem: 12, limit: 20 });
  t.deepEqual(ask(), first);
});

test('newer, stronger and displayed items weigh more, and all weights add up to 1', (t) => {
  const query = createQuery();
  const day = 86_400;
  fillQuery(
    query,
    { recents: [recent(5), recent(6), recent(7, 60 * day), recent(8, 60 * day, 3)], contextItem: 9 },
    mapping,
  );
  weighSeeds(query, defaultSeedProfile);
  const [newest, next, old, strong, context] = query.seedWeight.subarray(0, query.seedCount);
  t.true(newest > next && next > old && strong > old && context > newest);
  t.true(Math.abs(newest + next + old + strong + context - 1) < 1e-6);
});

test('the first fifty entries of a history count, and entries without weight do not', (t) => {
  const query = createQuery();
  fillQuery(
    query,
    { recents: Array.from({ length: 80 }, (_, at) => recent(at % 20)), contextItem: 3 },
    mapping,
  );
  t.is(query.seedCount, mostRecents + 1);
  fillQuery(query, { recents: [recent(1, 0, -3), recent(2, 0, Number.NaN)] }, mapping);
  t.is(query.seedCount, 0);
});

test('an interest outside the catalogue proposes by its local index', (t) => {
  const scorer = createScorer({ itemCount: world.itemCount });
  const count = scorer.score(blend, { recents: [{ local: 0, ageSeconds: 0, weight: 1 }], limit: 5 });
  t.is(count, 5);
  t.is(scorer.explain(scorer.items[0])!.parts[0].reasons[0].seedItemIndex, -1);
});

test('surplus interests are dropped, keeping the newest and the most frequent older ones', (t) => {
  const interests = Array.from({ length: 30 }, (_, itemIndex) => {
    return { itemIndex, ageSeconds: itemIndex, weight: 1, contacts: itemIndex % 10 === 5 ? 4 : 1 };
  });
  const kept = (most: number) => keepRecents(interests, most).map(({ itemIndex }) => itemIndex);
  t.deepEqual(kept(10), [0, 1, 2, 3, 4, 5, 6, 7, 15, 25]);
  t.deepEqual(
    kept(30),
    interests.map(({ itemIndex }) => itemIndex),
  );
  t.deepEqual(kept(1), [0]);
});
