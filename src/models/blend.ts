/**
 * Request-time scoring: a weighted sum of models over one reusable accumulator, the best by a bounded heap.
 *
 *   score(j) = Σ_models weight · Σ_seeds seed weight · model(seed → j)
 *
 * Linear on purpose: every model's scores lie near 0…1 on every data set, so weights mean the same everywhere, can be
 * learnt later, and each score explains itself as the sum of its parts.
 */

import { begin, createAccumulator, isTouched } from './arrays/accumulator.ts';
import { beginTopN, createTopN, finishTopN, offerTouched } from './arrays/top-n.ts';
import type { IndexMapping, Model, Reason } from './model.ts';
import { createQuery, fillQuery, type QueryInput } from './query.ts';

/** Weight by model name; a model without one is left out, and so is one with 0. */
export type BlendWeights = Readonly<Record<string, number>>;

export const defaultBlendWeights: BlendWeights = {
  /** What people do beats what items look like, wherever there is enough of it. */
  co_visits: 1,
  /** Enough to fill lists for items nobody met yet and to order equal co-visits, too little to override a strong one. */
  content_similarity: 0.3,
  /** The same similarity for items newer than the training, so at the same worth. */
  new_items: 0.3,
  /** Tells near-equal candidates apart by what moves now. */
  trending: 0.1,
};

/** What serves one environment: replaced as a whole when new models arrive. */
export type Blend = { mapping: IndexMapping; parts: readonly { model: Model; weight: number }[] };

export type BlendOptions = { mapping: IndexMapping; models: readonly Model[]; weights?: BlendWeights };

export function createBlend({ mapping, models, weights = defaultBlendWeights }: BlendOptions): Blend {
  const weighted = models.map((model) => ({ model, weight: weights[model.name] ?? 0 }));
  const used = weighted.filter(({ weight }) => weight !== 0);
  const proposing = used.filter(({ model }) => model.role === 'proposes');
  const lifting = used.filter(({ model }) => model.role === 'lifts');
  return { mapping, parts: [...proposing, ...lifting] };
}

export type ScoreRequest = QueryInput & {
  /** How many candidates to return; at most the scorer's `maxLimit`. */
  limit: number;
  /** Whether an item may be a candidate at all: enabled, not excluded. Asked at most once per scored item. */
  admits?: (itemIndex: number) => boolean;
};

/** Score and its parts by model; the parts add up to the score. */
export type Explanation = {
  score: number;
  parts: { model: string; weight: number; score: number; reasons: Reason[] }[];
};

export type Scorer = {
  /** Results of the last call to `score`: the first `count` entries, best first. Overwritten by the next call. */
  readonly items: Int32Array;
  readonly scores: Float32Array;
  /** Scores a request and returns the count of results, which is 0 when no model knows any seed. */
  score(blend: Blend, request: ScoreRequest): number;
  /** Why the last request gave this item its score; undefined for an item that got none. */
  explain(itemIndex: number): Explanation | undefined;
};

export type ScorerOptions = {
  /** Length of the catalogue; grows by itself when the catalogue does. */
  itemCount: number;
  /** The most candidates one request may ask for: ten times the longest list. */
  maxLimit?: number;
};

/** One per thread: scoring is synchronous, so requests never meet in it. */
export function createScorer({ itemCount, maxLimit = 10_000 }: ScorerOptions): Scorer {
  const accumulator = createAccumulator(itemCount);
  const top = createTopN(maxLimit);
  const query = createQuery();
  let scored: Blend | undefined;
  return {
    items: top.items,
    scores: top.scores,
    score(blend, request) {
      scored = blend;
      fillQuery(query, request, blend.mapping);
      begin(accumulator, blend.mapping.localOf.length);
      for (const { model, weight } of blend.parts) model.accumulate(query, weight, accumulator);
      beginTopN(top, request.limit);
      offerTouched(top, accumulator, request.admits);
      finishTopN(top);
      return top.size;
    },
    explain(itemIndex) {
      if (scored === undefined || !isTouched(accumulator, itemIndex)) return undefined;
      const parts = scored.parts.map(({ model, weight }) => {
        const reasons = model.explain(query, weight, itemIndex);
        return {
          model: model.name,
          weight,
          score: reasons.reduce((sum, reason) => sum + reason.score, 0),
          reasons,
        };
      });
      return { score: accumulator.scores[itemIndex], parts };
    },
  };
}
