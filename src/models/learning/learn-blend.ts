/**
 * Learns from held-back events how the models of an environment are best blended: how each weighs the seeds, what each
 * weighs in the sum, and where enough is known, what it weighs on each type of page.
 */

import type { BlendWeights, SeedProfiles } from '../blend.ts';
import type { Interactions } from '../interactions.ts';
import type { IndexMapping } from '../model.ts';
import { mostRecents } from '../query.ts';
import { modelEntries } from '../registry.ts';
import { learnProfiles } from './learn-profiles.ts';
import { learnWeights, scoreWeights } from './learn-weights.ts';
import type { Exclusion } from './questions.ts';
import { cacheScores, type Fold, type ScoreCache } from './score-cache.ts';

export type LearntBlend = {
  weights: BlendWeights;
  profiles: SeedProfiles;
  /** Weights by page type, where they rank that page's questions better. */
  pageTypes: Readonly<Record<string, BlendWeights>>;
  report: BlendReport;
};

/** What each model is worth, as mean NDCG@20 over the questions. */
export type BlendReport = {
  questionCount: number;
  blend: number;
  /** Each model alone, and the blend without it. */
  models: Readonly<Record<string, { alone: number; without: number }>>;
};

export type LearnBlendOptions = {
  folds: readonly Fold[];
  mapping: IndexMapping;
  excluded: Exclusion;
  maxRecents?: number;
};

/** Fewer say nothing reliable of a page type. */
const pageTypeQuestions = 300;

export function learnBlend(options: LearnBlendOptions): LearntBlend {
  const settings = { maxRecents: mostRecents, ...options };
  const profiles = learnProfiles(settings);
  const cache = cacheScores({ ...settings, profiles });
  const { weights, ndcg } = learnWeights(cache);
  const unit = 1 / (meanBestScore(cache, weights) || 1);
  return {
    weights: named(cache, weights, unit),
    profiles,
    pageTypes: learnPageTypes(cache, weights, unit, settings.folds[0].source),
    report: {
      questionCount: cache.questions.length,
      blend: ndcg,
      models: reportModels(cache, weights),
    },
  };
}

function learnPageTypes(
  cache: ScoreCache,
  weights: Float64Array,
  unit: number,
  { pageType, pageTypes }: Interactions,
): Record<string, BlendWeights> {
  const learnt: Record<string, BlendWeights> = {};
  const typeOf = cache.questions.map(({ event }) => pageType[event] ?? -1);
  pageTypes.forEach((name, type) => {
    const questions = [...typeOf.keys()].filter((question) => typeOf[question] === type);
    if (questions.length < pageTypeQuestions) return;
    const own = learnWeights(cache, questions, weights);
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

/** What a model weighs at least, whatever was learnt. */
const leastWeights = modelEntries.flatMap(({ name, leastWeight }) =>
  leastWeight === undefined ? [] : [[name, leastWeight] as const],
);

/** Weights in units in which the best candidate scores 1 on average, so that they compare with the default ones. */
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
