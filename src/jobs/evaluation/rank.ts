/** Answers questions as the service answers requests: the same seeds, blend and exclusions. */

import { add } from '../../ranking/models/arrays/accumulator.ts';
import { arrangeBlend, type Blend, createScorer } from '../../ranking/models/blend.ts';
import type { Ignored } from '../../ranking/models/ignored.ts';
import type { Interactions } from '../../ranking/models/interactions.ts';
import {
  type Exclusion,
  excludedAt,
  type Question,
  recentsBefore,
} from '../../ranking/models/learning/questions.ts';
import { ignoredBefore } from '../../ranking/models/learning/showings.ts';
import type { Model } from '../../ranking/models/model.ts';
import { defaultSeedProfile, type Recent } from '../../ranking/models/query.ts';
import { listDepth } from './metrics.ts';

export type Asked = {
  question: Question;
  recents: readonly Recent[];
  /** Items with impressions that the subject ignored. */
  ignored?: readonly Ignored[];
  /** Whether the list may contain an item. */
  admits: (item: number) => boolean;
};

export type Ranker = {
  /** Returns the best listDepth items, best first. */
  rank(asked: Asked): Int32Array;
};

export type RankerOptions = {
  maxRecents: number;
  /** Makes every item a candidate, for models that only rerank others' candidates. */
  everything?: boolean;
  /** All items in fallback order. */
  fallback?: Int32Array;
};

export function createRanker(
  blend: Blend,
  { maxRecents, everything = false, fallback }: RankerOptions,
): Ranker {
  const itemCount = blend.mapping.localOf.length;
  const scorer = createScorer({ itemCount, maxLimit: listDepth, maxRecents });
  const parts = everything ? [allItems(itemCount), ...blend.parts] : blend.parts;
  const asked = arrangeBlend(blend.mapping, parts);
  return {
    rank({ recents, ignored, admits }) {
      const count = scorer.score(asked, { recents, ignored, limit: listDepth, admits });
      const list = scorer.items.slice(0, count);
      return fallback === undefined || count === listDepth ? list : fillUp(list, fallback, admits);
    },
  };
}

function fillUp(list: Int32Array, fallback: Int32Array, admits: Asked['admits']): Int32Array {
  const filled = [...list];
  for (let place = 0; place < fallback.length && filled.length < listDepth; place++) {
    const item = fallback[place];
    if (admits(item) && !list.includes(item)) filled.push(item);
  }
  return Int32Array.from(filled);
}

/** Passes the state known at a question to `ask`. */
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

/** Proposes every item with a score of zero. */
function allItems(itemCount: number): Blend['parts'][number] {
  const model: Model = {
    name: 'all_items',
    role: 'proposes',
    accumulate(_query, _weight, accumulator) {
      for (let item = 0; item < itemCount; item++) add(accumulator, item, 0);
    },
    explain: () => [],
  };
  return { model, weight: 1, profile: defaultSeedProfile };
}
