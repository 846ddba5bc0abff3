/** How each model weighs the seeds: how fast interest fades with each step and with time, found by trying. */

import { profileOf, type SeedProfiles } from '../blend.ts';
import type { IndexMapping } from '../model.ts';
import type { SeedProfile } from '../query.ts';
import { modelEntries } from '../registry.ts';
import { scoreWeights } from './learn-weights.ts';
import { type Exclusion, isTimed } from './questions.ts';
import { cacheScores, type Fold } from './score-cache.ts';

/** Profiles are tried on so many questions. */
const profileQuestions = 250;
const stepDecays = [0.3, 0.5, 0.7, 0.85, 0.95, 1];
const halfLivesSeconds = [3_600, 86_400, 7 * 86_400, 30 * 86_400, 365 * 86_400];
const maxWeights = [1, 3, 10];

export type ProfileOptions = {
  folds: readonly Fold[];
  mapping: IndexMapping;
  excluded: Exclusion;
  maxRecents: number;
};

/** Each model's profile on its own, one property after the other. Models that do not look at the seeds' weights keep theirs. */
export function learnProfiles(options: ProfileOptions): SeedProfiles {
  const total = options.folds.reduce((sum, { questions }) => sum + questions.length, 0);
  const stride = Math.max(1, Math.floor(total / profileQuestions));
  const folds = options.folds.map((fold) => ({
    ...fold,
    questions: fold.questions.filter((_, place) => place % stride === 0),
  }));
  const timed = isTimed(options.folds[0].source);
  const profiles: Record<string, SeedProfile> = {};
  for (const { name, role } of options.folds[0].models) {
    if (impersonal.has(name)) continue;
    const proposers = role === 'lifts' ? liftedFrom : new Set([name]);
    profiles[name] = climb(startProfile(name, timed), timed, (profile) => {
      const tried = { ...options, folds, scorers: new Set([name]), proposers, depth: 50 };
      return scoreWeights(cacheScores({ ...tried, profiles: { [name]: profile } }), Float64Array.of(1));
    });
  }
  return profiles;
}

/** What a model begins with. Without times nothing is later than anything, so all of a history counts alike. */
export function startProfile(model: string, timed: boolean): SeedProfile {
  const profile = profileOf(model, {});
  return timed ? profile : { ...profile, stepDecay: 1 };
}

/** Whose candidates a model is tried on that proposes none. */
const liftedFrom: ReadonlySet<string> = new Set(['co_visits', 'popularity']);
const impersonal = new Set(modelEntries.filter((of) => of.isImpersonal).map(({ name }) => name));

function climb(start: SeedProfile, timed: boolean, ndcgOf: (profile: SeedProfile) => number): SeedProfile {
  let best = start;
  let bestNdcg = ndcgOf(start);
  const tryAll = (candidates: SeedProfile[]) => {
    for (const profile of candidates) {
      const ndcg = ndcgOf(profile);
      if (ndcg <= bestNdcg) continue;
      best = profile;
      bestNdcg = ndcg;
    }
  };
  if (timed) {
    tryAll(stepDecays.map((stepDecay) => ({ ...best, stepDecay })));
    tryAll(halfLivesSeconds.map((halfLifeSeconds) => ({ ...best, halfLifeSeconds })));
  }
  tryAll(maxWeights.map((maxWeight) => ({ ...best, maxWeight })));
  return best;
}
