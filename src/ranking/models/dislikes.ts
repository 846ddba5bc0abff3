/**
 * Lowers candidates that resemble items which the subject dislikes (relevance feedback: Rocchio, in
 * Salton, "The SMART Retrieval System", 1971):
 *
 *   score(j) − γ · Σ_models weight · Σ_disliked seed weight · model(disliked → j)
 *
 * Only models that compare two items count, and only candidates are lowered.
 */

import { type Accumulator, begin, createAccumulator, isTouched } from './arrays/accumulator.ts';
import type { Blend, Explanation } from './blend.ts';
import { type IndexMapping, itemOfSum } from './model.ts';
import { newItemsName } from './new-items.ts';
import { createQuery, fillQuery, type Recent, weighSeeds } from './query.ts';
import { dislikesEntry } from './registry.ts';

/** γ */
const lowering = 0.75;

/** Share of the greatest lowering from which an item counts as resembling. */
const nearestShare = 0.25;

/** The latest dislikes of a subject. */
const mostDislikes = 20;

const comparing: ReadonlySet<string> = new Set([
  'co_visits',
  'item_ridge',
  'content_similarity',
  'vectors',
  newItemsName,
]);

export type Dislikes = {
  /** Lowers the sums of a request; valid until the next call. */
  lower(sums: Accumulator, blend: Blend, disliked: readonly Recent[]): void;
  /** Returns the catalogue positions that resemble disliked items most. */
  resembling(): ReadonlySet<number>;
  /** Returns the lowering of an item; undefined without any. */
  explain(itemIndex: number): Explanation['parts'][number] | undefined;
};

export function createDislikes(): Dislikes {
  const query = createQuery(mostDislikes);
  const accumulator = createAccumulator(0);
  let parts: Blend['parts'] = [];
  let mapping: IndexMapping;
  return {
    lower(sums, blend, disliked) {
      mapping = blend.mapping;
      parts = disliked.length === 0 ? [] : blend.proposing.filter(({ model }) => comparing.has(model.name));
      if (parts.length === 0) return;
      fillQuery(query, { recents: disliked }, mapping);
      begin(accumulator, mapping.itemIndexOf.length);
      for (const { model, weight, profile } of parts) {
        weighSeeds(query, profile);
        model.accumulate(query, lowering * weight, accumulator);
      }
      for (let place = 0; place < accumulator.touchedCount; place++) {
        const index = accumulator.touched[place];
        if (isTouched(sums, index)) sums.scores[index] -= accumulator.scores[index];
      }
    },
    resembling() {
      const { scores, touched, touchedCount } = accumulator;
      const lowered = touched.subarray(0, parts.length === 0 ? 0 : touchedCount);
      const most = lowered.reduce((greatest, index) => Math.max(greatest, scores[index]), 0);
      const nearest = lowered.filter((index) => scores[index] > 0 && scores[index] >= most * nearestShare);
      return new Set(nearest.map((index) => itemOfSum(mapping, index)));
    },
    explain(itemIndex) {
      const reasons = parts.flatMap(({ model, weight, profile }) => {
        weighSeeds(query, profile);
        return model.explain(query, -lowering * weight, itemIndex);
      });
      if (reasons.length === 0) return undefined;
      const score = reasons.reduce((sum, reason) => sum + reason.score, 0);
      return { model: dislikesEntry.name, weight: -lowering, score, reasons };
    },
  };
}
