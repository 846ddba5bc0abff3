/**
 * The table of all models: names, training inputs and initial weights. Training, blending, serving
 * and evaluation read it, so a new model takes a file and an entry.
 *
 * Its order is the order of accumulation, which decides rounding. A model may learn from earlier
 * ones.
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
import { rhythm, rhythmInput } from './rhythm.ts';
import type { RowStage, RunRows } from './row-stages.ts';
import { saturation } from './saturation.ts';
import { sessionKnn } from './session-knn.ts';
import { createSessions } from './sessions.ts';
import { transitions } from './transitions.ts';
import { type TrendingOptions, trending } from './trending.ts';
import type { TrendName } from './trends/trends.ts';
import { vectorRows, vectors } from './vectors.ts';

export type TrainingSource = {
  interactions: Interactions;
  /** Absent when the content of items is unknown. */
  features?: FeatureMatrix;
  /** Time of the trend, Unix seconds. */
  nowSeconds: number;
  categories?: TrendingOptions['categories'];
  /** Publication of each local item, Unix seconds; NaN when unknown. */
  publishedAt?: Float64Array;
  /** Per local item: 1 if its type is declared as reconsumable. */
  reconsumable?: Uint8Array;
  /** Items with similar vectors, a row a local item; absent without declared vectors. */
  vectorNeighbours?: Rows;
  /** Computes the rows of tables made row by row [this thread]. */
  runRows?: RunRows;
  /** Tables of earlier models. */
  trained: { coVisits?: Rows };
};

/** Name and blend settings of a model. */
export type ModelEntry = {
  /** Used in weights, explanations, figures and deployment files. */
  name: string;
  /** Display name. */
  words: string;
  /** Initial blend weight; 0 leaves the model out until a weight is learnt. */
  weight: number;
  /** Lower bound of a learnt weight [0]. */
  leastWeight?: number;
  /** Seed profile before one is learnt [`defaultSeedProfile`]. */
  profile?: SeedProfile;
  /** Marks models that ignore seed weights, so that no profile is learnt. */
  isImpersonal?: true;
};

export type TrainedEntry<Input, Options, Tables> = ModelEntry & {
  algorithm: Algorithm<Input, Options, Tables>;
  /** Returns the algorithm's input; without one the model is left out. */
  inputOf(source: TrainingSource): Input | undefined;
  /** Returns options derived from the source; chosen or given settings override them. */
  optionsOf?(source: TrainingSource): NoInfer<Options>;
  /** Percentage of a training's time, on data of medium size. */
  timeShare: number;
  /** Marks models too slow to retrain for a few new events. */
  isSlow?: true;
  /** Part of the training that threads can share. */
  rowStage?: RowStage<never>;
  /** Serves a model that ranks all items, where `serve` only lifts proposed ones. */
  serveAlone?(tables: Tables, mapping: IndexMapping): Model;
};

const day = 86_400;
const year = 365 * day;
const interactionsOf = ({ interactions }: TrainingSource) => interactions;

const trainedModels = {
  /** Behaviour beats content where there is enough of it. */
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
  /** The sharper item model, but the weaker one on few data. */
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
  /** Matches the current visit with similar ones. */
  sessionKnn: entry({
    name: 'session_knn',
    words: 'Similar visits',
    weight: 0.5,
    profile: { ...defaultSeedProfile, stepDecay: 0.7, halfLifeSeconds: day },
    algorithm: sessionKnn,
    inputOf: interactionsOf,
    timeShare: 1,
  }),
  /** Items that must not repeat are excluded later; others mostly do repeat. */
  repeats: entry({
    name: 'repeats',
    words: 'Repeat purchase',
    weight: 0.5,
    profile: { ...defaultSeedProfile, stepDecay: 0.97, halfLifeSeconds: year },
    algorithm: repeats,
    inputOf: interactionsOf,
    timeShare: 1,
  }),
  /** Habits such as a weekly purchase: an item that one in eight would buy now is among the best. */
  rhythm: entry({
    name: 'rhythm',
    words: 'Due again',
    weight: 8,
    leastWeight: 8,
    isImpersonal: true,
    algorithm: rhythm,
    inputOf: rhythmInput,
    timeShare: 1,
  }),
  /** Fills lists for items without contacts and breaks ties, but overrides no strong co-visit. */
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
  /** The caller knows what the vectors say; as content until it is learnt. */
  vectors: entry({
    name: 'vectors',
    words: 'Similar vectors',
    weight: 0.3,
    algorithm: vectors,
    inputOf: ({ vectorNeighbours }) => vectorNeighbours,
    timeShare: 1,
    rowStage: vectorRows,
  }),
  /** Reaches items without neighbours, and orders the rest. */
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
  /** Separates near-equal candidates and fills short lists, whatever the other weights. */
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
  /** -1…1: lowers ignored items among near-equals. Impressions are often too few to learn this. */
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
  /** -1…0: among near-equals, lowers items that this subject has seen often. */
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
  /** -1…0: as much as the best candidate has; few questions are about purchases. */
  saturation: entry({
    name: 'saturation',
    words: 'Bought already',
    weight: 1,
    leastWeight: 1,
    isImpersonal: true,
    algorithm: saturation,
    inputOf: ({ interactions, categories }) => categories && { interactions, categories },
    timeShare: 1,
  }),
  /** For pages about baskets, without a learnt blend; see purposes.ts. */
  baskets: entry({
    name: 'baskets',
    words: 'Bought together',
    weight: 0,
    algorithm: baskets,
    inputOf: ({ interactions, categories }) =>
      interactions.orders && {
        orders: interactions.orders,
        visits: createSessions(interactions),
        itemCount: interactions.itemCount,
        categories,
      },
    timeShare: 2,
  }),
};

/** Content similarity for items newer than the training, hence the same weight; built live. */
const newItemsEntry: ModelEntry = { name: newItemsName, words: 'New items', weight: 0.3 };

/** The part of a score that dislikes lower; it has no weight of its own. */
export const dislikesEntry = { name: 'similar_to_disliked', words: 'Similar to disliked items' };

/** Category interest comes from the whole history; a purchase is no more than a contact. */
const trendProfile: SeedProfile = {
  stepDecay: 1,
  halfLifeSeconds: year,
  contextShare: defaultSeedProfile.contextShare,
  maxWeight: 10,
  byContacts: true,
};

/** Counted live while serving; see trends/. */
const trendEntries: (ModelEntry & { name: TrendName })[] = [
  { name: 'trend_hour', words: 'Trending this hour', weight: 0.1, profile: trendProfile, isImpersonal: true },
  { name: 'trend_day', words: 'Trending today', weight: 0.3, profile: trendProfile, isImpersonal: true },
  { name: 'trend_week', words: 'Trending this week', weight: 0.2, profile: trendProfile, isImpersonal: true },
  { name: 'newest', words: 'Newest', weight: 0.05, profile: trendProfile, isImpersonal: true },
];

export type ModelKey = keyof typeof trainedModels;

export type ModelTables = {
  [Key in ModelKey]?: (typeof trainedModels)[Key] extends TrainedEntry<infer _I, infer _O, infer Tables>
    ? Tables
    : never;
};

/** Settings by model; absent ones use the model's defaults. */
export type ModelSettings = {
  [Key in ModelKey]?: (typeof trainedModels)[Key] extends TrainedEntry<infer _I, infer Options, infer _T>
    ? Partial<Options>
    : never;
};

/** Entries for code that treats all models alike. */
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
