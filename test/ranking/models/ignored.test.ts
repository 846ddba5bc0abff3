/** Repeatedly ignored items are lowered for their subject: bounded, fading, and learnt. */

import test from 'ava';
import { add } from '../../../src/ranking/models/arrays/accumulator.ts';
import { mixed as mixedOf } from '../../../src/ranking/models/arrays/mixed.ts';
import { createBlend, createScorer } from '../../../src/ranking/models/blend.ts';
import { createImpressionsBuilder } from '../../../src/ranking/models/exposures.ts';
import { gatherIgnored, type Ignored, ignored } from '../../../src/ranking/models/ignored.ts';
import type { InteractionEvent } from '../../../src/ranking/models/interactions.ts';
import { ignoredBefore } from '../../../src/ranking/models/learning/showings.ts';
import { trainBlended } from '../../../src/ranking/models/learning/train-blended.ts';
import type { Model } from '../../../src/ranking/models/model.ts';
import { servePortfolio } from '../../../src/ranking/models/portfolio.ts';
import { identityMapping, nowSeconds, shown, view, worldOf } from './world.ts';

const day = 86_400;

const times = (showings: readonly [item: number, daysAgo: number][], contactDaysAgo?: number) =>
  gatherIgnored(
    showings.map(([itemIndex, daysAgo]) => ({ itemIndex, atSeconds: nowSeconds - daysAgo * day })),
    () => (contactDaysAgo === undefined ? undefined : nowSeconds - contactDaysAgo * day),
    nowSeconds,
  );

test('impressions are summed, halve in a week, and start over with each contact', (t) => {
  const all: [number, number][] = [
    [4, 0],
    [4, 7],
    [4, 14],
    [9, 7],
  ];
  t.deepEqual(times(all), [
    { itemIndex: 4, times: 1.75 },
    { itemIndex: 9, times: 0.5 },
  ]);
  t.deepEqual(times(all, 7), [{ itemIndex: 4, times: 1 }]);
});

/** Two items that are equally related to the seed. */
function rankAfter(list: readonly Ignored[]) {
  const events: InteractionEvent[] = Array.from({ length: 30 }, (_, subject) => {
    const at = nowSeconds - day - subject;
    return [0, 1, 2].map((item) => view(`s${subject}`, item, at));
  }).flat();
  events.push(shown('somebody', 5, nowSeconds - day));
  const { interactions } = worldOf(Array(12).fill({}), events);
  const asking = { per: 'event', excluded: 'last', horizon: 5 } as const;
  const { tables } = trainBlended({ interactions, nowSeconds, asking, learns: false });
  const mapping = identityMapping(12);
  const blend = createBlend({ mapping, models: servePortfolio(tables, mapping) });
  const scorer = createScorer({ itemCount: 12 });
  const recents = [{ itemIndex: 0, ageSeconds: 0, weight: 1 }];
  const count = scorer.score(blend, { recents, limit: 12, ignored: list });
  return { order: Array.from(scorer.items.subarray(0, count)), explain: scorer.explain };
}

test('of equal items the ignored one ranks lower, and its explanation adds up', (t) => {
  const { order, explain } = rankAfter([{ itemIndex: 1, times: 6 }]);
  t.true(order.indexOf(1) > order.indexOf(2));
  const { score, parts } = explain(1)!;
  t.true(Math.abs(parts.reduce((sum, part) => sum + part.score, 0) - score) < 1e-5);
  t.true(parts.find(({ model }) => model === 'ignored')!.score < 0);
  t.is(explain(2)!.parts.find(({ model }) => model === 'ignored')!.score, 0);
  t.is(
    rankAfter([])
      .explain(1)!
      .parts.find(({ model }) => model === 'ignored')!.score,
    0,
  );
});

test('items ignored by one subject are not lowered for the next, proposed or not', (t) => {
  const itemCount = 1_000;
  const mapping = identityMapping(itemCount);
  const itself: Model = {
    name: 'itself',
    role: 'proposes',
    accumulate: ({ seedItemIndex }, weight, accumulator) => add(accumulator, seedItemIndex[0], weight),
    explain: () => [],
  };
  const models = [itself, ignored.serve(ignored.train({}, {}), mapping)];
  const blend = createBlend({ mapping, models, weights: { itself: 1, ignored: 1 } });
  const scorer = createScorer({ itemCount });
  const scoreOf = (itemIndex: number, list: readonly Ignored[]) => {
    scorer.score(blend, { recents: [{ itemIndex, ageSeconds: 0, weight: 1 }], limit: 1, ignored: list });
    return scorer.scores[0];
  };
  t.is(scoreOf(10, []), 1);
  t.is(scoreOf(500, [{ itemIndex: 10, times: 5 }]), 1);
  t.is(scorer.scoreAt(10), 0);
  t.is(scoreOf(10, []), 1);
});

test('the model lowers by at most its weight, proposes no item, and skips items outside the catalogue', (t) => {
  const { order, explain } = rankAfter([
    { itemIndex: 1, times: 1e6 },
    { itemIndex: 11, times: 5 },
    { itemIndex: 5_000, times: 5 },
  ]);
  const part = explain(1)!.parts.find(({ model }) => model === 'ignored')!;
  t.true(part.score >= -part.weight && part.score < -0.99 * part.weight);
  t.false(order.includes(11));
  t.is(explain(5_000), undefined);
});

test('without impressions the model is absent', (t) => {
  const { interactions } = worldOf(Array(3).fill({}), [view('a', 0, nowSeconds)]);
  t.is(interactions.sightings, undefined);
});

test('a question uses the subject’s impressions since the last contact and before the visit', (t) => {
  const events = [
    shown('b', 3, nowSeconds - 2 * day),
    shown('a', 1, nowSeconds - 3 * day),
    view('a', 1, nowSeconds - 2 * day),
    shown('a', 1, nowSeconds - day),
    shown('a', 2, nowSeconds - day),
    shown('a', 4, nowSeconds - 60),
    view('a', 0, nowSeconds),
    view('b', 0, nowSeconds),
  ];
  const { interactions } = worldOf(Array(5).fill({}), events);
  const asked = ignoredBefore(interactions, { subject: 0, event: 1 });
  t.deepEqual(asked.map(({ itemIndex }) => itemIndex).toSorted(), [1, 2]);
  t.true(asked.every(({ times: one }) => Math.abs(one - 2 ** (-1 / 7)) < 1e-9));
});

test('the oldest impressions are dropped, and subjects without events are left out', (t) => {
  const builder = createImpressionsBuilder(4);
  for (let at = 0; at < 6; at++) builder.show(at % 2 === 0 ? 'even' : 'odd', at, at);
  const { subjectOffsets, item } = builder.finish({
    subjects: [['even', 0]],
    subjectOffsets: new Int32Array(2),
    item: new Int32Array(0),
    timeSeconds: new Float64Array(0),
    fullWeight: new Float32Array(0),
  }).sightings!;
  t.deepEqual(
    [Array.from(subjectOffsets), Array.from(item)],
    [
      [0, 2],
      [2, 4],
    ],
  );
});

test('its weight is learnt: it exceeds the minimum if ignored items are never viewed later', (t) => {
  const { interactions } = worldOf(Array(40).fill({}), repeatedlyIgnoring());
  const asking = { per: 'event', excluded: 'met', horizon: 1 } as const;
  const { learnt } = trainBlended({ interactions, nowSeconds, asking });
  t.true(learnt!.weights.ignored > 0.05);
  t.true(learnt!.report.models.ignored.without < learnt!.report.blend);
});

/**
 * Each subject views six of twelve related items in a random order, and has five impressions of
 * each of the other six a day before.
 */
function repeatedlyIgnoring(): InteractionEvent[] {
  return Array.from({ length: 240 }, (_, subject) => {
    const theme = 12 * (subject % 3);
    const start = nowSeconds - 20 * day + subject * 4_000;
    const mixed = (item: number) => mixedOf(subject * 100 + item);
    const items = Array.from({ length: 12 }, (_, item) => item).sort((a, b) => mixed(a) - mixed(b));
    const left = items
      .slice(6)
      .flatMap((item) =>
        Array.from({ length: 5 }, (_, time) => shown(`s${subject}`, theme + item, start - day + time)),
      );
    const met = items.slice(0, 6).map((item, step) => view(`s${subject}`, theme + item, start + step * 60));
    return [...left, ...met];
  }).flat();
}

test('the same impressions give the same bytes', (t) => {
  const bytesOf = () => {
    const { sightings } = worldOf(Array(40).fill({}), repeatedlyIgnoring()).interactions;
    return [sightings, ignored.train({ sightings }, {})];
  };
  t.deepEqual(bytesOf(), bytesOf());
});
