/** A small catalogue with its search index, for tests. */
import { type Catalog, createCatalog } from '../../../../src/ranking/catalog/catalog.ts';
import type { Synonym } from '../../../../src/ranking/search/search.ts';
import {
  createSearchIndex,
  type SearchIndex,
  type SearchRequest,
} from '../../../../src/ranking/search/search.ts';

export type Item = { id: string; enabled?: boolean } & Record<string, unknown>;

export type World = {
  catalog: Catalog;
  search: SearchIndex;
  put(item: Item): void;
  /** Found after the next settling. */
  fill(item: Item): void;
  disable(id: string): void;
  /** Item ids of the first list. */
  find(q: string, request?: Partial<SearchRequest>): string[];
  complete(q: string, options?: { limit?: number; fuzziness?: number }): string[];
};

const properties = [
  { name: 'brand', type: 'string' as const, weight: 1 },
  { name: 'color', type: 'string[]' as const, weight: 0.5 },
  { name: 'specs', type: 'string[]' as const, weight: 0.01 },
  { name: 'price', type: 'number' as const, weight: 0 },
];

export type WorldOptions = {
  language?: string;
  synonyms?: Synonym[];
  popularity?: (itemIndex: number) => number;
  usage?: () => ReadonlyMap<string, number>;
  brandWeight?: number;
};

/** @param items found by the open segment only, until something merges */
export function createWorld(items: readonly Item[] = [], options: WorldOptions = {}): World {
  const { language = 'en', synonyms = [], popularity, usage, brandWeight } = options;
  const catalog = createCatalog({ properties, itemTypes: ['item'] });
  const [brand, ...others] = properties.slice(0, 3);
  const searched = [{ ...brand, weight: brandWeight ?? brand.weight }, ...others];
  const search = createSearchIndex({
    catalog,
    settings: { defaultLanguage: language, properties: searched, synonyms },
    popularity,
    usage,
  });
  let revision = 0;
  const rowOf = ({ id, enabled = true, ...document }: Item) => ({
    itemType: 'item',
    itemId: id,
    document,
    enabled,
    revision: ++revision,
  });
  const put = (item: Item): void => {
    const row = rowOf(item);
    search.apply(catalog.apply(row), row.enabled ? row.document : undefined);
  };
  for (const item of items) put(item);
  return {
    catalog,
    search,
    put,
    fill(item) {
      const row = rowOf(item);
      search.fill(catalog.apply(row), row.document);
    },
    disable: (id) => put({ id, enabled: false }),
    find(q, request = {}) {
      const { lists } = search.search({ q, nowMs: 0, listSize: 100, ...request });
      return (lists[0]?.items ?? []).map(({ itemIndex }) => catalog.itemIdAt(itemIndex));
    },
    complete(q, { limit = 10, fuzziness = 0 } = {}) {
      const hits = search.complete({ q, nowMs: 0, limit, fuzziness });
      return hits.map(({ itemIndex }) => catalog.itemIdAt(itemIndex));
    },
  };
}

/** Moves everything into the packed segment. */
export function merge({ search }: World): void {
  for (const _ of search.load([]));
}
