/**
 * Request-time scoring: a weighted sum of models over one reusable accumulator, drawn best first as far as it is read.
 *
 *   score(j) = Σ_models weight · Σ_seeds seed weight · model(seed → j)
 *
 * Linear on purpose: every model's scores lie near 0…1 on every data set, so weights mean the same everywhere, can be
 * learnt later, and each score explains itself as the sum of its parts.
 */

import {
  type Accumulator,
  begin,
  createAccumulator,
  isTouched,
  liftAll,
  touchAll,
} from './arrays/accumulator.ts';
import { beginDraw, createDraw, drawBest } from './arrays/draw.ts';
import { liftAndLead } from './arrays/score-floor.ts';
import { type IndexMapping, itemOfSum, type Model, type Query, type Reason, sumIndexOf } from './model.ts';
import {
  createQuery,
  defaultSeedProfile,
  fillQuery,
  type QueryInput,
  type SeedProfile,
  weighSeeds,
} from './query.ts';
import { modelEntries } from './registry.ts';

/** Weight by model name; a model without one is left out, and so is one with 0. */
export type BlendWeights = Readonly<Record<string, number>>;

/** How the seeds are weighed for a model, by model name; what is absent is as the registry has it. */
export type SeedProfiles = Readonly<Record<string, SeedProfile>>;

/** What an environment begins with, before its own events say more. */
export const defaultBlendWeights: BlendWeights = Object.fromEntries(
  modelEntries.map(({ name, weight }) => [name, weight]),
);

/** The models of the visit look at its last steps, those of taste at everything. */
const firstProfiles = new Map(modelEntries.map(({ name, profile }) => [name, profile]));

type Part = { model: Model; weight: number; profile: SeedProfile };

/** What serves one environment: replaced as a whole when new models arrive. */
export type Blend = {
  mapping: IndexMapping;
  /** In the order in which they add. */
  parts: readonly Part[];
  proposing: readonly Part[];
  /** Those with a part that stands for every request. */
  standing: readonly Part[];
  /** What these parts come to, by local item; minus infinity for what left the catalogue, which then is never drawn. */
  standingSums: Float32Array;
  /** Those that look at the best of what the others made. */
  refining: readonly Part[];
  /** The best that they look at; 0 for none in particular. */
  mostRefined: number;
};

export type BlendOptions = {
  mapping: IndexMapping;
  models: readonly Model[];
  weights?: BlendWeights;
  profiles?: SeedProfiles;
};

export function createBlend(options: BlendOptions): Blend {
  const { mapping, models, weights = defaultBlendWeights, profiles = {} } = options;
  const weighted = models.map((model) => ({
    model,
    weight: weights[model.name] ?? 0,
    profile: profileOf(model.name, profiles),
  }));
  const used = weighted.filter(({ weight }) => weight !== 0);
  return arrangeBlend(mapping, used);
}

/** A blend of parts in any order. */
export function arrangeBlend(mapping: IndexMapping, parts: readonly Part[]): Blend {
  const proposing = parts.filter(({ model }) => model.role === 'proposes');
  const lifting = parts.filter(({ model }) => model.role === 'lifts');
  const standing = lifting.filter(({ model }) => model.standing !== undefined);
  const refining = lifting.filter(({ model }) => model.standing === undefined);
  const arranged = [...proposing, ...standing, ...refining];
  return {
    mapping,
    parts: arranged,
    proposing,
    standing,
    standingSums: sumStanding(standing, mapping),
    refining,
    mostRefined: Math.max(0, ...refining.map(({ model }) => model.mostRefined ?? 0)),
  };
}

function sumStanding(parts: readonly Part[], { itemIndexOf }: IndexMapping): Float32Array {
  const sums = Float32Array.from(itemIndexOf, (itemIndex) => (itemIndex < 0 ? Number.NEGATIVE_INFINITY : 0));
  for (const { model, weight } of parts) {
    const { scores, share } = model.standing!;
    for (let local = 0; local < scores.length; local++) sums[local] += weight * share * scores[local];
  }
  return sums;
}

/** Lets every model add its part to the accumulator. */
function accumulateAll(blend: Blend, query: Query, accumulator: Accumulator): void {
  const accumulate = ({ model, weight, profile }: Part) => {
    weighSeeds(query, profile);
    model.accumulate(query, weight, accumulator);
  };
  for (const part of blend.proposing) accumulate(part);
  if (query.seedCount > 0) touchHeads(blend, accumulator);
  for (const { model, weight } of blend.standing) model.accumulateRest?.(query, weight, accumulator);
  if (blend.mostRefined > 0) liftAndLead(accumulator, blend.standingSums, blend.mostRefined);
  else liftAll(accumulator, blend.standingSums);
  for (const part of blend.refining) accumulate(part);
}

/** Before any model adds to candidates only, so that none comes too late for it. */
function touchHeads({ standing }: Blend, accumulator: Accumulator): void {
  for (const { model } of standing) {
    if (model.standing!.head) touchAll(accumulator, model.standing!.head);
  }
}

export function profileOf(model: string, profiles: SeedProfiles): SeedProfile {
  return profiles[model] ?? firstProfiles.get(model) ?? defaultSeedProfile;
}

export type ScoreRequest = QueryInput & {
  /** How many candidates there are at most; at most the scorer's `maxLimit`. */
  limit: number;
  /** Whether an item may be a candidate at all: enabled, not excluded. Asked about an item when its turn comes. */
  admits?: (itemIndex: number) => boolean;
};

/** Score and its parts by model; the parts add up to the score. */
export type Explanation = {
  score: number;
  parts: { model: string; weight: number; score: number; reasons: Reason[] }[];
};

export type Scorer = {
  /** Results of the last request as far as they were read, best first. Overwritten by the next request. */
  readonly items: Int32Array;
  readonly scores: Float32Array;
  /** Scores a request and reads all its results; their count is 0 when no model knows any seed. */
  score(blend: Blend, request: ScoreRequest): number;
  /** Scores a request and reads nothing yet. */
  begin(blend: Blend, request: ScoreRequest): void;
  /** Reads results until there are `count`, or no more; returns how many there are. */
  readTo(count: number): number;
  /** The score that the last request gave an item, whether it was read or not; 0 when it gave none. */
  scoreAt(itemIndex: number): number;
  /** Why the last request gave this item its score; undefined for an item that got none. */
  explain(itemIndex: number): Explanation | undefined;
};

export type ScorerOptions = {
  /** Length of the catalogue; grows by itself when the catalogue does. */
  itemCount: number;
  /** The most candidates one request may ask for: ten times the longest list. */
  maxLimit?: number;
  /** The most recent interests of a request that count. */
  maxRecents?: number;
};

/** One per thread: scoring is synchronous, so requests never meet in it. */
export function createScorer({ itemCount, maxLimit = 10_000, maxRecents }: ScorerOptions): Scorer {
  const accumulator = createAccumulator(itemCount);
  const draw = createDraw();
  const query = createQuery(maxRecents);
  const items = new Int32Array(maxLimit);
  const scores = new Float32Array(maxLimit);
  let scored: Blend | undefined;
  let admits: ScoreRequest['admits'];
  let limit = 0;
  let count = 0;

  const beginRequest = (blend: Blend, request: ScoreRequest) => {
    scored = blend;
    admits = request.admits;
    limit = Math.max(0, Math.min(request.limit, maxLimit));
    count = 0;
    fillQuery(query, request, blend.mapping);
    begin(accumulator, blend.mapping.itemIndexOf.length);
    accumulateAll(blend, query, accumulator);
    beginDraw(draw, accumulator);
  };
  const readTo = (wanted: number): number => {
    const end = Math.min(wanted, limit);
    while (count < end) {
      const index = drawBest(draw);
      if (index < 0) break;
      const itemIndex = itemOfSum(scored!.mapping, index);
      if (admits !== undefined && !admits(itemIndex)) continue;
      items[count] = itemIndex;
      scores[count++] = accumulator.scores[index];
    }
    return count;
  };
  const scoreAt = (itemIndex: number): number | undefined => {
    const index = scored === undefined ? -1 : sumIndexOf(scored.mapping, itemIndex);
    return isTouched(accumulator, index) ? accumulator.scores[index] : undefined;
  };

  return {
    items,
    scores,
    begin: beginRequest,
    readTo,
    score(blend, request) {
      beginRequest(blend, request);
      return readTo(limit);
    },
    scoreAt: (itemIndex) => scoreAt(itemIndex) ?? 0,
    explain(itemIndex) {
      const score = scoreAt(itemIndex);
      if (scored === undefined || score === undefined) return undefined;
      const parts = scored.parts.map(({ model, weight, profile }) => {
        weighSeeds(query, profile);
        const reasons = model.explain(query, weight, itemIndex);
        return {
          model: model.name,
          weight,
          score: reasons.reduce((sum, reason) => sum + reason.score, 0),
          reasons,
        };
      });
      return { score, parts };
    },
  };
}
