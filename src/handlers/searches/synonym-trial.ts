/**
 * What a synonym would change, on queries that people searched: the queries that would be understood otherwise are searched as a
 * stranger would, once as it is and once with it.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ServingEnvironment } from '../../ranking/environment/serving-environment.ts';
import type { SearchIndex, Synonym } from '../../ranking/search/search.ts';
import type { FoundItem } from '../../ranking/searches/search-request.ts';
import type { SearchFeedback } from './feedback/search-feedback.ts';

/** Queries between two turns of other work: about 2 ms. */
const queriesPerSlice = 5;

export type SynonymTrialOptions = {
  environment: ServingEnvironment;
  feedback: Pick<SearchFeedback, 'worthOf'>;
  /** What it would stand in place of; a name of nothing for one beside the others. */
  name: string;
  rule: Synonym;
  /** Folded. */
  queries: readonly string[];
  /** First hits of each query. */
  hitCount: number;
  nowMs: number;
};

export type TriedQuery = { query: string; before: FoundItem[]; after: FoundItem[] };

/** Those whose first hits differ, in the order of the queries. */
export async function trySynonym(options: SynonymTrialOptions): Promise<TriedQuery[]> {
  const { environment, name, rule, queries } = options;
  const { searchIndex } = environment;
  const changed: TriedQuery[] = [];
  for (let start = 0; start < queries.length; start += queriesPerSlice) {
    const slice = queries.slice(start, start + queriesPerSlice);
    const now = slice.map((query) => meaningOf(query, searchIndex));
    const then = searchIndex.synonyms.try(name, rule, () =>
      slice.map((query) => meaningOf(query, searchIndex)),
    );
    for (const query of slice.filter((_, i) => now[i] !== then[i])) {
      const before = firstHits(query, options);
      const after = searchIndex.synonyms.try(name, rule, () => firstHits(query, options));
      if (JSON.stringify(before) !== JSON.stringify(after)) changed.push({ query, before, after });
    }
    await nextTurn();
  }
  return changed;
}

/** Equal texts find equal items. */
function meaningOf(query: string, searchIndex: SearchIndex): string {
  const { words, query: used } = searchIndex.explainQuery({ q: query });
  return JSON.stringify([used, words]);
}

function firstHits(
  query: string,
  { environment, feedback, hitCount, nowMs }: SynonymTrialOptions,
): FoundItem[] {
  const { catalog, searchIndex, models, settings } = environment;
  const { lists } = searchIndex.search({
    q: query,
    nowMs,
    listSize: hitCount,
    prior: models.popularityOf,
    clicksOf: (used) => feedback.worthOf(settings.name, used, nowMs),
  });
  return lists.flatMap(({ items }) =>
    items.map(({ itemIndex }) => ({
      itemId: catalog.itemIdAt(itemIndex),
      itemType: catalog.itemTypeAt(itemIndex),
    })),
  );
}
