import test from 'ava';
import { compare, judge, judgeEvery, type Verdict } from '../../../src/jobs/training/judge.ts';
import { createStringTable } from '../../../src/ranking/models/arrays/string-table.ts';
import type { TrainedModels } from '../../../src/ranking/models/artefact.ts';
import { createInteractionsBuilder } from '../../../src/ranking/models/interactions.ts';
import { createItemKeys } from '../../../src/ranking/models/item-keys.ts';
import { packLearnt } from '../../../src/ranking/models/learning/learnt-blends.ts';
import type { Asking } from '../../../src/ranking/models/learning/questions.ts';
import { latestOf } from '../../../src/ranking/models/learning/times.ts';
import { trainBlended } from '../../../src/ranking/models/learning/train-blended.ts';

const asking: Asking = { per: 'event', excluded: 'last', horizon: 5, maxQuestions: 1_000 };
const itemCount = 60;

/** Subjects that step through the items in circles of ten, so that the next item is known. */
function createWorld(subjects: number) {
  const itemKeys = createItemKeys();
  for (let item = 0; item < itemCount; item++) itemKeys.intern('item', String(item));
  const builder = createInteractionsBuilder({ itemKeys });
  for (let subject = 0; subject < subjects; subject++) {
    const circle = subject % 6;
    for (let step = 0; step < 12; step++) {
      const itemId = String(circle * 10 + ((subject + step) % 10));
      const timeSeconds = 1e9 + subject * 100 + step * 5;
      builder.add({
        subjectKey: `s${subject}`,
        itemId,
        itemType: 'item',
        eventType: 'detail_pageview',
        timeSeconds,
      });
    }
  }
  return { itemKeys, interactions: builder.finish() };
}

type World = ReturnType<typeof createWorld>;

function train({ itemKeys, interactions }: World): TrainedModels {
  const { tables, learnt } = trainBlended({ interactions, asking, nowSeconds: 2e9 });
  const models: TrainedModels = { itemKeys: createStringTable(itemKeys.keys), ...tables };
  if (learnt) models.learnt = packLearnt(learnt);
  models.trainedUntil = Float64Array.of(latestOf(interactions));
  return models;
}

function judgeBy(world: World, served: TrainedModels): Verdict | undefined {
  let verdict: Verdict | undefined;
  trainBlended({
    interactions: world.interactions,
    asking,
    nowSeconds: 2e9,
    sliceShare: 0.1,
    judgeEvery,
    judge(judging) {
      verdict = judge(judging, served, world.itemKeys);
      return verdict.isPublished;
    },
  });
  return verdict;
}

test('untrained models lose against trained ones', (t) => {
  const world = createWorld(400);
  const served = train(createWorld(3));
  const verdict = judgeBy(world, served)!;
  t.true(verdict.isPublished);
  t.true(verdict.questionCount! >= 30);
  t.true(verdict.quality! > verdict.servedQuality!);
  t.true(verdict.hitCount! > verdict.servedHitCount!);
  t.true(verdict.hitCount! <= verdict.questionCount!);
});

test('only events newer than the models in use give questions', (t) => {
  const world = createWorld(400);
  const { isPublished, questionCount, decision } = judgeBy(world, train(world))!;
  t.is(questionCount, null);
  t.true(isPublished);
  t.regex(decision, /Too few events/);
});

test('models are published unless they are significantly worse', (t) => {
  const served = Float64Array.from({ length: 200 }, (_, i) => 0.4 + (i % 10) / 50);
  t.true(compare(served, served).isPublished);
  t.true(
    compare(
      served.map((score, i) => score + (i % 2 ? 0.2 : -0.21)),
      served,
    ).isPublished,
  );
  t.true(
    compare(
      served.map((score) => score + 0.1),
      served,
    ).isPublished,
  );
  const worse = compare(
    served.map((score, i) => score - (i % 2 ? 0.05 : 0.15)),
    served,
  );
  t.false(worse.isPublished);
  t.regex(worse.decision, /Worse; the models in use are kept: NDCG@20 0\.\d+ against 0\.\d+ in use/);
});

test('refused models are not trained on all events', (t) => {
  const { interactions } = createWorld(400);
  const { tables } = trainBlended({ interactions, asking, nowSeconds: 2e9, judgeEvery, judge: () => false });
  t.deepEqual(tables, {});
});
