/** When the segments of an index are merged, and how a restored segment is made found without a merge. */
import { finish } from '../slices.ts';
import { freeze, type IndexState, type SegmentFollower } from './index-state.ts';
import type { KindCounts } from './kinds.ts';
import { type MergeResult, mergeSegments } from './merge.ts';
import type { Segment } from './segment.ts';

export type MergingOptions = {
  state: IndexState;
  follower?: SegmentFollower;
  /** Adds the postings of a document of the open segment. */
  weigh(ordinal: number): void;
};

/** A merge is due when the open segment has this many documents, or this share of the packed one. */
const leastOpenDocuments = 2_000;
const openShare = 0.08;
/** Completions of unpacked documents stay unordered up to this share of the packed ones. */
const mostUnordered = 0.01;
/** Documents weighed between two yields: about 1 ms. */
const documentsPerSlice = 100;

function takeOver(
  state: IndexState,
  sources: readonly Segment[],
  merged: MergeResult,
  counts: KindCounts,
): void {
  const { places, kinds, frequencies, open } = state;
  places.takeOver(sources, merged.segment);
  state.packed = merged.segment;
  state.averages = Float64Array.from(merged.averages);
  kinds.use(counts);
  for (let ordinal = 0; ordinal < open.docCount; ordinal++) kinds.add(open, ordinal);
  state.frozen = [];
  state.isUnweighed = false;
  state.claims.clear();
  state.revision += 1;
  finish(frequencies.count([state.packed, open]));
}

function* runMerge(state: IndexState, follower: SegmentFollower | undefined): Generator<void> {
  freeze(state);
  const { fields, words, kinds } = state;
  const sources = [state.packed, ...state.frozen];
  const merged = yield* mergeSegments({ sources, fields, words });
  const counts = yield* kinds.count(merged.segment);
  // The follower changes over at its end, so the segment must take over at once.
  if (follower) yield* follower.merged(merged.segment, words);
  takeOver(state, sources, merged, counts);
}

export function createMerging({ state, follower, weigh }: MergingOptions) {
  const { claims, kinds, frequencies } = state;

  /** Runs one slice of the merge; returns true while it is not finished. */
  const step = (): boolean => {
    state.merge ??= runMerge(state, follower);
    if (!state.merge.next().done) return true;
    state.merge = undefined;
    return false;
  };

  const isMany = (documents: number): boolean =>
    documents > Math.max(leastOpenDocuments, state.packed.docCount * openShare);
  const isDue = (): boolean =>
    isMany(state.frozen.reduce((sum, { docCount }) => sum + docCount, state.open.docCount));

  /** Finishes a merge of which `maintain` may run slices too. */
  function* finishMerge(running: Generator<void>): Generator<void> {
    while (state.merge === running && step()) yield;
  }

  /** Merges everything, so that filled documents are found. In slices to be run to the end. */
  function* settle(): Generator<void> {
    if (state.merge) yield* finishMerge(state.merge);
    state.merge ??= runMerge(state, follower);
    yield* finishMerge(state.merge);
  }

  return {
    settle,
    /**
     * Orders completions by the present popularity, in slices; merges only when many documents are
     * not packed.
     */
    *reorder(): Generator<void> {
      const { merge, open, packed } = state;
      if (merge || open.docCount > packed.docCount * mostUnordered) yield* settle();
      else if (follower) yield* follower.reorder(packed);
    },
    /**
     * Does the same as `settle` after `restore`, at a fraction of the cost while most documents were
     * restored. In slices.
     */
    *catchUp(): Generator<void> {
      const { packed, frozen, open, isUnweighed } = state;
      const isReady = packed.docCount > 0 && frozen.length === 0 && !isUnweighed;
      if (state.merge || !isReady || isMany(open.docCount + claims.left)) return yield* settle();
      claims.clear();
      yield* frequencies.count([packed]);
      kinds.use(yield* kinds.count(packed));
      for (let ordinal = 0; ordinal < state.open.docCount; ordinal++) {
        if (state.open.alive[ordinal] === 1) weigh(ordinal);
        if (ordinal % documentsPerSlice === documentsPerSlice - 1) yield;
      }
      if (follower) yield* follower.reorder(state.packed);
      state.revision += 1;
    },
    /** Does one slice of a merge when one is due or running; returns true while there is more to do. */
    maintain(): boolean {
      if (state.merge) return step() || isDue();
      return isDue() && step();
    },
  };
}
