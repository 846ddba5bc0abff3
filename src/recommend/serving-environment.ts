/** Everything that requests of one environment work with. Models are replaced while requests go on. */

import type { Catalog } from '../catalog/catalog.ts';
import type { EnvironmentSettings } from '../deployment/deployment.ts';
import { createMatchSets, type MatchSets } from '../rules/match-sets.ts';
import { createEmptyModels, type ServingModels } from './serving-models.ts';

/** Remembered answers to conditions: at 100,000 items one takes 12.5 kB. */
const matchSetBytes = 64 * 1024 * 1024;

export type ServingEnvironment = {
  readonly settings: EnvironmentSettings;
  readonly catalog: Catalog;
  readonly matchSets: MatchSets;
  models: ServingModels;
};

export function createServingEnvironment(
  settings: EnvironmentSettings,
  catalog: Catalog,
): ServingEnvironment {
  const matchSets = createMatchSets({ catalog, maxBytes: matchSetBytes });
  return { settings, catalog, matchSets, models: createEmptyModels() };
}
