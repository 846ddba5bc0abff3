/**
 * Scores requests with a weighted sum of models in one reusable accumulator, and draws results best
 * first as far as they are read.
 *
 *   score(j) = Σ_models weight · Σ_seeds seed weight · model(seed → j)
 *
 * Linear on purpose: every model's scores lie near 0…1 on every data set, so weights are comparable
 * and can be learnt, and a score is explained by the sum of its parts.
 */

import {
  type Accumulator,
  begin,
  createAccumulator,
  isTouched,
  liftAll,
  touchAll,
} from './arrays/accumulator.ts';
import { createDraw } from './arrays/draw.ts';
import { createDislikes } from './dislikes.ts';
import { type IndexMapping, itemOfSum, type Model, type Query, type Reason, sumIndexOf } from './model.ts';
import {
  createQuery,
  defaultSeedProfile,
  fillQuery,
  type QueryInput,
  type Recent,
  type SeedProfile,
  weighSeeds,
} from './query.ts';
import { modelEntries } from './registry.ts';

/** Weight by model name; models with weight 0 or no weight are left out. */
export type BlendWeights = Readonly<Record<string, number>>;

/** Seed weighting by model name; absent models use the registry's profile. */
export type SeedProfiles = Readonly<Record<string, SeedProfile>>;

/** Weights before the environment has enough events of its own. */
export const defaultBlendWeights: BlendWeights = Object.fromEntries(
  modelEntries.map(({ name, weight }) => [name, weight]),
);

/** Models of the visit use its last steps, models of taste the whole history. */
const firstProfiles = new Map(modelEntries.map(({ name, profile }) => [name, profile]));

type Part = { model: Model; weight: number; profile: SeedProfile };

/** Models that serve one environment; replaced as a whole by new models. */
export type Blend = {
  mapping: IndexMapping;
  /** In the order of accumulation. */
  parts: readonly Part[];
  proposing: readonly Part[];
  /** Parts with scores that are the same for every request. */
  standing: readonly Part[];
  /** Weighted sum of the standing parts by local item; minus infinity for removed items. */
  standingSums: Float32Array;
  /** Parts that rescore the best candidates of the others. */
  refining: readonly Part[];
  /** Learnt strength of the calibration [unknown]. */
  calibration?: number;
};

export type BlendOptions = {
  mapping: IndexMapping;
  models: readonly Model[];
  weights?: BlendWeights;
  profiles?: SeedProfiles;
  calibration?: number;
};

export function createBlend(options: BlendOptions): Blend {
  const { mapping, models, weights = defaultBlendWeights, profiles = {}, calibration } = options;
  const weighted = models.map((model) => ({
    model,
    weight: weights[model.name] ?? 0,
    profile: profileOf(model.name, profiles),
  }));
  const used = weighted.filter(({ weight }) => weight !== 0);
  return { ...arrangeBlend(mapping, used), calibration };
}

/** Arranges parts, given in any order, into a blend. */
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

/** Adds every model's scores to the accumulator. */
function accumulateAll(blend: Blend, query: Query, accumulator: Accumulator): void {
  const accumulate = ({ model, weight, profile }: Part) => {
    weighSeeds(query, profile);
    model.accumulate(query, weight, accumulator);
  };
  for (const part of blend.proposing) accumulate(part);
  if (query.seedCount > 0) touchHeads(blend, accumulator);
  for (const { model, weight } of blend.standing) model.accumulateRest?.(query, weight, accumulator);
  liftAll(accumulator, blend.standingSums);
  for (const part of blend.refining) accumulate(part);
}

/** Touches heads first, so that later models can add to them as candidates. */
function touchHeads({ standing }: Blend, accumulator: Accumulator): void {
  for (const { model } of standing) {
    if (model.standing!.head) touchAll(accumulator, model.standing!.head);
  }
}

export function profileOf(model: string, profiles: SeedProfiles): SeedProfile {
  return profiles[model] ?? firstProfiles.get(model) ?? defaultSeedProfile;
}

export type ScoreRequest = QueryInput & {
  /** Most candidates returned; at most the scorer's `maxLimit`. */
  limit: number;
  /** Items the subject dislikes, newest first [none]. */
  disliked?: readonly Recent[];
  /** Tests whether an item may be a candidate; called when the item is drawn. */
  admits?: (itemIndex: number) => boolean;
};

/** Score of an item and its parts by model; the parts add up to the score. */
export type Explanation = {
  score: number;
  parts: { model: string; weight: number; score: number; reasons: Reason[] }[];
};

export type Scorer = {
  /** Results of the last request read so far, best first. Overwritten by the next request. */
  readonly items: Int32Array;
  readonly scores: Float32Array;
  /** Scores a request and reads all results; returns their count, 0 without a known seed. */
  score(blend: Blend, request: ScoreRequest): number;
  /** Scores a request without reading results. */
  begin(blend: Blend, request: ScoreRequest): void;
  /** Reads until there are `count` results or no more; returns their number. */
  readTo(count: number): number;
  /** Returns the last request's score of an item, read or not; 0 without a score. */
  scoreAt(itemIndex: number): number;
  /** Returns the catalogue positions that resemble items disliked in the last request most. */
  resembling(): ReadonlySet<number>;
  /** Explains the last request's score of an item; undefined without a score. */
  explain(itemIndex: number): Explanation | undefined;
};

export type ScorerOptions = {
  /** Length of the catalogue; grows with it. */
  itemCount: number;
  /** Most candidates of one request: ten times the longest list. */
  maxLimit?: number;
  /** Most recent interests used per request. */
  maxRecents?: number;
};

/** Creates a scorer, one per thread: scoring is synchronous, so requests never overlap. */
export function createScorer({ itemCount, maxLimit = 10_000, maxRecents }: ScorerOptions): Scorer {
  const accumulator = createAccumulator(itemCount);
  const dislikes = createDislikes();
  const draw = createDraw(accumulator);
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
    dislikes.lower(accumulator, blend, request.disliked ?? []);
    draw.begin();
  };
  const readTo = (wanted: number): number => {
    const end = Math.min(wanted, limit);
    while (count < end) {
      const index = draw.next();
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
    resembling: dislikes.resembling,
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
      const lowered = dislikes.explain(itemIndex);
      return { score, parts: lowered ? [...parts, lowered] : parts };
    },
  };
}
