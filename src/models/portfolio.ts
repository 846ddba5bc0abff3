/** All models of an environment: trained together, served together. */

import type { TrainedModels } from './artefact.ts';
import { clickThrough } from './click-through.ts';
import { type CoVisitsOptions, coVisits } from './co-visits.ts';
import { contentSimilarity } from './content-similarity.ts';
import type { FeatureMatrix } from './features.ts';
import { type FreshnessOptions, freshness } from './freshness.ts';
import { type IalsOptions, ials } from './ials.ts';
import { ignored } from './ignored.ts';
import type { Interactions } from './interactions.ts';
import { type ItemRidgeOptions, itemRidge } from './item-ridge.ts';
import type { IndexMapping, Model } from './model.ts';
import { popularity } from './popularity.ts';
import { type RepeatsOptions, repeats } from './repeats.ts';
import type { RunRows } from './row-stages.ts';
import { type SessionKnnOptions, sessionKnn } from './session-knn.ts';
import { type TransitionsOptions, transitions } from './transitions.ts';
import { type TrendingOptions, trending } from './trending.ts';

export type PortfolioTables = Omit<TrainedModels, 'itemKeys' | 'fallbackOrder' | 'learnt' | 'trainedUntil'>;

/** What is not given is as the model's own defaults have it. */
export type PortfolioSettings = {
  coVisits?: CoVisitsOptions;
  transitions?: TransitionsOptions;
  sessionKnn?: SessionKnnOptions;
  itemRidge?: Omit<ItemRidgeOptions, 'neighbourhoods' | 'runRows'>;
  ials?: IalsOptions;
  repeats?: RepeatsOptions;
  trending?: Pick<TrendingOptions, 'halfLifeSeconds'>;
  freshness?: Pick<FreshnessOptions, 'halfLifeSeconds'>;
};

export type PortfolioInput = {
  interactions: Interactions;
  /** Without it there is no content similarity. */
  features?: FeatureMatrix;
  /** The moment of the trend, Unix seconds. */
  nowSeconds: number;
  categories?: TrendingOptions['categories'];
  settings?: PortfolioSettings;
  /** Tables that need no training. */
  kept?: Pick<PortfolioTables, 'coVisits' | 'itemRidge' | 'ials'>;
  /** Called before each model, with its name. */
  onModel?: (name: string) => void;
  /** Who makes the rows of tables that are made row by row [this thread]. */
  runRows?: RunRows;
};

/** Multiplications that a training may spend on a model: some ten seconds. */
const mostRidgeWork = 1.4e9;
const mostFactorWork = 8e9;

export function trainPortfolio(input: PortfolioInput): PortfolioTables {
  const {
    interactions,
    features,
    nowSeconds,
    categories,
    settings = {},
    kept = {},
    onModel = () => {},
    runRows,
  } = input;
  const train = <Tables>(name: string, run: () => Tables): Tables => {
    onModel(name);
    return run();
  };
  const walk =
    kept.coVisits ??
    train('co_visits', () => coVisits.train(interactions, { ...settings.coVisits, runRows }));
  return {
    coVisits: walk,
    itemRidge:
      kept.itemRidge ??
      train('item_ridge', () =>
        itemRidge.train(interactions, {
          neighbourhoodSize: neighbourhoodSizeFor(interactions.itemCount),
          ...settings.itemRidge,
          neighbourhoods: walk,
          runRows,
        }),
      ),
    ials:
      kept.ials ??
      train('ials', () => ials.train(interactions, { ...factorsFor(interactions), ...settings.ials })),
    transitions: train('transitions', () => transitions.train(interactions, settings.transitions ?? {})),
    sessionKnn: train('session_knn', () => sessionKnn.train(interactions, settings.sessionKnn ?? {})),
    repeats: train('repeats', () => repeats.train(interactions, settings.repeats ?? {})),
    popularity: train('popularity', () => popularity.train(interactions, {})),
    contentSimilarity:
      features && train('content_similarity', () => contentSimilarity.train(features, { runRows })),
    trending: train('trending', () =>
      trending.train(interactions, { nowSeconds, categories, ...settings.trending }),
    ),
    freshness: train('freshness', () => freshness.train(interactions, { nowSeconds, ...settings.freshness })),
    clickThrough:
      interactions.exposures && train('click_through', () => clickThrough.train(interactions, {})),
    ignored: interactions.sightings && train('ignored', () => ignored.train(interactions, {})),
  };
}

/** Served models hold scratch memory of their own: one set per thread. */
export function servePortfolio(tables: PortfolioTables, mapping: IndexMapping): Model[] {
  const served: Model[] = [];
  if (tables.coVisits) served.push(coVisits.serve(tables.coVisits, mapping));
  if (tables.itemRidge) served.push(itemRidge.serve(tables.itemRidge, mapping));
  if (tables.transitions) served.push(transitions.serve(tables.transitions, mapping));
  if (tables.sessionKnn) served.push(sessionKnn.serve(tables.sessionKnn, mapping));
  if (tables.repeats) served.push(repeats.serve(tables.repeats, mapping));
  if (tables.contentSimilarity) served.push(contentSimilarity.serve(tables.contentSimilarity, mapping));
  if (tables.ials) served.push(ials.serve(tables.ials, mapping));
  if (tables.popularity) served.push(popularity.serve(tables.popularity, mapping));
  if (tables.trending) served.push(trending.serve(tables.trending, mapping));
  if (tables.freshness) served.push(freshness.serve(tables.freshness, mapping));
  if (tables.clickThrough) served.push(clickThrough.serve(tables.clickThrough, mapping));
  if (tables.ignored) served.push(ignored.serve(tables.ignored, mapping));
  return served;
}

/** K such that items × K³ / 6 stays within the budget. */
function neighbourhoodSizeFor(itemCount: number): number {
  return Math.max(16, Math.min(100, Math.floor(((mostRidgeWork * 6) / Math.max(1, itemCount)) ** (1 / 3))));
}

/** Fewer epochs, then fewer dimensions, for more rows and events. */
function factorsFor({ subjectCount, itemCount, item }: Interactions): IalsOptions {
  for (const [dimensions, epochs] of [
    [64, 7],
    [64, 4],
    [32, 5],
    [32, 3],
  ]) {
    const perEpoch = 2 * dimensions ** 2 * (subjectCount + itemCount) + 24 * dimensions * item.length;
    if (epochs * perEpoch <= mostFactorWork) return { dimensions, epochs };
  }
  return { dimensions: 16, epochs: 3 };
}
