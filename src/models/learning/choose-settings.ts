/**
 * Settings of the models that are quick to train and that differ most between data sets, each chosen by how well the model
 * alone ranks the held-back answers.
 */

import { coVisits } from '../co-visits.ts';
import type { Interactions } from '../interactions.ts';
import type { IndexMapping, Model } from '../model.ts';
import type { PortfolioSettings } from '../portfolio.ts';
import { transitions } from '../transitions.ts';
import { trending } from '../trending.ts';
import type { HeldOut } from './held-out.ts';
import { scoreWeights } from './learn-weights.ts';
import type { Exclusion } from './questions.ts';
import { cacheScores, type Fold } from './score-cache.ts';
import { latestOf } from './times.ts';

export type ChooseOptions = {
  heldOut: readonly HeldOut[];
  mapping: IndexMapping;
  excluded: Exclusion;
  maxRecents: number;
};

/** Questions that settings are tried on. */
const MOST_TRIED = 250;
/** With more events than this, a model's own defaults stand: trying would take minutes. */
const MOST_EVENTS = 300_000;

const day = 86_400;
const choices = {
  halfLifeSeconds: [day / 4, day, 3 * day, 10 * day, 30 * day, 100 * day],
  windowSeconds: [day, 90 * day, Number.POSITIVE_INFINITY],
  alpha: [0.6, 0.85, 1.1],
  beta: [0.1, 0.25, 0.45],
  transitionWindow: [1, 3, 8],
  maxGapSeconds: [3_600, 7 * day, Number.POSITIVE_INFINITY],
};

export function chooseSettings(options: ChooseOptions): PortfolioSettings {
  const { heldOut } = options;
  if (heldOut.length === 0 || heldOut[0].train.item.length > MOST_EVENTS) return {};
  const trial = createTrial(options);
  const pick = <Setting>(start: Setting, name: keyof Setting, values: unknown[], serve: Serve<Setting>) =>
    values
      .map((value) => ({ ...start, [name]: value }))
      .map((setting) => ({ setting, ndcg: trial((train, mapping) => serve(train, setting, mapping)) }))
      .reduce((best, one) => (one.ndcg > best.ndcg ? one : best)).setting;

  const serveWalk: Serve<Walk> = (train, setting, mapping) =>
    coVisits.serve(coVisits.train(train, setting), mapping);
  let walk = pick<Walk>({}, 'windowSeconds', choices.windowSeconds, serveWalk);
  walk = pick(walk, 'alpha', choices.alpha, serveWalk);
  walk = pick(walk, 'beta', choices.beta, serveWalk);

  const serveSteps: Serve<Steps> = (train, setting, mapping) =>
    transitions.serve(transitions.train(train, setting), mapping);
  let steps = pick<Steps>({}, 'window', choices.transitionWindow, serveSteps);
  steps = pick(steps, 'maxGapSeconds', choices.maxGapSeconds, serveSteps);

  const trend = pick<Trend>({}, 'halfLifeSeconds', choices.halfLifeSeconds, (train, setting, mapping) =>
    trending.serve(trending.train(train, { ...setting, nowSeconds: latestOf(train) }), mapping),
  );
  return { coVisits: walk, transitions: steps, trending: trend };
}

type Walk = NonNullable<PortfolioSettings['coVisits']>;
type Steps = NonNullable<PortfolioSettings['transitions']>;
type Trend = NonNullable<PortfolioSettings['trending']>;
type Serve<Setting> = (train: Interactions, setting: Setting, mapping: IndexMapping) => Model;

/** How well a model alone does, as mean NDCG@20. */
function createTrial({ heldOut, mapping, excluded, maxRecents }: ChooseOptions) {
  const total = heldOut.reduce((sum, { questions }) => sum + questions.length, 0);
  const stride = Math.max(1, Math.floor(total / MOST_TRIED));
  const parts = heldOut.map(({ train, source, questions }) => ({
    train,
    source,
    questions: questions.filter((_, place) => place % stride === 0),
  }));
  return (serve: (train: Interactions, mapping: IndexMapping) => Model): number => {
    const folds = parts.map(({ train, source, questions }): Fold => {
      return { models: [serve(train, mapping)], source, questions };
    });
    const cache = cacheScores({ folds, mapping, profiles: {}, excluded, maxRecents, depth: 50 });
    return scoreWeights(cache, Float64Array.of(1));
  };
}
