/**
 * The weights that rank the answers best.
 *
 * One search fits the chance of its questions too. So several are made, each on the questions of some of the subjects, and
 * their weights averaged (Breiman, "Bagging Predictors", 1996; without replacement: Bühlmann, Yu, 2002). What that is worth is
 * told by the subjects that a search did not see (Breiman, "Out-of-bag Estimation", 1996): by them the mean is evened out
 * towards what each model is worth alone, and towards the best single model where that is better or trusted.
 */

import { mixed } from '../arrays/mixed.ts';
import { meanOf, standardError } from '../arrays/statistics.ts';
import { scoreQuestions, scoreQuestionsBy, scoreWeights } from './cached-ndcg.ts';
import type { ScoreCache } from './score-cache.ts';
import { searchWeights, singleWeight } from './search-weights.ts';

export type LearntWeights = {
  /** By the order of the cache's models. */
  weights: Float64Array;
  /** Mean NDCG@20 of the questions. */
  ndcg: number;
  /** The same of weights that know nothing of the question's subject: what to expect of other questions. */
  unseenNdcg: number;
  /** Set where one model alone was better than all together, or trusted: which, and how far the weights went towards it, 0…1. */
  fallback?: { model: number; share: number };
};

/** Searches, and the share of the subjects that each sees, as far as it sees no more than so many questions. */
const searchCount = 9;
const searchShare = 0.4;
const mostSearched = 500;
/** A search that would see fewer questions sees all. */
const fewestSearched = 20;

export type LearnWeightsOptions = {
  /** Positions in the cache [all]. */
  questions?: readonly number[];
  /** Where searches begin [at the best single model]. */
  start?: Float64Array;
  /** Which subjects each search sees [0]. */
  seed?: number;
  /** What is made of the best single model [where it is ahead of the blend, weights move towards it]. */
  trust?: SingleTrust;
  /** What each of the cache's questions counts where weights are judged, not searched [all alike]. */
  worthAhead?: Float64Array;
};

/**
 * Likely: where it is behind the blend, too, weights move towards it, each share counting as much
 * as its loss may be chance. Leading: the same, and a model that is ahead of each other one beyond
 * doubt gets the weight as far as the loss may be chance. Near: such a model gets it, too, where the
 * blend is ahead of it by a standard error or less; no other is trusted.
 */
export type SingleTrust = 'likely' | 'leading' | 'near';

export function learnWeights(asked: ScoreCache, options: LearnWeightsOptions = {}): LearntWeights {
  const { questions = Array.from(asked.questions.keys()), trust } = options;
  const cache = { ...asked, worth: worthOf(asked, questions) };
  const natural = cache.scores.map((_, model) => naturalWeight(cache, model, questions));
  const bag = fillBag(cache, questions, natural, options);
  const judged = { ...cache, worth: options.worthAhead ?? cache.worth };
  const singles = natural.map((_, model) => singleWeight(natural.length, model, 1));
  const alone = singles.map((single) => scoreQuestions(judged, single, questions));
  const asFound = singles.map((single) => scoreQuestions(cache, single, questions));
  const judge = createJudge(judged, questions, bag);
  const prior = priorOf(alone, natural);
  const evened = evenOut(judge, identity, prior);
  const chosen = fallBack(judge, evened, { alone, asFound, natural, prior, trust });
  const weights = chosen.mix(bag.mean);
  return {
    weights,
    ndcg: scoreWeights(asked, weights, questions),
    unseenNdcg: meanOf(createJudge(asked, questions, bag).scoresOf(chosen.mix)),
    fallback: chosen.fallback,
  };
}

/**
 * Parts of lists count alike: each as much more as its best single model has less. Else the parts that are easily found would
 * decide, and what is asked later may be any.
 */
// A power mean in which the worst part counts most (exponent -8) changed nothing on MovieLens.
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

/** Weights that several searches found. */
type Bag = {
  /** Of all searches. */
  mean: Float64Array;
  /** Of those that did not see the subject of a question; of all where each saw everything. */
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

/** Decided by number, so that the same events give the same weights. */
function isSeen(subject: number, search: number, share: number): boolean {
  return mixed(Math.imul(subject + 1, 0x9e3779b1) + search) < share * 2 ** 32;
}

/** Weights in natural units that add up to 1, so that no search counts more than another. */
function toShares(weights: Float64Array, natural: readonly number[]): Float64Array {
  const total = weights.reduce(
    (sum, weight, model) => sum + (natural[model] > 0 ? weight / natural[model] : 0),
    0,
  );
  return total > 0 ? weights.map((weight) => weight / total) : weights;
}

/** What becomes of the weights that searches found. */
type Mix = (found: Float64Array) => Float64Array;
const identity: Mix = (found) => found;

/** NDCG@20 of each question under weights that know nothing of its subject, and how sure a mean of such figures is. */
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

/** How far a mixture is behind the best of those tried with it, and how sure that is. */
type Tried = Judged & { loss: number; error: number };

/** Shares of what the weights are moved towards. */
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
 * The mean of the mixtures of two weightings, each counting as much as what it is behind the best of them is likely to be
 * chance (a normal density in standard errors of the difference).
 *
 * What people do next year differs from what they did last month, and several models err less together than the one that
 * was best alone; where the weights found are better beyond doubt, they stay.
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

/** A loss of more standard errors is no chance. */
const toleratedErrors = 2;

/**
 * As far as the loss may be chance, since the simpler is the surer (as the one-standard-error rule has it: Breiman et al.,
 * "Classification and Regression Trees", 1984).
 */
function moveOver(judge: Judge, from: Mix, towards: Float64Array): Judged {
  return tryShares(judge, from, towards).findLast(({ loss, error }) => loss <= toleratedErrors * error)!;
}

function mixOf(one: Float64Array, other: Float64Array, share: number): Float64Array {
  return one.map((weight, model) => (1 - share) * weight + share * other[model]);
}

/** What all models keep beside the best, since some only lift what others propose. */
const leastShared = 0.02;
/** The same beside one that leads all others beyond doubt: enough to lift, too little to reorder what it ranks. */
// A fiftieth left one of four generated logs behind its leader by 0.0008 ± 0.0006 NDCG.
const hardlyShared = 0.005;

type Singles = {
  /** NDCG@20 of each question by each model. */
  alone: readonly Float64Array[];
  /** The same with questions as they were found: surer of which model leads. */
  asFound: readonly Float64Array[];
  natural: readonly number[];
  prior: Float64Array;
  trust: SingleTrust | undefined;
};

/**
 * Towards the best single model: where that is ahead of the blend, or trusted. One that leads where
 * histories grow is ahead unless the blend is by more than a standard error (the rule of `moveOver`).
 */
function fallBack(
  judge: Judge,
  evened: Judged,
  { alone, asFound, natural, prior, trust }: Singles,
): Judged & Pick<LearntWeights, 'fallback'> {
  const means = alone.map(meanOf);
  const model = means.indexOf(Math.max(...means));
  if (model < 0) return evened;
  const isLeading = (trust === 'leading' || trust === 'near') && leads(judge, asFound, model);
  const gains = evened.scores.map((score, place) => score - alone[model][place]);
  const overlooked = trust === 'near' && isLeading ? judge.errorOf(gains) : 0;
  const isTrusted = trust === 'leading' || trust === 'likely';
  if (!isTrusted && meanOf(gains) >= overlooked) return evened;
  const single = toShares(singleWeight(natural.length, model, natural[model]), natural);
  const fallen = isLeading
    ? moveOver(judge, evened.mix, mixOf(single, prior, hardlyShared))
    : evenOut(judge, evened.mix, mixOf(single, prior, leastShared));
  return { ...fallen, fallback: { model, share: fallen.share } };
}

/** Whether a model is ahead of each other one by more than chance explains. */
function leads(judge: Judge, alone: readonly Float64Array[], model: number): boolean {
  return alone.every((scores, other) => {
    const gains = scores.map((score, place) => alone[model][place] - score);
    return other === model || meanOf(gains) > toleratedErrors * judge.errorOf(gains);
  });
}

/** Each model as much as it is worth alone: its natural weight times the square of its NDCG beside that of the best. */
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
