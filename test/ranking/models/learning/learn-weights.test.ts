import test from 'ava';
import {
  addTo,
  meanNdcg,
  meanNdcgWith,
  scoreWeights,
  sumAll,
} from '../../../../src/ranking/models/learning/cached-ndcg.ts';
import { learnWeights } from '../../../../src/ranking/models/learning/learn-weights.ts';
import type { ScoreCache } from '../../../../src/ranking/models/learning/score-cache.ts';

const candidateCount = 30;

/** Per question the scores of each model for its candidates; the first candidate is the answer. */
function cacheOf(
  questionCount: number,
  models: ((question: number, candidate: number) => number)[],
): ScoreCache {
  const offsets = Int32Array.from({ length: questionCount + 1 }, (_, question) => question * candidateCount);
  const count = questionCount * candidateCount;
  return {
    models: models.map((_, model) => `model ${model}`),
    questions: Array.from({ length: questionCount }, (_, subject) => ({
      subject,
      event: 0,
      answers: Int32Array.of(0),
    })),
    offsets,
    items: Int32Array.from({ length: count }, (_, at) => at % candidateCount),
    scores: models.map((scoreOf) =>
      Float32Array.from({ length: count }, (_, at) =>
        scoreOf(Math.floor(at / candidateCount), at % candidateCount),
      ),
    ),
    answers: Array.from({ length: questionCount }, (_, question) => Int32Array.of(offsets[question])),
  };
}

/** Pseudo-random in 0…1. */
const noise = (a: number, b: number): number => {
  const bits = Math.imul((a * 31 + b + 1) ^ 0x9e3779b9, 0x85ebca6b);
  return ((bits ^ (bits >>> 15)) >>> 0) / 2 ** 32;
};

const knowsAnswer = (_question: number, candidate: number) => (candidate === 0 ? 1 : 0);
const knowsNothing = (question: number, candidate: number) => noise(question, candidate);
/** Each of two models knows the answers of half of the questions. */
const knowsHalf = (half: number) => (question: number, candidate: number) =>
  question % 2 === half && candidate === 0 ? 1 : 0.5 * noise(question + half * 977, candidate);

test('a model that knows the answers outweighs one that does not', (t) => {
  const { weights, ndcg } = learnWeights(cacheOf(100, [knowsNothing, knowsAnswer]));
  t.is(ndcg, 1);
  t.true(weights[1] > weights[0]);
});

test('models that know different answers are better together than each alone', (t) => {
  const cache = cacheOf(100, [knowsHalf(0), knowsHalf(1)]);
  const { weights, ndcg } = learnWeights(cache);
  t.true(weights[0] > 0 && weights[1] > 0);
  t.true(ndcg > scoreWeights(cache, Float64Array.of(1, 0)) + 0.1);
  t.true(Math.abs(scoreWeights(cache, weights) - ndcg) < 1e-9);
});

test('without questions or answers there is no gain', (t) => {
  t.is(learnWeights(cacheOf(0, [knowsAnswer])).ndcg, 0);
  t.is(learnWeights(cacheOf(5, [() => 0])).ndcg, 1);
});

test('equal scores are ordered by index', (t) => {
  const cache = cacheOf(1, [() => 0]);
  t.is(scoreWeights({ ...cache, answers: [Int32Array.of(1)] }, Float64Array.of(1)), 1 / Math.log2(3));
});

test('trials of several multiples at once give what each gives alone, also with equal scores', (t) => {
  /** Few different scores, so that many sums are equal or differ by rounding. */
  const rough = (seed: number) => (question: number, candidate: number) =>
    Math.round(6 * noise(question + seed * 977, candidate)) / 10;
  const cache = cacheOf(60, [rough(1), rough(2)]);
  const asked = { ...cache, answers: cache.answers.map(([first]) => Int32Array.of(first, first + 7)) };
  const questions = [...asked.questions.keys()];
  const totals = sumAll(asked, Float64Array.of(0.7, 0));
  for (const multiples of [[-0.7, -0.3, 0.1, 0.3, 2.8], [0.1, 0.2], [-0.7], []]) {
    const alone = multiples.map((multiple) => {
      const added = totals.slice();
      addTo(added, asked.scores[1], multiple);
      return meanNdcg(asked, questions, added);
    });
    t.deepEqual(meanNdcgWith(asked, questions, totals, asked.scores[1], multiples), alone);
  }
});

test('if other models only disturb the best one, it gets the weight, which is reported', (t) => {
  const rightMostly = (question: number, candidate: number) =>
    candidate === 0 ? 0.5 + 0.5 * noise(question, 1) : 0.8 * noise(question, candidate);
  const others = Array.from(
    { length: 10 },
    (_, model) => (question: number, candidate: number) =>
      noise(question * 7 + model, candidate + 100 * model),
  );
  const cache = cacheOf(60, [rightMostly, ...others]);
  const { weights, unseenNdcg } = learnWeights(cache);
  const alone = scoreWeights(
    cache,
    Float64Array.from(weights, (_, model) => Number(model === 0)),
  );
  t.true(unseenNdcg >= alone - 0.02, `${unseenNdcg} of ${alone}`);
});

test('NDCG on unseen questions does not exceed NDCG on the learnt ones', (t) => {
  const { ndcg, unseenNdcg } = learnWeights(cacheOf(200, [knowsHalf(0), knowsHalf(1), knowsNothing]));
  t.true(unseenNdcg <= ndcg);
  t.true(unseenNdcg > 0.5);
});

test('another seed samples other subjects', (t) => {
  const cache = cacheOf(200, [knowsHalf(0), knowsHalf(1), knowsNothing]);
  t.deepEqual(learnWeights(cache, { seed: 1 }), learnWeights(cache, { seed: 1 }));
  t.notDeepEqual(learnWeights(cache, { seed: 1 }).weights, learnWeights(cache, { seed: 2 }).weights);
});

test('a trusted leading model gets the weight while the loss is insignificant', (t) => {
  const rightBy = (chance: number, seed: number) => (question: number, candidate: number) =>
    candidate === 0 && noise(question, seed) < chance ? 1 : 0.9 * noise(question * 3 + seed, candidate);
  const hardlyBetter = cacheOf(240, [rightBy(0.7, 5), rightBy(0.5, 17)]);
  const { weights, fallback } = learnWeights(hardlyBetter, { trust: 'leading' });
  t.deepEqual(fallback, { model: 0, share: 1 });
  t.true(weights[0] > 50 * weights[1]);
  t.not(learnWeights(hardlyBetter).fallback?.share, 1);
  const farBetter = cacheOf(240, [knowsHalf(0), knowsHalf(1)]);
  const both = learnWeights(farBetter, { trust: 'leading' });
  t.true(both.ndcg > scoreWeights(farBetter, Float64Array.of(1, 0)) + 0.1);
});

test('weights move towards a trusted best single model even if it is behind', (t) => {
  const last = candidateCount - 1;
  const rightWhere =
    (isRight: (question: number) => boolean, seed: number) => (question: number, candidate: number) =>
      candidate === last && isRight(question) ? 1 : 0.9 * noise(question * 3 + seed, candidate);
  const models = [
    rightWhere((question) => question % 5 !== 0, 5),
    rightWhere((question) => question % 5 === 0, 17),
  ];
  const asked = cacheOf(60, models);
  const cache = { ...asked, answers: asked.answers.map(([first]) => Int32Array.of(first + last)) };
  const untrusted = learnWeights(cache);
  const trusted = learnWeights(cache, { trust: 'likely' });
  t.is(untrusted.fallback, undefined);
  t.is(trusted.fallback?.model, 0);
  t.true(trusted.weights[1] < 0.8 * untrusted.weights[1]);
  t.true(trusted.weights[1] > 0.05 * trusted.weights[0]);
});
