/**
 * Learns the weights that rank answers best.
 *
 * A single search also fits noise, so several search the questions of some subjects each, and their
 * weights are averaged (Breiman, "Bagging Predictors", 1996; without replacement: Bühlmann, Yu,
 * 2002). The subjects that a search did not see judge the result (Breiman, "Out-of-bag Estimation",
 * 1996): the mean moves towards each model's value alone, and towards the best single model where
 * it is better or trusted.
 */

import { mixed } from '../arrays/mixed.ts';
import { meanOf, standardError } from '../arrays/statistics.ts';
import { scoreQuestions, scoreQuestionsBy, scoreWeights } from './cached-ndcg.ts';
import type { ScoreCache } from './score-cache.ts';
import { searchWeights, singleWeight } from './search-weights.ts';

export type LearntWeights = {
  /** In the order of the cache's models. */
  weights: Float64Array;
  /** Mean NDCG@20 of the questions. */
  ndcg: number;
  /** NDCG of weights learnt without the question's subject: an estimate for other questions. */
  unseenNdcg: number;
  /** Set if one model alone was better or trusted: the model, and the step towards it, 0…1. */
  fallback?: { model: number; share: number };
};

/** Number of searches, and the share of subjects of each, within a limit of questions. */
const searchCount = 9;
const searchShare = 0.4;
const mostSearched = 500;
/** With fewer questions, a search sees all. */
const fewestSearched = 20;

export type LearnWeightsOptions = {
  /** Positions in the cache [all]. */
  questions?: readonly number[];
  /** Start of the searches [the best single model]. */
  start?: Float64Array;
  /** Selects the subjects of each search [0]. */
  seed?: number;
  /** Trust in the best single model [weights move towards it where it beats the blend]. */
  trust?: SingleTrust;
};

/**
 * `likely`: weights move towards the model even if it is behind, each share weighed by the
 * likelihood that its loss is chance. `leading`: also, a model significantly ahead of all others
 * gets as much weight as chance can explain.
 */
export type SingleTrust = 'likely' | 'leading';

export function learnWeights(asked: ScoreCache, options: LearnWeightsOptions = {}): LearntWeights {
  const { questions = Array.from(asked.questions.keys()), trust } = options;
  const cache = { ...asked, worth: worthOf(asked, questions) };
  const natural = cache.scores.map((_, model) => naturalWeight(cache, model, questions));
  const bag = fillBag(cache, questions, natural, options);
  const singles = natural.map((_, model) => singleWeight(natural.length, model, 1));
  const alone = singles.map((single) => scoreQuestions(cache, single, questions));
  const judge = createJudge(cache, questions, bag);
  const prior = priorOf(alone, natural);
  const evened = evenOut(judge, identity, prior);
  const chosen = fallBack(judge, evened, { alone, natural, prior, trust });
  const weights = chosen.mix(bag.mean);
  return {
    weights,
    ndcg: scoreWeights(asked, weights, questions),
    unseenNdcg: meanOf(createJudge(asked, questions, bag).scoresOf(chosen.mix)),
    fallback: chosen.fallback,
  };
}

/**
 * Weighs the parts of lists equally, by the inverse of their best single model's score; else easy
 * parts would decide, while future questions may concern any part.
 */
// A power mean that stresses the worst part (exponent -8) changed nothing on MovieLens.
function worthOf(cache: ScoreCache, questions: readonly number[]): Float64Array | undefined {
  const byPart = Map.groupBy(questions, (question) => cache.questions[question].part);
  if (byPart.size < 2) return undefined;
  const worth = new Float64Array(cache.questions.length);
  for (const own of byPart.values()) {
    const alone = cache.scores.map((_, model) =>
      scoreWeights(cache, singleWeight(cache.scores.length, model, 1), own),
    );
    for (const question of own) worth[question] = 1 / (Math.max(...alone) || 1);
  }
  return worth;
}

/** Weights found by several searches. */
type Bag = {
  /** Mean of all searches. */
  mean: Float64Array;
  /** Mean of searches that did not see the question's subject; of all if each saw everything. */
  unseen(question: number): Float64Array;
};

function fillBag(
  cache: ScoreCache,
  questions: readonly number[],
  natural: readonly number[],
  { start, seed = 0 }: LearnWeightsOptions,
): Bag {
  const share = Math.min(searchShare, mostSearched / Math.max(1, questions.length));
  const subjectOf = (question: number) => cache.questions[question].subject;
  const searches = Array.from({ length: searchCount }, (_, place) => {
    const search = place + searchCount * seed;
    const some = questions.filter((question) => isSeen(subjectOf(question), search, share));
    const isEnough = some.length >= fewestSearched;
    const found = searchWeights(cache, isEnough ? some : questions, natural, start);
    const sees = (subject: number) => !isEnough || isSeen(subject, search, share);
    return { weights: toShares(found, natural), sees };
  });
  const mean = average(searches.map(({ weights }) => weights));
  const byBlind = new Map<string, Float64Array>();
  const unseen = (question: number): Float64Array => {
    const blind = searches.filter(({ sees }) => !sees(subjectOf(question)));
    const key = searches.map((one) => Number(blind.includes(one))).join('');
    const known =
      byBlind.get(key) ?? (blind.length > 0 ? average(blind.map(({ weights }) => weights)) : mean);
    byBlind.set(key, known);
    return known;
  };
  return { mean, unseen };
}

function average(all: readonly Float64Array[]): Float64Array {
  return all[0].map((_, model) => all.reduce((sum, weights) => sum + weights[model], 0) / all.length);
}

/** Decides by number, so that equal events give equal weights. */
function isSeen(subject: number, search: number, share: number): boolean {
  return mixed(Math.imul(subject + 1, 0x9e3779b1) + search) < share * 2 ** 32;
}

/** Returns weights in natural units that add up to 1, so that all searches count equally. */
function toShares(weights: Float64Array, natural: readonly number[]): Float64Array {
  const total = weights.reduce(
    (sum, weight, model) => sum + (natural[model] > 0 ? weight / natural[model] : 0),
    0,
  );
  return total > 0 ? weights.map((weight) => weight / total) : weights;
}

/** Transforms the weights that searches found. */
type Mix = (found: Float64Array) => Float64Array;
const identity: Mix = (found) => found;

/** NDCG@20 of each question by weights learnt without its subject, and the error of a mean. */
type Judge = {
  scoresOf(mix: Mix): Float64Array;
  errorOf(differences: Float64Array): number;
};

function createJudge(cache: ScoreCache, questions: readonly number[], bag: Bag): Judge {
  const subjects = questions.map((question) => cache.questions[question].subject);
  return {
    scoresOf(mix) {
      const mixes = new Map<Float64Array, Float64Array>();
      return scoreQuestionsBy(cache, questions, (question) => {
        const found = bag.unseen(question);
        const weights = mixes.get(found) ?? mix(found);
        mixes.set(found, weights);
        return weights;
      });
    },
    errorOf: (differences) => standardError(differences, subjects),
  };
}

type Judged = { mix: Mix; scores: Float64Array; share: number };

/** A mixture's loss to the best one tried, with its standard error. */
type Tried = Judged & { loss: number; error: number };

/** Steps towards other weights. */
const shares = [0, 0.2, 0.4, 0.6, 0.8, 1];

function tryShares(judge: Judge, from: Mix, towards: Float64Array): Tried[] {
  const tried = shares.map((share): Judged => {
    const mix: Mix = (found) => mixOf(from(found), towards, share);
    return { mix, share, scores: judge.scoresOf(mix) };
  });
  const best = tried.reduce((most, one) => (meanOf(one.scores) > meanOf(most.scores) ? one : most));
  return tried.map((one) => {
    const losses = one.scores.map((score, place) => best.scores[place] - score);
    return { ...one, loss: meanOf(losses), error: judge.errorOf(losses) };
  });
}

/**
 * Returns the mean of mixtures of two weightings, each weighed by the likelihood that its loss is
 * chance (a normal density in standard errors).
 *
 * Behaviour changes over time, and several models err less together than the former best; weights
 * that are significantly better stay.
 */
function evenOut(judge: Judge, from: Mix, towards: Float64Array): Judged {
  let total = 0;
  let sum = 0;
  for (const { share, loss, error } of tryShares(judge, from, towards)) {
    const likelihood = Math.exp(-0.5 * (loss / (error || 1)) ** 2);
    total += likelihood;
    sum += likelihood * share;
  }
  const share = sum / total;
  const mix: Mix = (found) => mixOf(from(found), towards, share);
  return { mix, scores: judge.scoresOf(mix), share };
}

/** A loss of more standard errors is significant. */
const toleratedErrors = 2;

/**
 * Moves as far as the loss may be chance, since simpler is safer (one-standard-error rule: Breiman
 * et al., "Classification and Regression Trees", 1984).
 */
function moveOver(judge: Judge, from: Mix, towards: Float64Array): Judged {
  return tryShares(judge, from, towards).findLast(({ loss, error }) => loss <= toleratedErrors * error)!;
}

function mixOf(one: Float64Array, other: Float64Array, share: number): Float64Array {
  return one.map((weight, model) => (1 - share) * weight + share * other[model]);
}

/** Weight that models keep beside the best one, since some only lift proposed items. */
const leastShared = 0.02;
/** The same beside a significant leader: enough to lift, too little to reorder. */
// 0.02 left one of four generated logs behind its leader by 0.0008 ± 0.0006 NDCG.
const hardlyShared = 0.005;

type Singles = {
  /** NDCG@20 of each question by each model. */
  alone: readonly Float64Array[];
  natural: readonly number[];
  prior: Float64Array;
  trust: SingleTrust | undefined;
};

/** Moves towards the best single model if it beats the blend or is trusted. */
function fallBack(
  judge: Judge,
  evened: Judged,
  { alone, natural, prior, trust }: Singles,
): Judged & Pick<LearntWeights, 'fallback'> {
  const means = alone.map(meanOf);
  const model = means.indexOf(Math.max(...means));
  if (model < 0) return evened;
  const isLeading = trust === 'leading' && leads(judge, alone, model);
  const gains = evened.scores.map((score, place) => score - alone[model][place]);
  if (trust === undefined && meanOf(gains) >= 0) return evened;
  const single = toShares(singleWeight(natural.length, model, natural[model]), natural);
  const fallen = isLeading
    ? moveOver(judge, evened.mix, mixOf(single, prior, hardlyShared))
    : evenOut(judge, evened.mix, mixOf(single, prior, leastShared));
  return { ...fallen, fallback: { model, share: fallen.share } };
}

/** Returns whether a model is significantly ahead of every other. */
function leads(judge: Judge, alone: readonly Float64Array[], model: number): boolean {
  return alone.every((scores, other) => {
    const gains = scores.map((score, place) => alone[model][place] - score);
    return other === model || meanOf(gains) > toleratedErrors * judge.errorOf(gains);
  });
}

/** Weighs models by their value alone: natural weight times squared NDCG relative to the best. */
function priorOf(alone: readonly Float64Array[], natural: readonly number[]): Float64Array {
  const means = alone.map(meanOf);
  const best = Math.max(0, ...means);
  const worth = means.map((ndcg) => (best === 0 ? 0 : (Math.max(0, ndcg) / best) ** 2));
  return toShares(
    Float64Array.from(natural, (unit, model) => unit * worth[model]),
    natural,
  );
}

function naturalWeight({ scores, offsets }: ScoreCache, model: number, questions: readonly number[]): number {
  let sum = 0;
  for (const question of questions) {
    let best = 0;
    for (let at = offsets[question]; at < offsets[question + 1]; at++)
      best = Math.max(best, Math.abs(scores[model][at]));
    sum += best;
  }
  return sum > 0 ? questions.length / sum : 0;
}
