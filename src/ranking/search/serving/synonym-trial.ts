/**
 * Tries a synonym on recorded queries: searches those that it changes as a subject without history,
 * without it and with it.
 */

import type { ServingEnvironment } from '../../environment/serving-environment.ts';
import { nextTurn } from '../../runtime/slices.ts';
import type { ItemWorth, SearchIndex, Synonym } from '../search.ts';
import type { FoundItem } from './served-search.ts';

/** Queries between two turns of other work: about 2 ms. */
const queriesPerSlice = 5;

export type SynonymTrialOptions = {
  environment: ServingEnvironment;
  /** Worth of items for a query by their clicks. */
  worthOf(environment: string, query: string, nowMs: number): ItemWorth | undefined;
  /** The rule that is replaced; an unused name for a new rule. */
  name: string;
  rule: Synonym;
  /** Folded. */
  queries: readonly string[];
  /** First hits of each query. */
  hitCount: number;
  nowMs: number;
};

export type TriedQuery = { query: string; before: FoundItem[]; after: FoundItem[] };

/** Returns the queries with changed first hits, in order. */
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

/** Equal for queries that find equal items. */
function meaningOf(query: string, searchIndex: SearchIndex): string {
  const { words, query: used } = searchIndex.explainQuery({ q: query });
  return JSON.stringify([used, words]);
}

function firstHits(
  query: string,
  { environment, worthOf, hitCount, nowMs }: SynonymTrialOptions,
): FoundItem[] {
  const { catalog, searchIndex, models, settings } = environment;
  const { lists } = searchIndex.search({
    q: query,
    nowMs,
    listSize: hitCount,
    prior: models.popularityOf,
    clicksOf: (used) => worthOf(settings.name, used, nowMs),
  });
  return lists.flatMap(({ items }) =>
    items.map(({ itemIndex }) => ({
      itemId: catalog.itemIdAt(itemIndex),
      itemType: catalog.itemTypeAt(itemIndex),
    })),
  );
}
