/** State that requests of one environment share. Models are replaced during requests. */

import type { EnvironmentSettings } from '../../deployment/deployment.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { createMatchSets, type MatchSets } from '../rules/match-sets.ts';
import type { SearchSettings } from '../search/search.ts';
import { createSearchIndex, type SearchIndex } from '../search/search.ts';
import { createItemVectors, type ItemVectors } from '../vectors/item-vectors.ts';
import { createLiveTrends, type LiveTrends } from './live-trends.ts';
import { createEmptyModels, type ServingModels } from './serving-models.ts';

/** Limit of cached match sets; one takes 12.5 kB at 100,000 items. */
const matchSetBytes = 64 * 1024 * 1024;

export type ServingEnvironment = {
  readonly settings: EnvironmentSettings;
  readonly catalog: Catalog;
  readonly matchSets: MatchSets;
  readonly searchIndex: SearchIndex;
  readonly vectors: ItemVectors;
  models: ServingModels;
  readonly trends: LiveTrends;
  /** Number of successful searches by folded word; replaced, never modified. */
  wordUsage: ReadonlyMap<string, number>;
};

/** The part of the state that computing lists needs, also in list threads, which have no vectors. */
export type ListEnvironment = Pick<
  ServingEnvironment,
  'settings' | 'catalog' | 'matchSets' | 'models' | 'trends'
> &
  Partial<Pick<ServingEnvironment, 'vectors'>>;

export function createServingEnvironment(
  settings: EnvironmentSettings,
  catalog: Catalog,
): ServingEnvironment {
  const matchSets = createMatchSets({ catalog, maxBytes: matchSetBytes });
  const trends = createLiveTrends(catalog);
  const environment: ServingEnvironment = {
    settings,
    catalog,
    matchSets,
    searchIndex: createSearchIndex({
      catalog,
      settings: searchSettingsOf(settings),
      popularity: (itemIndex) => environment.models.popularityOf(itemIndex),
      usage: () => environment.wordUsage,
    }),
    vectors: createItemVectors(settings.vectors, catalog),
    models: createEmptyModels(trends.view),
    trends,
    wordUsage: new Map(),
  };
  return environment;
}

function searchSettingsOf({ defaultLanguage, properties, synonyms }: EnvironmentSettings): SearchSettings {
  const searched = [...properties.values()].filter(({ searchWeight }) => searchWeight !== undefined);
  return {
    defaultLanguage,
    synonyms,
    properties: searched.map(({ name, searchWeight }) => ({ name, weight: searchWeight! })),
  };
}
