/**
 * What every model is, so that the blend, the artefact and the behaviour tests treat all alike.
 *
 * Two index spaces. *Local*: the order of the item keys at training time; every trained array speaks it and never
 * changes. *Item index*: the serving node's catalogue position, which rules and lists speak. A request adds up ten
 * thousand entries of trained arrays and reads a few hundred results, so sums stand by local index and results are translated;
 * behind the last local index stand the sums of items that are newer than the training, by catalogue position.
 */

import type { Accumulator } from './arrays/accumulator.ts';

/** Kept by the caller and read at every request, so it may be replaced field by field as the catalogue moves on. */
export type IndexMapping = {
  /** Item index → local, -1 for items newer than the training. May be longer than the catalogue. */
  localOf: Int32Array;
  /** Local → item index, -1 for items that left the catalogue. */
  itemIndexOf: Int32Array;
};

/** Where the sum of an item stands. */
export function sumIndexOf({ localOf, itemIndexOf }: IndexMapping, itemIndex: number): number {
  const local = localOf[itemIndex] ?? -1;
  return local < 0 ? itemIndexOf.length + itemIndex : local;
}

/** Whose sum stands there; -1 for what left the catalogue. */
export function itemOfSum({ itemIndexOf }: IndexMapping, index: number): number {
  return index < itemIndexOf.length ? itemIndexOf[index] : index - itemIndexOf.length;
}

/** One request as the models see it. Owned and reused by the scorer. */
export type Query = {
  /** Items (and other interests) that stand for the user and the page: the user's newest first, then the page's. */
  seedCount: number;
  /** -1 for an interest that is no item of the catalogue. */
  seedItemIndex: Int32Array;
  /** -1 for an item that is newer than the training. */
  seedLocal: Int32Array;
  /** In detail views, all contacts together. */
  seedStrength: Float32Array;
  /** How often somebody turned to it. */
  seedContacts: Float32Array;
  /** Since the last contact, from the newest of the seeds. */
  seedAgeSeconds: Float64Array;
  /** As the profile of the model at work weighs the seeds; they add up to 1. */
  seedWeight: Float32Array;
  /** Whether the last seed is the item on display. */
  hasContext: boolean;
  /** Rows of the trending model's segments: page type, channel, category. */
  segmentCount: number;
  segments: Int32Array;
  /** Items that the user was shown and left alone, and how often, recent times more. */
  ignoredCount: number;
  ignoredItemIndex: Int32Array;
  ignoredTimes: Float32Array;
};

/** Why a model gave a score: one seed, or (without a seed) the item itself. */
export type Reason = { seedItemIndex?: number; seedLocal?: number; score: number };

/** A trained model, ready to serve. */
export type Model = {
  readonly name: string;
  /**
   * `proposes` makes items candidates; `lifts` adds only to what others proposed, so that the fallbacks
   * (popularity) stay fallbacks instead of crowding a personal list.
   */
  readonly role: 'proposes' | 'lifts';
  /**
   * Does some milliseconds' worth of what the first request needs; false when nothing is left. So that whoever takes new models
   * into use can let others have their turn; a request that comes before does the rest at once.
   */
  prepare?(): boolean;
  /** Adds weight × score of every item it has an opinion on, gone or not. Allocates no arrays. */
  accumulate(query: Query, weight: number, accumulator: Accumulator): void;
  /**
   * What it adds to every candidate of every request, by local item, a `share` of its weight each. `accumulate` adds it too;
   * a blend adds it for all such models at once, and what else they have to say by `accumulateRest`. Of the `head`, local items,
   * it makes candidates for whoever is known by something; a blend does so for all before any of them adds to candidates.
   */
  readonly standing?: { scores: Float32Array; share: number; head?: Int32Array };
  accumulateRest?(query: Query, weight: number, accumulator: Accumulator): void;
  /**
   * Adds to hardly more than so many candidates, the leaders of the accumulator; a blend chooses them before. What other models
   * add after that lowers candidates only.
   */
  readonly mostRefined?: number;
  /** The same additions for one candidate of the query accumulated last, one by one; they add up to what `accumulate` added. */
  explain(query: Query, weight: number, itemIndex: number): Reason[];
};

/** Of an algorithm that leaves nothing to choose. */
export type NoOptions = Record<string, never>;

/** One algorithm: what it learns from, what it learns, and how that is served. */
export type Algorithm<Input, Options, Tables> = {
  readonly name: string;
  /** Pure: the same input gives the same bytes. Time is an option where it matters. */
  train(input: Input, options: Options): Tables;
  serve(tables: Tables, mapping: IndexMapping): Model;
};
