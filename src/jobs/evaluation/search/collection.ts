/** A catalogue with judged queries, and its search index as a service would build it. */

import { createCatalog, type PropertyType } from '../../../ranking/catalog/catalog.ts';
import type { SearchField } from '../../../ranking/search/search.ts';
import { createSearchIndex } from '../../../ranking/search/search.ts';
import type { Judged } from './ranking-measures.ts';

export type CollectionItem = { itemId: string; document: Readonly<Record<string, unknown>> };

export type SearchCollection = {
  items: CollectionItem[];
  /** Searched properties besides the text fields of Item. */
  properties: (SearchField & { type: PropertyType })[];
  judged: Judged[];
};

/** Depth to which rankings are examined. */
const listSize = 1_000;

/** Ranks the collection's items for a query, without personalisation, clicks or popularity. */
export function createRanker(
  { items, properties }: Omit<SearchCollection, 'judged'>,
  defaultLanguage: string,
): (query: string) => string[] {
  const catalog = createCatalog({ properties, itemTypes: ['item'] });
  const search = createSearchIndex({ catalog, settings: { defaultLanguage, properties, synonyms: [] } });
  items.forEach(({ itemId, document }, i) => {
    const row = { itemType: 'item', itemId, document, enabled: true, revision: i + 1 };
    search.fill(catalog.apply(row), document);
  });
  for (const _ of search.settle());
  return (q) => {
    const { lists } = search.search({ q, nowMs: Date.now(), listSize });
    return (lists[0]?.items ?? []).map(({ itemIndex }) => catalog.itemIdAt(itemIndex));
  };
}
