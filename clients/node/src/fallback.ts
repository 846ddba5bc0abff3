/** Fallback lists of the application, for when the service does not answer in time. */

import { create } from '@bufbuild/protobuf';
import {
  type RecommendationRequest,
  type Recommendations,
  RecommendationsSchema,
} from '../../../gen/es/personalisation/v1/recommendation_pb.js';
import { type SearchResults, SearchResultsSchema } from '../../../gen/es/personalisation/v1/search_pb.js';
import { isPassing, type PersonalisationError, toPersonalisationError } from './errors.ts';

export type FallbackItem = string | { itemId: string; itemType?: string; title?: string };

/** Source of the answer. Events about fallback lists have `cms`, so that metrics do not credit the recommender. */
export type Outcome = { isFallback: boolean; error?: PersonalisationError };

export const fallbackGroup = 'cms';

/** Returns the answer, or the fallback if there is one and the failure is not the caller's. */
export async function orFallback<Answer extends object>(
  answering: Promise<Answer>,
  makeFallback: (() => Answer) | undefined,
): Promise<Answer & Outcome> {
  try {
    return Object.assign(await answering, { isFallback: false });
  } catch (thrown) {
    if (makeFallback === undefined) throw thrown;
    const error = toPersonalisationError(thrown);
    if (!isPassing(error)) throw error;
    return Object.assign(makeFallback(), { isFallback: true, error });
  }
}

/** Returns the requested lists by name; a list without a fallback is empty. */
export function fallbackLists(
  request: RecommendationRequest,
  items: Record<string, readonly FallbackItem[]>,
): Recommendations {
  return create(RecommendationsSchema, {
    deviceId: request.deviceId,
    userId: request.userId,
    requestId: crypto.randomUUID(),
    userGroup: fallbackGroup,
    lists: request.lists.map(({ configurationId, listName, listSize = 0, limit }) => {
      const chosen = (items[listName] ?? []).slice(0, limit ?? listSize).map(rankedItem);
      return { configurationId, listName, listSize: chosen.length, limit: chosen.length, items: chosen };
    }),
  });
}

export function fallbackResults(items: readonly FallbackItem[]): SearchResults {
  const found = items.map(namedItem).map((item) => ({ ...item, type: item.itemType }));
  return create(SearchResultsSchema, {
    requestId: crypto.randomUUID(),
    userGroup: fallbackGroup,
    numLists: 1,
    lists: [{ listName: 'fallback', listSize: found.length, limit: found.length, items: found }],
  });
}

function namedItem(item: FallbackItem) {
  return typeof item === 'string' ? { itemId: item } : item;
}

function rankedItem(item: FallbackItem, index: number) {
  return { itemId: namedItem(item).itemId, rank: index + 1 };
}
