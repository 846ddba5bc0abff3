/** Answers questions as the service answers requests: the same seeds, the same blend, the same exclusions. */

import { arrangeBlend, type Blend, createScorer } from '../models/blend.ts';
import type { Ignored } from '../models/ignored.ts';
import type { Interactions } from '../models/interactions.ts';
import { type Exclusion, excludedAt, type Question, recentsBefore } from '../models/learning/questions.ts';
import { ignoredBefore } from '../models/learning/showings.ts';
import type { Model } from '../models/model.ts';
import { defaultSeedProfile, type Recent } from '../models/query.ts';
import { CUT } from './metrics.ts';

export type Asked = {
  question: Question;
  recents: readonly Recent[];
  /** What the subject was shown and left alone. */
  ignored?: readonly Ignored[];
  /** Whether an item may be in the list. */
  admits: (item: number) => boolean;
};

export type Ranker = {
  /** The best CUT items, best first. */
  rank(asked: Asked): Int32Array;
};

/** @param everything Every item is a candidate: for models that only lift what others propose. */
export function createRanker(blend: Blend, maxRecents: number, everything = false): Ranker {
  const itemCount = blend.mapping.localOf.length;
  const scorer = createScorer({ itemCount, maxLimit: CUT, maxRecents });
  const parts = everything ? [allItems(itemCount), ...blend.parts] : blend.parts;
  const asked = arrangeBlend(blend.mapping, parts);
  return {
    rank({ recents, ignored, admits }) {
      const count = scorer.score(asked, { recents, ignored, limit: CUT, admits });
      return scorer.items.slice(0, count);
    },
  };
}

/**
 * Gives `ask` what is known at a question.
 */
export function createHistories(source: Interactions, maxRecents: number, excluded: Exclusion) {
  const known = new Uint8Array(source.itemCount);
  const admits = (item: number) => known[item] === 0;
  return (question: Question, ask: (asked: Asked) => void): void => {
    const barred = excludedAt(source, question, excluded);
    for (const item of barred) known[item] = 1;
    const recents = recentsBefore(source, question, maxRecents);
    ask({ question, recents, ignored: ignoredBefore(source, question), admits });
    for (const item of barred) known[item] = 0;
  };
}

/** Proposes each item with nothing to say for it. */
function allItems(itemCount: number): Blend['parts'][number] {
  const model: Model = {
    name: 'all_items',
    role: 'proposes',
    accumulate(_query, _weight, accumulator) {
      for (let item = 0; item < itemCount; item++) {
        accumulator.scores[item] = 0;
        accumulator.touched[item] = item;
      }
      accumulator.touchedCount = itemCount;
    },
    explain: () => [],
  };
  return { model, weight: 1, profile: defaultSeedProfile };
}
