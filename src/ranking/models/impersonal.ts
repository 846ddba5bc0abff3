/** Serves equal scores to all: lifts proposed items, proposes its head to known subjects. */

import { liftAll, touchAll } from './arrays/accumulator.ts';
import type { IndexMapping, Model } from './model.ts';

export type ImpersonalTables = {
  /** Score per local item, 0…1; 0 without contacts. */
  scores: Float32Array;
  /** The local items with the highest scores, best first. */
  head: Int32Array;
};

/** Items proposed; the fallbacks fill longer lists. */
export const headLength = 100;

export function createImpersonalModel(
  name: string,
  { scores, head }: ImpersonalTables,
  mapping: IndexMapping,
): Model {
  return {
    name,
    role: 'lifts',
    standing: { scores, share: 1, head },
    accumulate(query, weight, accumulator) {
      if (query.seedCount === 0) return;
      touchAll(accumulator, head);
      liftAll(accumulator, scores, weight);
    },
    explain(query, weight, itemIndex) {
      const local = mapping.localOf[itemIndex] ?? -1;
      const score = local < 0 || query.seedCount === 0 ? 0 : weight * scores[local];
      return score === 0 ? [] : [{ score }];
    },
  };
}
