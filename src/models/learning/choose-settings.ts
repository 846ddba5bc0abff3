/**
 * Settings of the models that are quick to train and that differ most between data sets, each chosen by how well the model
 * alone ranks the held-back answers.
 */

import { coVisits } from '../co-visits.ts';
import type { Interactions } from '../interactions.ts';
import type { IndexMapping, Model } from '../model.ts';
import type { PortfolioSettings } from '../portfolio.ts';
import { transitions } from '../transitions.ts';
import { DEFAULT_HALF_LIFE_SECONDS, trending } from '../trending.ts';
import type { HeldOut } from './held-out.ts';
import { startProfile } from './learn-profiles.ts';
import { isClearlyBetter, meanOf, ndcgByQuestion } from './learn-weights.ts';
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
const MOST_TRIED = 250;
/** With more events than this, models that look at all of them keep their own defaults: trying would take minutes. */
const MOST_EVENTS = 1_000_000;

/** Items stay new for so many half-lives of the trend: alone, any half-life gives freshness the same order. */
const FRESH_FOR = 4;

const day = 86_400;
/** Entries of a table: longer rows pay where whole histories ask (Gowalla 2 % NDCG), and cost time and memory in proportion. */
const MOST_NEIGHBOURS = 2e7;

/** The models' own defaults first. */
const choices = {
  halfLifeSeconds: [3 * day, day / 8, day / 4, day, 10 * day, 30 * day, 100 * day],
  windowSeconds: [90 * day, day, Number.POSITIVE_INFINITY],
  neighbourCount: [100, 400],
  alpha: [0.85, 0.6, 1.1],
  beta: [0.25, 0.1, 0.45],
  transitionWindow: [4, 1, 8],
  maxGapSeconds: [7 * day, 3_600, Number.POSITIVE_INFINITY],
};

/** Without times nothing follows anything and nothing fades: a subject's whole history is one session without an order. */
const wholeHistories = { reach: Number.POSITIVE_INFINITY, depth: 50, neighbourCount: 500 };

export function chooseSettings(options: ChooseOptions): PortfolioSettings {
  const { heldOut } = options;
  if (heldOut.length === 0 || heldOut[0].train.item.length > MOST_EVENTS) return {};
  const trial = createTrial(options);
  const coVisitSettings = chooseCoVisits(trial, heldOut[0].train, isTimed(heldOut[0].train));
  if (!isTimed(heldOut[0].train)) return { coVisits: coVisitSettings, sessionKnn: wholeHistories };
  const trend = chooseTrend(trial);
  const freshness = { halfLifeSeconds: FRESH_FOR * (trend.halfLifeSeconds ?? DEFAULT_HALF_LIFE_SECONDS) };
  return { coVisits: coVisitSettings, transitions: chooseTransitions(trial), trending: trend, freshness };
}

function chooseCoVisits(trial: Trial, { itemCount }: Interactions, timed: boolean): Walk {
  const choose = createChoice<Walk>(trial, (part, setting, mapping) =>
    coVisits.serve(coVisits.train(part.train, { ...setting, onlyItems: part.seeds }), mapping),
  );
  const windowed = timed ? choose({}, 'windowSeconds', choices.windowSeconds) : {};
  const walk = choose(choose(windowed, 'alpha', choices.alpha), 'beta', choices.beta);
  const neighbourCounts = timed
    ? []
    : choices.neighbourCount.filter((count) => count * itemCount <= MOST_NEIGHBOURS);
  return neighbourCounts.length < 2 ? walk : choose(walk, 'neighbourCount', neighbourCounts);
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

type Walk = NonNullable<PortfolioSettings['coVisits']>;
type Steps = NonNullable<PortfolioSettings['transitions']>;
type Trend = NonNullable<PortfolioSettings['trending']>;

/** A slice that is held back, with some of its questions and the items that their histories are about. */
type Part = HeldOut & { seeds: Uint8Array };
type Serve<Setting> = (part: Part, setting: Setting, mapping: IndexMapping) => Model;
/** How well a model alone does, as NDCG@20 of each question. */
type Trial = (serve: (part: Part, mapping: IndexMapping) => Model) => Float64Array;

/** The best of some values for one of the settings, of which the first stays unless another one is better beyond its noise. */
function createChoice<Setting>(trial: Trial, serve: Serve<Setting>) {
  return (start: Setting, name: keyof Setting, values: readonly number[]): Setting =>
    values
      .map((value) => ({ ...start, [name]: value }))
      .map((setting) => ({ setting, scores: trial((part, mapping) => serve(part, setting, mapping)) }))
      .reduce((best, one, _, [first]) =>
        isClearlyBetter(one.scores, first.scores) && meanOf(one.scores) > meanOf(best.scores) ? one : best,
      ).setting;
}

function createTrial({ heldOut, mapping, excluded, maxRecents }: ChooseOptions): Trial {
  const total = heldOut.reduce((sum, { questions }) => sum + questions.length, 0);
  const stride = Math.max(1, Math.floor(total / MOST_TRIED));
  const parts = heldOut.map((slice): Part => {
    const questions = slice.questions.filter((_, place) => place % stride === 0);
    return { ...slice, questions, seeds: seedsOf({ ...slice, questions }, maxRecents) };
  });
  const profiles = { co_visits: startProfile('co_visits', isTimed(heldOut[0].train)) };
  return (serve) => {
    const folds = parts.map((part): Fold => ({ ...part, models: [serve(part, mapping)] }));
    const cache = cacheScores({ folds, mapping, profiles, excluded, maxRecents, depth: 50 });
    return ndcgByQuestion(cache, Array.from(cache.questions.keys()), Float64Array.of(1));
  };
}

function seedsOf({ source, questions }: HeldOut, maxRecents: number): Uint8Array {
  const seeds = new Uint8Array(source.itemCount);
  for (const question of questions) {
    for (const { itemIndex } of recentsBefore(source, question, maxRecents)) seeds[itemIndex!] = 1;
  }
  return seeds;
}
