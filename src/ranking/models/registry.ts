/**
 * The table of all models: how each is called, what it learns from, what it weighs before anything was learnt. Whoever trains,
 * blends, serves, judges or names models reads it here, so a new model is a file of its own and an entry.
 *
 * In the order in which models add to a score, which decides how sums are rounded. A model may learn from those before it.
 */

import type { Rows } from './arrays/rows.ts';
import { baskets } from './baskets.ts';
import { clickThrough } from './click-through.ts';
import { coVisitRows, coVisits } from './co-visits.ts';
import { contentRows, contentSimilarity } from './content-similarity.ts';
import type { FeatureMatrix } from './features.ts';
import { freshness } from './freshness.ts';
import { createFactorModel, factorsFor, ials } from './ials.ts';
import { ignored } from './ignored.ts';
import type { Interactions } from './interactions.ts';
import { itemRidge, itemRidgeRows, neighbourhoodSizeFor } from './item-ridge.ts';
import type { Algorithm, IndexMapping, Model } from './model.ts';
import { newItemsName } from './new-items.ts';
import { popularity } from './popularity.ts';
import { defaultSeedProfile, type SeedProfile } from './query.ts';
import { repeats } from './repeats.ts';
import type { RowStage, RunRows } from './row-stages.ts';
import { sessionKnn } from './session-knn.ts';
import { transitions } from './transitions.ts';
import { type TrendingOptions, trending } from './trending.ts';
import type { TrendName } from './trends/trends.ts';

/** What there is to learn from. */
export type TrainingSource = {
  interactions: Interactions;
  /** Without it nothing is known of what items are about. */
  features?: FeatureMatrix;
  /** The moment of the trend, Unix seconds. */
  nowSeconds: number;
  categories?: TrendingOptions['categories'];
  /** Publication of each local item, Unix seconds; NaN when not known. */
  publishedAt?: Float64Array;
  /** Who makes the rows of tables that are made row by row [this thread]. */
  runRows?: RunRows;
  /** What came out for models that stand before. */
  trained: { coVisits?: Rows };
};

/** How a model is spoken of, and what it counts in a blend. */
export type ModelEntry = {
  /** In weights, explanations, figures and deployment files. */
  name: string;
  /** What it goes by, as people read it. */
  words: string;
  /** In the blend that an environment begins with; 0 leaves it out until a weight was learnt. */
  weight: number;
  /** A learnt weight is this at least [0]. */
  leastWeight?: number;
  /** How it weighs the seeds before that is learnt [as `defaultSeedProfile` does]. */
  profile?: SeedProfile;
  /** It does not look at the seeds' weights, so there is nothing to learn about them. */
  isImpersonal?: true;
};

export type TrainedEntry<Input, Options, Tables> = ModelEntry & {
  algorithm: Algorithm<Input, Options, Tables>;
  /** What the algorithm learns from; undefined when there is none of it, and so no such model. */
  inputOf(source: TrainingSource): Input | undefined;
  /** What depends on the source. Settings that were chosen or given go before it. */
  optionsOf?(source: TrainingSource): NoInfer<Options>;
  /** Of a training's time, in hundredths, on data of middling size. */
  timeShare: number;
  /** So slow to train that it is not done again for a few events more. */
  isSlow?: true;
  /** The part of its training that several threads may share. */
  rowStage?: RowStage<never>;
  /** Ranks all items where `serve` makes a model that only lifts what others propose. */
  serveAlone?(tables: Tables, mapping: IndexMapping): Model;
};

const day = 86_400;
const year = 365 * day;
const interactionsOf = ({ interactions }: TrainingSource) => interactions;

const trainedModels = {
  /** What people do beats what items look like, wherever there is enough of it. */
  coVisits: entry({
    name: 'co_visits',
    words: 'Seen together',
    weight: 1,
    algorithm: coVisits,
    inputOf: interactionsOf,
    optionsOf: ({ runRows }) => ({ runRows }),
    timeShare: 7,
    isSlow: true,
    rowStage: coVisitRows,
  }),
  /** The sharper of the two item models, and the weaker one where there is little. */
  itemRidge: entry({
    name: 'item_ridge',
    words: 'Similar by behaviour',
    weight: 0.5,
    profile: { ...defaultSeedProfile, stepDecay: 0.95, halfLifeSeconds: year },
    algorithm: itemRidge,
    inputOf: interactionsOf,
    optionsOf: ({ interactions, trained, runRows }) => ({
      neighbourhoodSize: neighbourhoodSizeFor(interactions.itemCount),
      neighbourhoods: trained.coVisits!,
      runRows,
    }),
    timeShare: 6,
    isSlow: true,
    rowStage: itemRidgeRows,
  }),
  transitions: entry({
    name: 'transitions',
    words: 'Next-item',
    weight: 0.3,
    profile: { ...defaultSeedProfile, stepDecay: 0.5, halfLifeSeconds: day },
    algorithm: transitions,
    inputOf: interactionsOf,
    timeShare: 1,
  }),
  /** The visit at hand, for whoever has one like it. */
  sessionKnn: entry({
    name: 'session_knn',
    words: 'Similar visits',
    weight: 0.5,
    profile: { ...defaultSeedProfile, stepDecay: 0.7, halfLifeSeconds: day },
    algorithm: sessionKnn,
    inputOf: interactionsOf,
    timeShare: 1,
  }),
  /** What must not come again is excluded later; what may, mostly does. */
  repeats: entry({
    name: 'repeats',
    words: 'Repeat purchase',
    weight: 0.5,
    profile: { ...defaultSeedProfile, stepDecay: 0.97, halfLifeSeconds: year },
    algorithm: repeats,
    inputOf: interactionsOf,
    timeShare: 1,
  }),
  /** Enough to fill lists for items nobody met yet and to order equal co-visits, too little to override a strong one. */
  contentSimilarity: entry({
    name: 'content_similarity',
    words: 'Similar content',
    weight: 0.3,
    algorithm: contentSimilarity,
    inputOf: ({ features }) => features,
    optionsOf: ({ runRows }) => ({ runRows }),
    timeShare: 2,
    rowStage: contentRows,
  }),
  /** Reaches what no neighbour reaches, and orders the rest. */
  ials: entry({
    name: 'ials',
    words: 'Learned preferences',
    weight: 0.3,
    profile: { ...defaultSeedProfile, stepDecay: 0.95, halfLifeSeconds: year },
    algorithm: ials,
    inputOf: interactionsOf,
    optionsOf: ({ interactions }) => factorsFor(interactions),
    timeShare: 7,
    isSlow: true,
    serveAlone: (tables, mapping) => createFactorModel(tables, mapping, mapping.localOf.length),
  }),
  popularity: entry({
    name: 'popularity',
    words: 'Popular',
    weight: 0,
    isImpersonal: true,
    algorithm: popularity,
    inputOf: interactionsOf,
    timeShare: 1,
  }),
  /** Tells near-equal candidates apart, and fills short lists, by what moves now: whatever else is weighed. */
  trending: entry({
    name: 'trending',
    words: 'Trending',
    weight: 0.1,
    leastWeight: 0.002,
    isImpersonal: true,
    algorithm: trending,
    inputOf: interactionsOf,
    optionsOf: ({ nowSeconds, categories }) => ({ nowSeconds, categories }),
    timeShare: 1,
  }),
  freshness: entry({
    name: 'freshness',
    words: 'Freshness',
    weight: 0,
    isImpersonal: true,
    algorithm: freshness,
    inputOf: interactionsOf,
    optionsOf: ({ nowSeconds }) => ({ nowSeconds }),
    timeShare: 1,
  }),
  /**
   * -1…1: of near-equal candidates those go down that are shown and left alone. Often too few impressions are held back to learn
   * how much that is worth.
   */
  clickThrough: entry({
    name: 'click_through',
    words: 'Clicked when shown',
    weight: 0.1,
    leastWeight: 0.01,
    isImpersonal: true,
    algorithm: clickThrough,
    inputOf: ({ interactions }) => (interactions.exposures ? interactions : undefined),
    timeShare: 1,
  }),
  /** -1…0: what this person has seen often goes down among near-equals, and off the first places among equals. */
  ignored: entry({
    name: 'ignored',
    words: 'Shown, not clicked',
    weight: 0.2,
    leastWeight: 0.05,
    isImpersonal: true,
    algorithm: ignored,
    inputOf: ({ interactions }) => (interactions.sightings ? interactions : undefined),
    timeShare: 1,
  }),
  /** For pages about baskets, whose blend is not learnt; see purposes.ts. */
  baskets: entry({
    name: 'baskets',
    words: 'Bought together',
    weight: 0,
    algorithm: baskets,
    inputOf: ({ interactions: { orders, itemCount }, categories }) =>
      orders && { orders, itemCount, categories },
    timeShare: 1,
  }),
};

/** Content similarity for items newer than the training, so at the same worth. Made where models are served, as items come. */
const newItemsEntry: ModelEntry = { name: newItemsName, words: 'New items', weight: 0.3 };

/** All of a history says which categories a subject turns to. */
const trendProfile = { ...defaultSeedProfile, stepDecay: 1, halfLifeSeconds: year, maxWeight: 10 };

/** Counted live where models are served; see trends/. */
const trendEntries: (ModelEntry & { name: TrendName })[] = [
  { name: 'trend_hour', words: 'Trending this hour', weight: 0.1, profile: trendProfile, isImpersonal: true },
  { name: 'trend_day', words: 'Trending today', weight: 0.3, profile: trendProfile, isImpersonal: true },
  { name: 'trend_week', words: 'Trending this week', weight: 0.2, profile: trendProfile, isImpersonal: true },
];

export type ModelKey = keyof typeof trainedModels;

/** The tables of each model that was trained. */
export type ModelTables = {
  [Key in ModelKey]?: (typeof trainedModels)[Key] extends TrainedEntry<infer _I, infer _O, infer Tables>
    ? Tables
    : never;
};

/** What is not given is as the model's own defaults have it. */
export type ModelSettings = {
  [Key in ModelKey]?: (typeof trainedModels)[Key] extends TrainedEntry<infer _I, infer Options, infer _T>
    ? Partial<Options>
    : never;
};

/** The entries for whoever treats all alike. */
export const trainedEntries = Object.entries(trainedModels) as unknown as readonly (readonly [
  ModelKey,
  TrainedEntry<unknown, object, unknown>,
])[];

export const modelEntries: readonly ModelEntry[] = [
  ...Object.values(trainedModels),
  ...trendEntries,
  newItemsEntry,
];

function entry<Input, Options, Tables>(of: TrainedEntry<Input, Options, Tables>) {
  return of;
}
