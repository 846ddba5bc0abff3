/**
 * Chooses the settings of quickly trained models that differ most between data sets, by how well
 * each model alone ranks the held-out answers.
 */

import type { SeedProfiles } from '../blend.ts';
import { coVisits } from '../co-visits.ts';
import { type Interactions, isTimed } from '../interactions.ts';
import type { IndexMapping, Model } from '../model.ts';
import type { ModelSettings } from '../registry.ts';
import { learnReturns, type RepeatsOptions, type Returns, repeats } from '../repeats.ts';
import { sessionKnn } from '../session-knn.ts';
import { transitions } from '../transitions.ts';
import { defaultHalfLifeSeconds, trending } from '../trending.ts';
import { scoreQuestions } from './cached-ndcg.ts';
import type { HeldOut } from './held-out.ts';
import { startProfile } from './learn-profiles.ts';
import { type Exclusion, recentsBefore } from './questions.ts';
import { race, splitHeats } from './race.ts';
import { cacheScores, type Fold } from './score-cache.ts';
import { latestOf } from './times.ts';

export type ChooseOptions = {
  heldOut: readonly HeldOut[];
  mapping: IndexMapping;
  excluded: Exclusion;
  maxRecents: number;
  /** Selects the first questions. */
  seed?: number;
};

/** Event limit of models that read all events: beyond it trials take minutes, so defaults apply. */
const mostEvents = 500_000;

/** Half-lives for which items are new: alone, freshness ranks equally for any half-life. */
const freshFor = 4;

const day = 86_400;
/** Returns longer rows for whole histories (Gowalla: 2 % NDCG), within a limit of table entries. */
function neighbourCountFor({ itemCount }: Interactions): number {
  return Math.max(100, Math.min(400, Math.floor(2e7 / itemCount)));
}

/** Defaults come first. */
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

/** Without times a subject's history is one session, and its order may be meaningless. */
const wholeHistories = { reach: Number.POSITIVE_INFINITY, depth: 50, neighbourCount: 500 };

export function chooseSettings(options: ChooseOptions): ModelSettings {
  const { heldOut } = options;
  if (heldOut.length === 0) return {};
  const [{ train }] = heldOut;
  const isLarge = train.item.length > mostEvents;
  const trial = createTrial(options);
  if (!isTimed(train)) {
    const walk = { ...(isLarge ? {} : chooseCoVisits(trial, [])), neighbourCount: neighbourCountFor(train) };
    const steps = isLarge ? {} : chooseTransitions(trial, []);
    return { coVisits: walk, transitions: steps, sessionKnn: chooseSessions(trial) };
  }
  const again = chooseRepeats(trial);
  if (isLarge) return { repeats: again };
  const walk = chooseCoVisits(trial, choices.windowSeconds);
  const trend = chooseTrend(trial);
  const freshness = { halfLifeSeconds: freshFor * (trend.halfLifeSeconds ?? defaultHalfLifeSeconds) };
  const steps = chooseTransitions(trial, choices.maxGapSeconds);
  return { coVisits: walk, transitions: steps, repeats: again, trending: trend, freshness };
}

/** @param windowsSeconds Empty for events without times. */
function chooseCoVisits(trial: Trial, windowsSeconds: readonly number[]): Walk {
  const choose = createChoice<Walk>(trial, (part, setting, mapping) =>
    coVisits.serve(coVisits.train(part.train, { ...setting, onlyItems: part.seeds }), mapping),
  );
  const windowed = windowsSeconds.length > 0 ? choose({}, 'windowSeconds', windowsSeconds) : {};
  return choose(choose(windowed, 'alpha', choices.alpha), 'beta', choices.beta);
}

/** @param gapsSeconds Empty for events without times. */
function chooseTransitions(trial: Trial, gapsSeconds: readonly number[]): Steps {
  const choose = createChoice<Steps>(trial, (part, setting, mapping) =>
    transitions.serve(transitions.train(part.train, { ...setting, onlyItems: part.seeds }), mapping),
  );
  const windowed = choose({}, 'window', choices.transitionWindow);
  return gapsSeconds.length > 0 ? choose(windowed, 'maxGapSeconds', gapsSeconds) : windowed;
}

/** Uses whole histories, unless their last items predict better. */
function chooseSessions(trial: Trial): Sessions {
  return trial<Sessions>([wholeHistories, {}], {
    serve: ({ train }, setting, mapping) => sessionKnn.serve(sessionKnn.train(train, setting), mapping),
    profilesOf: (setting) => ({ session_knn: startProfile('session_knn', setting !== wholeHistories) }),
  });
}

function chooseTrend(trial: Trial): Trend {
  const choose = createChoice<Trend>(trial, ({ train }, setting, mapping) =>
    trending.serve(trending.train(train, { ...setting, nowSeconds: latestOf(train) }), mapping),
  );
  return choose({}, 'halfLifeSeconds', choices.halfLifeSeconds);
}

/** Keeps the default when repeats are excluded. */
function chooseRepeats(trial: Trial): RepeatsOptions {
  const known = new Map<Interactions, Returns>();
  const returnsOf = ({ train }: Part): Returns => {
    const returns = known.get(train) ?? learnReturns(train);
    known.set(train, returns);
    return returns;
  };
  const choose = createChoice<RepeatsOptions>(trial, (part, setting, mapping) =>
    repeats.serve(repeats.train(part.train, { ...setting, returns: returnsOf(part) }), mapping),
  );
  return choose(
    choose({}, 'returningPower', choices.returningPower),
    'frequencyPower',
    choices.frequencyPower,
  );
}

type Walk = NonNullable<ModelSettings['coVisits']>;
type Steps = NonNullable<ModelSettings['transitions']>;
type Sessions = NonNullable<ModelSettings['sessionKnn']>;
type Trend = NonNullable<ModelSettings['trending']>;

/** A held-out slice, with some of its questions and the items of their histories. */
type Part = HeldOut & Pick<Fold, 'recents'> & { seeds: Uint8Array };
type Serve<Setting> = (part: Part, setting: Setting, mapping: IndexMapping) => Model;
type Trying<Setting> = { serve: Serve<Setting>; profilesOf?: (setting: Setting) => SeedProfiles };
/** Returns the setting of a model alone with the best NDCG@20; the first wins ties. */
type Trial = <Setting>(settings: readonly Setting[], trying: Trying<Setting>) => Setting;

/** Chooses the best of some values of one setting. */
function createChoice<Setting>(trial: Trial, serve: Serve<Setting>) {
  return (start: Setting, name: keyof Setting, values: readonly number[]): Setting =>
    trial(
      values.map((value) => ({ ...start, [name]: value })),
      { serve },
    );
}

function createTrial({ heldOut, mapping, excluded, maxRecents, seed }: ChooseOptions): Trial {
  const heats = splitHeats(heldOut, seed).map((heat) =>
    heat.map((slice): Part => ({ ...slice, recents: new Map(), seeds: seedsOf(slice, maxRecents) })),
  );
  const profiles = { co_visits: startProfile('co_visits', isTimed(heldOut[0].train)) };
  return (settings, { serve, profilesOf = () => profiles }) =>
    race(settings, heats, (setting, heat) => {
      const folds = heat.map((part): Fold => ({ ...part, models: [serve(part, setting, mapping)] }));
      const asking = { folds, mapping, excluded, maxRecents, depth: 50 };
      return scoreQuestions(cacheScores({ ...asking, profiles: profilesOf(setting) }), Float64Array.of(1));
    });
}

function seedsOf({ source, questions }: HeldOut, maxRecents: number): Uint8Array {
  const seeds = new Uint8Array(source.itemCount);
  for (const question of questions) {
    for (const { itemIndex } of recentsBefore(source, question, maxRecents)) seeds[itemIndex!] = 1;
  }
  return seeds;
}
