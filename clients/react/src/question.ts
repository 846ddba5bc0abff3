/** Requests of components, identical on a server and in a page. */

import type { RequestList } from '@personalisation/browser';
import type { Question } from './store.ts';

export type RecommendationsOptions = RequestList & {
  /** Overrides the context of `client.page`. */
  page_type?: string;
  context_item?: string;
  context_item_type?: string;
  /** Ids to show when the service does not answer. */
  fallback?: readonly string[];
};

/** Returns the request of a component; a server loads it before rendering. */
export function recommendationsQuestion(options: RecommendationsOptions): Question {
  const { page_type, context_item, context_item_type, fallback, ...list } = options;
  return {
    kind: 'lists',
    request: {
      ...(page_type && { page_type }),
      ...(context_item && { context_item, context_item_type }),
      lists: [list],
    },
    fallback: fallback && { [list.list_name]: fallback },
  };
}
