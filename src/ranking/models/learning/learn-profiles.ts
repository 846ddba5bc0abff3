/** Learns each model's seed profile by trial: how fast interest fades, and the part of the time of day. */

import { profileOf, type SeedProfiles } from '../blend.ts';
import { isTimed } from '../interactions.ts';
import type { IndexMapping } from '../model.ts';
import type { SeedProfile } from '../query.ts';
import { modelEntries } from '../registry.ts';
import { scoreQuestions } from './cached-ndcg.ts';
import type { Exclusion } from './questions.ts';
import { race, splitHeats } from './race.ts';
import { cacheScores, type Fold } from './score-cache.ts';

const stepDecays = [0.3, 0.5, 0.7, 0.85, 0.95, 1];
const halfLivesSeconds = [3_600, 86_400, 7 * 86_400, 30 * 86_400, 365 * 86_400];
const maxWeights = [1, 3, 10];
const timesOfDay = [2, 8];

export type ProfileOptions = {
  folds: readonly Fold[];
  mapping: IndexMapping;
  excluded: Exclusion;
  maxRecents: number;
  /** Selects the first questions. */
  seed?: number;
};

/** Learns each model's profile, property by property; models without seed weights keep theirs. */
export function learnProfiles(options: ProfileOptions): SeedProfiles {
  const heats = splitHeats(options.folds, options.seed);
  const timed = isTimed(options.folds[0].source);
  const profiles: Record<string, SeedProfile> = {};
  for (const { name, role } of options.folds[0].models) {
    if (impersonal.has(name)) continue;
    const proposers = role === 'lifts' ? liftedFrom : new Set([name]);
    const known = new Map<string, Float64Array>();
    profiles[name] = climb(startProfile(name, timed), timed, (candidates) =>
      race(candidates, heats, (profile, heat) => {
        const key = `${heats.indexOf(heat)} ${JSON.stringify(profile)}`;
        const tried = { ...options, folds: heat, scorers: new Set([name]), proposers, depth: 50 };
        const scores =
          known.get(key) ??
          scoreQuestions(cacheScores({ ...tried, profiles: { [name]: profile } }), Float64Array.of(1));
        known.set(key, scores);
        return scores;
      }),
    );
  }
  return profiles;
}

/** Returns a model's first profile. Without times, the whole history counts equally. */
export function startProfile(model: string, timed: boolean): SeedProfile {
  const profile = profileOf(model, {});
  return timed ? profile : { ...profile, stepDecay: 1 };
}

/** Models that propose the candidates for testing a model that only lifts. */
const liftedFrom: ReadonlySet<string> = new Set(['co_visits', 'popularity']);
const impersonal = new Set(modelEntries.filter((of) => of.isImpersonal).map(({ name }) => name));

function climb(
  start: SeedProfile,
  timed: boolean,
  bestOf: (candidates: SeedProfile[]) => SeedProfile,
): SeedProfile {
  let best = start;
  const tryAll = (changes: Partial<SeedProfile>[]) => {
    best = bestOf([best, ...changes.map((change) => ({ ...best, ...change }))]);
  };
  tryAll(stepDecays.map((stepDecay) => ({ stepDecay })));
  if (timed) tryAll(halfLivesSeconds.map((halfLifeSeconds) => ({ halfLifeSeconds })));
  tryAll(maxWeights.map((maxWeight) => ({ maxWeight })));
  if (timed) tryAll(timesOfDay.map((timeOfDay) => ({ timeOfDay })));
  return best;
}
