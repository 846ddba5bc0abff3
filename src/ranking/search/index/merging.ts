/** When the segments of an index become one, and how a restored one is made found without. */

import type { SegmentFollower } from './follower.ts';
import { forgetClaims, freeze, type Held } from './held.ts';
import type { KindCounts } from './kinds.ts';
import { type Merged, mergeSegments } from './merge.ts';

export type Merging = {
  /** Does one slice of a merge when one is due or running; true while there is more to do. */
  maintain(): boolean;
  /** Merges everything, in slices to be run to the end. */
  settle(): Generator<void>;
  /** Tells the follower that documents are worth something else now; merges only when many are not packed. */
  reorder(): Generator<void>;
  /** Makes found what was filled in after a snapshot was restored, by a merge only when there is much. */
  catchUp(): Generator<void>;
};

export type MergingOptions = {
  held: Held;
  follower?: SegmentFollower;
  /** Makes a document of the open segment found. */
  weigh(ordinal: number): void;
};

/** A merge is due when the open segment has so many documents, or this share of the packed one. */
const leastOpenDocuments = 2_000;
const openShare = 0.08;
/** Documents that are not packed, as a share of those that are, are left without an order. */
const mostUnordered = 0.01;
/** Documents weighed between two yields: about 1 ms. */
const documentsPerSlice = 100;

function takeOver(held: Held, merged: Merged, counts: KindCounts): void {
  const { places, kinds, frequencies, open } = held;
  places.takeOver();
  held.packed = merged.segment;
  held.averages = merged.averages;
  kinds.use(counts);
  for (let ordinal = 0; ordinal < open.docCount; ordinal++) kinds.add(open, ordinal);
  held.frozen = [];
  held.isUnweighed = false;
  forgetClaims(held);
  held.revision += 1;
  for (const _ of frequencies.count([held.packed, open]));
}

function* runMerge(held: Held, follower: SegmentFollower | undefined): Generator<void> {
  freeze(held);
  const { fields, words, places, kinds } = held;
  const sources = [held.packed, ...held.frozen];
  places.beginMove(sources);
  const merged = yield* mergeSegments({ sources, fields, words });
  const counts = yield* kinds.count(merged.segment);
  yield* places.prepare(merged.segment);
  // The follower changes over at its end, so nothing may come between that and the segment's taking over.
  if (follower) yield* follower.merged(merged.segment, words);
  takeOver(held, merged, counts);
  yield* places.settle();
}

export function createMerging({ held, follower, weigh }: MergingOptions): Merging {
  const { claims, kinds, frequencies } = held;

  /** One slice of the running merge; true while it is not finished. */
  const step = (): boolean => {
    held.merge ??= runMerge(held, follower);
    if (!held.merge.next().done) return true;
    held.merge = undefined;
    return false;
  };

  const isMany = (documents: number): boolean =>
    documents > Math.max(leastOpenDocuments, held.packed.docCount * openShare);
  const isDue = (): boolean =>
    isMany(held.frozen.reduce((sum, { docCount }) => sum + docCount, held.open.docCount));

  /** Somebody else may do slices of it, too. */
  function* finish(running: Generator<void>): Generator<void> {
    while (held.merge === running && step()) yield;
  }

  function* settle(): Generator<void> {
    if (held.merge) yield* finish(held.merge);
    held.merge ??= runMerge(held, follower);
    yield* finish(held.merge);
  }

  return {
    settle,
    *reorder() {
      const { merge, open, packed } = held;
      if (merge || open.docCount > packed.docCount * mostUnordered) yield* settle();
      else if (follower) yield* follower.reorder(packed);
    },
    *catchUp() {
      const { packed, frozen, open, isUnweighed } = held;
      const isReady = packed.docCount > 0 && frozen.length === 0 && !isUnweighed;
      if (held.merge || !isReady || isMany(open.docCount + claims.left)) return yield* settle();
      forgetClaims(held);
      yield* frequencies.count([packed]);
      kinds.use(yield* kinds.count(packed));
      for (let ordinal = 0; ordinal < held.open.docCount; ordinal++) {
        if (held.open.alive[ordinal] === 1) weigh(ordinal);
        if (ordinal % documentsPerSlice === documentsPerSlice - 1) yield;
      }
      if (follower) yield* follower.reorder(held.packed);
      held.revision += 1;
    },
    maintain() {
      if (held.merge) return step() || isDue();
      return isDue() && step();
    },
  };
}
