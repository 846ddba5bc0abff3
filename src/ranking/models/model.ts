/**
 * Common types of all models, for the blend, the artefact and the behaviour tests.
 *
 * Two index spaces. *Local*: the order of the item keys at training, used by all trained arrays; it
 * never changes. *Item index*: the position in the serving node's catalogue, used by rules and
 * lists. Requests add up ten thousand trained entries and read a few hundred results, so sums use
 * local indexes. Sums of items newer than the training follow the last one, by catalogue position.
 */

import type { Accumulator } from './arrays/accumulator.ts';
import type { Rhythm } from './visits.ts';

/** Owned by the caller and read at every request; its fields change with the catalogue. */
export type IndexMapping = {
  /** Item index → local, -1 for items newer than the training. May be longer than the catalogue. */
  localOf: Int32Array;
  /** Local → item index, -1 for removed items. */
  itemIndexOf: Int32Array;
};

/** Returns the index of an item's sum. */
export function sumIndexOf({ localOf, itemIndexOf }: IndexMapping, itemIndex: number): number {
  const local = localOf[itemIndex] ?? -1;
  return local < 0 ? itemIndexOf.length + itemIndex : local;
}

/** Returns the item of a sum, -1 for removed items. */
export function itemOfSum({ itemIndexOf }: IndexMapping, index: number): number {
  return index < itemIndexOf.length ? itemIndexOf[index] : index - itemIndexOf.length;
}

/** One request as seen by the models. Owned and reused by the scorer. */
export type Query = {
  /** Items and other interests: the subject's, newest first, then the page's. */
  seedCount: number;
  /** -1 for interests that are not items. */
  seedItemIndex: Int32Array;
  /** -1 for items newer than the training. */
  seedLocal: Int32Array;
  /** In detail views, summed over all contacts. */
  seedStrength: Float32Array;
  /** Number of contacts. */
  seedContacts: Float32Array;
  /** Since the last contact, newest seed first. */
  seedAgeSeconds: Float64Array;
  /** Similarity of the last contact's time of day with the request's, 0 to 1. */
  seedSameTime: Float32Array;
  /** Visits with it before the current one; absent without. */
  seedRhythm: (Rhythm | undefined)[];
  /** Weights by the current model's profile; they add up to 1. */
  seedWeight: Float32Array;
  /** Whether the last seed is the item on display. */
  hasContext: boolean;
  /** Rows of the trending model's segments: page type, channel, category. */
  segmentCount: number;
  segments: Int32Array;
  /** Items the subject ignored, with their decayed number of impressions. */
  ignoredCount: number;
  ignoredItemIndex: Int32Array;
  ignoredTimes: Float32Array;
  /** Purchases, the newest first. */
  bought: readonly Bought[];
  /** Size of the longest list to be made; 0 for the usual size. */
  listSize: number;
};

/** A purchase of the subject, and its age. */
export type Bought = { itemIndex: number; ageSeconds: number };

/** Reason of a score: a seed, or the item itself if there is no seed. */
export type Reason = { seedItemIndex?: number; seedLocal?: number; score: number };

export type Model = {
  readonly name: string;
  /**
   * `proposes` makes items candidates; `lifts` only adds to proposed ones, so that fallbacks such
   * as popularity do not crowd a personal list.
   */
  readonly role: 'proposes' | 'lifts';
  /** Prepares for the first request in slices of milliseconds; returns false when done. */
  prepare?(): boolean;
  /** Adds weight × score of every item it scores, removed or not. Allocates no arrays. */
  accumulate(query: Query, weight: number, accumulator: Accumulator): void;
  /**
   * Scores added to every candidate of every request, by local item, times `share` of the weight.
   * `accumulate` adds them too; a blend adds them for all such models at once, and the rest by
   * `accumulateRest`. The `head` (local items) becomes candidates for subjects with any history; a
   * blend touches all heads before adding to candidates.
   */
  readonly standing?: { scores: Float32Array; share: number; head?: Int32Array };
  accumulateRest?(query: Query, weight: number, accumulator: Accumulator): void;
  /** Lists the additions to one candidate of the last query; they add up to the total. */
  explain(query: Query, weight: number, itemIndex: number): Reason[];
};

export type NoOptions = Record<string, never>;

/** An algorithm: its input, its tables, and how to serve them. */
export type Algorithm<Input, Options, Tables> = {
  readonly name: string;
  /** Pure: equal inputs give equal bytes. Time, where it matters, is an option. */
  train(input: Input, options: Options): Tables;
  serve(tables: Tables, mapping: IndexMapping): Model;
};
