/**
 * Learns an environment's blend from held-out events: each model's seed profile and weight, and
 * with enough data, weights by page type.
 */

import type { BlendWeights, SeedProfiles } from '../blend.ts';
import type { Interactions } from '../interactions.ts';
import type { IndexMapping } from '../model.ts';
import { mostRecents } from '../query.ts';
import { modelEntries } from '../registry.ts';
import { scoreWeights } from './cached-ndcg.ts';
import { learnCalibration } from './learn-calibration.ts';
import { learnProfiles } from './learn-profiles.ts';
import { learnWeights, type SingleTrust } from './learn-weights.ts';
import type { PartsToAsk } from './list-order.ts';
import { type Exclusion, isReturn } from './questions.ts';
import { cacheScores, type Fold, type ScoreCache } from './score-cache.ts';

export type LearntBlend = {
  weights: BlendWeights;
  profiles: SeedProfiles;
  /** Strength of the calibration; unknown without interests in categories. */
  calibration?: number;
  /** Blend of a visit's first list, if it differs. */
  returning?: Pick<LearntBlend, 'weights' | 'profiles' | 'calibration'>;
  /** Weights by page type, where they rank its questions better. */
  pageTypes: Readonly<Record<string, BlendWeights>>;
  report: BlendReport;
};

/** Value of each model, as mean NDCG@20 over the questions. */
export type BlendReport = {
  questionCount: number;
  blend: number;
  /** NDCG of weights learnt without the subjects asked. */
  unseen: number;
  /** Set if one model alone was better or trusted; `share` is the step towards it, 0…1. */
  fallback?: { model: string; share: number };
  /** Each model alone, and the blend without it. */
  models: Readonly<Record<string, { alone: number; without: number }>>;
};

export type LearnBlendOptions = {
  folds: readonly Fold[];
  mapping: IndexMapping;
  excluded: Exclusion;
  maxRecents?: number;
  /** Selects the subjects of each search of the weights. */
  seed?: number;
  /** Learn a visit's first contact and later ones separately [false]. */
  byVisit?: boolean;
  /** Category of an item for the calibration [none is learnt]. */
  categoryOf?(item: number): string | undefined;
};

/** Fewest questions for a page type. */
const pageTypeQuestions = 300;

/** Fewest questions for the beginnings of visits. */
const returnQuestions = 100;

export function learnBlend(options: LearnBlendOptions): LearntBlend {
  const { returning, within } = divideByVisit(options);
  const learnt = learnOneBlend({ ...options, folds: within });
  if (returning === undefined) return learnt;
  const { weights, profiles, calibration } = learnOneBlend({ ...options, folds: returning });
  return { ...learnt, returning: { weights, profiles, calibration } };
}

/** Returns undefined when either kind has too few questions. */
function divideByVisit({ folds, byVisit }: LearnBlendOptions) {
  const choose = (wanted: boolean) =>
    folds
      .map((fold) => ({
        ...fold,
        questions: fold.questions.filter((question) => isReturn(fold.source, question) === wanted),
      }))
      .filter(({ questions }) => questions.length > 0);
  const countOf = (some: readonly Fold[]) => some.reduce((sum, { questions }) => sum + questions.length, 0);
  const [returning, within] = [true, false].map(choose);
  if (!byVisit || Math.min(countOf(returning), countOf(within)) < returnQuestions) return { within: folds };
  return { returning, within };
}

function learnOneBlend(options: LearnBlendOptions): LearntBlend {
  const settings = { maxRecents: mostRecents, ...options };
  const profiles = learnProfiles(settings);
  const cache = cacheScores({ ...settings, profiles });
  const [{ source, parts }] = settings.folds;
  const judging = { seed: options.seed, trust: trustOf(parts) };
  const { weights, ndcg, unseenNdcg, fallback } = learnWeights(cache, judging);
  const unit = 1 / (meanBestScore(cache, weights) || 1);
  return {
    weights: named(cache, weights, unit),
    profiles,
    calibration:
      options.categoryOf && learnCalibration({ ...settings, categoryOf: options.categoryOf, cache, weights }),
    pageTypes: learnPageTypes(cache, { weights, unit, source, seed: options.seed }),
    report: {
      questionCount: cache.questions.length,
      blend: ndcg,
      unseen: unseenNdcg,
      fallback: fallback && { ...fallback, model: cache.models[fallback.model] },
      models: reportModels(cache, weights),
    },
  };
}

/**
 * Chooses the trust in the best single model. Without times its lead grows after learning: on
 * MovieLens the item ridge leads co-visits by 6 to 10 % in learning, and by 17 to 20 % in the end.
 * If the list part of future questions is unknown, the best model may change, as on Gowalla.
 */
function trustOf(parts: PartsToAsk | undefined): SingleTrust | undefined {
  if (parts === undefined || parts.isUncertain) return undefined;
  return parts.isUnordered ? 'leading' : 'likely';
}

type PageLearning = { weights: Float64Array; unit: number; source: Interactions; seed?: number };

function learnPageTypes(
  cache: ScoreCache,
  { weights, unit, source: { pageType, pageTypes }, seed }: PageLearning,
): Record<string, BlendWeights> {
  const learnt: Record<string, BlendWeights> = {};
  const typeOf = cache.questions.map(({ event }) => pageType[event] ?? -1);
  pageTypes.forEach((name, type) => {
    const questions = [...typeOf.keys()].filter((question) => typeOf[question] === type);
    if (questions.length < pageTypeQuestions) return;
    const own = learnWeights(cache, { questions, start: weights, seed });
    if (own.ndcg > scoreWeights(cache, weights, questions)) learnt[name] = named(cache, own.weights, unit);
  });
  return learnt;
}

function reportModels(cache: ScoreCache, weights: Float64Array): BlendReport['models'] {
  return Object.fromEntries(
    cache.models.map((name, model) => {
      const alone = weights.map((_, other) => (other === model ? 1 : 0));
      const without = weights.map((weight, other) => (other === model ? 0 : weight));
      return [name, { alone: scoreWeights(cache, alone), without: scoreWeights(cache, without) }];
    }),
  );
}

/** Lower bounds of learnt weights. */
const leastWeights = modelEntries.flatMap(({ name, leastWeight }) =>
  leastWeight === undefined ? [] : [[name, leastWeight] as const],
);

/** Scales weights so that a best candidate averages 1, comparable with the defaults. */
function named(cache: ScoreCache, weights: Float64Array, unit: number): BlendWeights {
  const byName = Object.fromEntries(cache.models.map((name, model) => [name, unit * weights[model]]));
  for (const [name, least] of leastWeights) byName[name] = Math.max(least, byName[name] ?? 0);
  return byName;
}

function meanBestScore({ offsets, questions, scores }: ScoreCache, weights: Float64Array): number {
  let sum = 0;
  for (let question = 0; question < questions.length; question++) {
    let best = 0;
    for (let at = offsets[question]; at < offsets[question + 1]; at++) {
      best = Math.max(
        best,
        scores.reduce((total, values, model) => total + weights[model] * values[at], 0),
      );
    }
    sum += best;
  }
  return questions.length === 0 ? 0 : sum / questions.length;
}
