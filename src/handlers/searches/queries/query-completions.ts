/** Queries as completions: the subject's recent ones, and popular ones. */

import type { ServingEnvironment } from '../../../ranking/environment/serving-environment.ts';
import { withinTime } from '../../../ranking/runtime/within-time.ts';
import { foldQuery } from '../../../ranking/search/serving/query-fingerprint.ts';
import type { CompletionRequest, QueryCompletion } from '../../../ranking/search/serving/served-search.ts';
import type { PopularQueries } from '../replica/popular-queries.ts';
import type { TypedQueries } from './typed-queries.ts';

export type QueryCompletions = (
  request: CompletionRequest,
  environment: ServingEnvironment,
) => Promise<readonly QueryCompletion[]>;

export type QueryCompletionsOptions = {
  typedQueries: Pick<TypedQueries, 'of'>;
  popularQueries: Pick<PopularQueries, 'startingWith'>;
};

const none: readonly QueryCompletion[] = [];

/** Returns each query once, recent ones first. Late recent ones are left out. */
export function createQueryCompletions({
  typedQueries,
  popularQueries,
}: QueryCompletionsOptions): QueryCompletions {
  return async (request, { settings: { name, queryCompletions } }) => {
    if (!queryCompletions) return none;
    const prefix = foldQuery(request.q);
    const waitMs = request.deadlineMs - performance.now();
    const tellLate = () => request.onLack?.('deadline');
    const typed = queryCompletions.recent > 0 ? typedQueries.of(request) : undefined;
    const mine = (typed && (await withinTime(waitMs, typed, tellLate))) ?? [];
    const own = startingWith(mine, prefix, queryCompletions.recent);
    const taken = new Set(own.keys());
    const wanted = queryCompletions.popular;
    const others = wanted > 0 ? popularQueries.startingWith(name, prefix, wanted + taken.size) : [];
    return [
      ...Array.from(own.values(), (query): QueryCompletion => ({ query, kind: 'recent' })),
      ...others
        .filter((query) => !taken.has(query))
        .slice(0, wanted)
        .map((query): QueryCompletion => ({ query, kind: 'popular' })),
    ];
  };
}

/** Returns the first queries with the prefix, by their folded form. */
function startingWith(queries: readonly string[], prefix: string, limit: number): Map<string, string> {
  const found = new Map<string, string>();
  for (const query of queries) {
    const folded = foldQuery(query);
    if (found.size < limit && folded.startsWith(prefix) && folded !== prefix && !found.has(folded))
      found.set(folded, query);
  }
  return found;
}
