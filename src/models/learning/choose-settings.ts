/**
 * Settings of the models that are quick to train and that differ most between data sets, each chosen by how well the model
 * alone ranks the held-back answers.
 */

import { coVisits } from '../co-visits.ts';
import type { Interactions } from '../interactions.ts';
import type { IndexMapping, Model } from '../model.ts';
import type { ModelSettings } from '../registry.ts';
import { type RepeatsOptions, repeats } from '../repeats.ts';
import { transitions } from '../transitions.ts';
import { defaultHalfLifeSeconds, trending } from '../trending.ts';
import type { HeldOut } from './held-out.ts';
import { startProfile } from './learn-profiles.ts';
import { scoreWeights } from './learn-weights.ts';
import { type Exclusion, isTimed, recentsBefore } from './questions.ts';
import { cacheScores, type Fold } from './score-cache.ts';
import { latestOf } from './times.ts';

export type ChooseOptions = {
  heldOut: readonly HeldOut[];
  mapping: IndexMapping;
  excluded: Exclusion;
  maxRecents: number;
};

/** Questions that settings are tried on. */
const mostTried = 250;
/** With more events than this, models that look at all of them keep their own defaults: trying would take minutes. */
const mostEvents = 500_000;

/** Items stay new for so many half-lives of the trend: alone, any half-life gives freshness the same order. */
const freshFor = 4;

const day = 86_400;
/** Where whole histories ask, longer rows pay (Gowalla 2 % NDCG), as far as the table stays within so many entries. */
function neighbourCountFor({ itemCount }: Interactions): number {
  return Math.max(100, Math.min(400, Math.floor(2e7 / itemCount)));
}

/** The models' own defaults first. */
const choices = {
  halfLifeSeconds: [3 * day, day / 8, day / 4, day, 10 * day, 30 * day, 100 * day],
  windowSeconds: [90 * day, day, Number.POSITIVE_INFINITY],
  alpha: [0.85, 0.6, 1.1],
  beta: [0.25, 0.1, 0.45],
  transitionWindow: [4, 1, 8],
  maxGapSeconds: [7 * day, 3_600, Number.POSITIVE_INFINITY],
  frequencyPower: [0.7, 1, 0.4],
  returningPower: [1, 0.5, 0],
};

/** Without times nothing follows anything and nothing fades: a subject's whole history is one session without an order. */
const wholeHistories = { reach: Number.POSITIVE_INFINITY, depth: 50, neighbourCount: 500 };

export function chooseSettings(options: ChooseOptions): ModelSettings {
  const { heldOut } = options;
  if (heldOut.length === 0) return {};
  const [{ train }] = heldOut;
  const isLarge = train.item.length > mostEvents;
  const trial = createTrial(options);
  if (!isTimed(train)) {
    const walk = { ...(isLarge ? {} : chooseCoVisits(trial, [])), neighbourCount: neighbourCountFor(train) };
    return { coVisits: walk, sessionKnn: wholeHistories };
  }
  const again = chooseRepeats(trial);
  if (isLarge) return { repeats: again };
  const walk = chooseCoVisits(trial, choices.windowSeconds);
  const trend = chooseTrend(trial);
  const freshness = { halfLifeSeconds: freshFor * (trend.halfLifeSeconds ?? defaultHalfLifeSeconds) };
  const steps = chooseTransitions(trial);
  return { coVisits: walk, transitions: steps, repeats: again, trending: trend, freshness };
}

/** @param windowsSeconds None where events have no times. */
function chooseCoVisits(trial: Trial, windowsSeconds: readonly number[]): Walk {
  const choose = createChoice<Walk>(trial, (part, setting, mapping) =>
    coVisits.serve(coVisits.train(part.train, { ...setting, onlyItems: part.seeds }), mapping),
  );
  const windowed = windowsSeconds.length > 0 ? choose({}, 'windowSeconds', windowsSeconds) : {};
  return choose(choose(windowed, 'alpha', choices.alpha), 'beta', choices.beta);
}

function chooseTransitions(trial: Trial): Steps {
  const choose = createChoice<Steps>(trial, (part, setting, mapping) =>
    transitions.serve(transitions.train(part.train, { ...setting, onlyItems: part.seeds }), mapping),
  );
  return choose(choose({}, 'window', choices.transitionWindow), 'maxGapSeconds', choices.maxGapSeconds);
}

function chooseTrend(trial: Trial): Trend {
  const choose = createChoice<Trend>(trial, ({ train }, setting, mapping) =>
    trending.serve(trending.train(train, { ...setting, nowSeconds: latestOf(train) }), mapping),
  );
  return choose({}, 'halfLifeSeconds', choices.halfLifeSeconds);
}

/** Where nothing may come again, no value is better than the default. */
function chooseRepeats(trial: Trial): RepeatsOptions {
  const choose = createChoice<RepeatsOptions>(trial, (part, setting, mapping) =>
    repeats.serve(repeats.train(part.train, setting), mapping),
  );
  return choose(
    choose({}, 'returningPower', choices.returningPower),
    'frequencyPower',
    choices.frequencyPower,
  );
}

type Walk = NonNullable<ModelSettings['coVisits']>;
type Steps = NonNullable<ModelSettings['transitions']>;
type Trend = NonNullable<ModelSettings['trending']>;

/** A slice that is held back, with some of its questions and the items that their histories are about. */
type Part = HeldOut & { seeds: Uint8Array };
type Serve<Setting> = (part: Part, setting: Setting, mapping: IndexMapping) => Model;
/** How well a model alone does, as mean NDCG@20. */
type Trial = (serve: (part: Part, mapping: IndexMapping) => Model) => number;

/** The best of some values for one of the settings; of equals the first. */
function createChoice<Setting>(trial: Trial, serve: Serve<Setting>) {
  return (start: Setting, name: keyof Setting, values: readonly number[]): Setting =>
    values
      .map((value) => ({ ...start, [name]: value }))
      .map((setting) => ({ setting, ndcg: trial((part, mapping) => serve(part, setting, mapping)) }))
      .reduce((best, one) => (one.ndcg > best.ndcg ? one : best)).setting;
}

function createTrial({ heldOut, mapping, excluded, maxRecents }: ChooseOptions): Trial {
  const total = heldOut.reduce((sum, { questions }) => sum + questions.length, 0);
  const stride = Math.max(1, Math.floor(total / mostTried));
  const parts = heldOut.map((slice): Part => {
    const questions = slice.questions.filter((_, place) => place % stride === 0);
    return { ...slice, questions, seeds: seedsOf({ ...slice, questions }, maxRecents) };
  });
  const profiles = { co_visits: startProfile('co_visits', isTimed(heldOut[0].train)) };
  return (serve) => {
    const folds = parts.map((part): Fold => ({ ...part, models: [serve(part, mapping)] }));
    const cache = cacheScores({ folds, mapping, profiles, excluded, maxRecents, depth: 50 });
    return scoreWeights(cache, Float64Array.of(1));
  };
}

function seedsOf({ source, questions }: HeldOut, maxRecents: number): Uint8Array {
  const seeds = new Uint8Array(source.itemCount);
  for (const question of questions) {
    for (const { itemIndex } of recentsBefore(source, question, maxRecents)) seeds[itemIndex!] = 1;
  }
  return seeds;
}
