/**
 * Tracks which segment holds an item's current document, and at which ordinal.
 *
 * A merged segment takes over from its sources in one step: new positions are prepared in slices
 * (`prepare`), apply from `takeOver` on, and are written to the arrays in slices after it
 * (`settle`).
 */
import { inSlices } from '../slices.ts';
import { roomFor } from './growable.ts';
import type { Segment } from './segment.ts';

export type Place = { segment: Segment; ordinal: number };

export type Places = {
  get(itemIndex: number): Place | undefined;
  set(itemIndex: number, segment: Segment, ordinal: number): void;
  delete(itemIndex: number): void;
  /**
   * To be called before the sources are read for a merge; items deleted afterwards will be dead in
   * the merged segment.
   */
  beginMove(sources: readonly Segment[]): void;
  prepare(target: Segment): Generator<void>;
  takeOver(): void;
  settle(): Generator<void>;
};

type Move = {
  sources: readonly Segment[];
  target: Segment | undefined;
  /** Position in the target by item; undefined for items that the target does not hold. */
  ordinals: Int32Array;
  /** Items deleted from the sources since they were read. */
  lost: number[];
  isInForce: boolean;
};

/** Items handled between two yields: below 1 ms. */
const itemsPerSlice = 10_000;

export function createPlaces(): Places {
  const segments: (Segment | undefined)[] = [];
  let ordinals = new Int32Array(0);
  let move: Move | undefined;

  /** Visits the documents of the target in slices. */
  function* everyMoved(visit: (itemIndex: number, ordinal: number) => void): Generator<void> {
    const { docCount, itemOf } = move!.target!;
    yield* inSlices(docCount, itemsPerSlice, (ordinal) => visit(itemOf[ordinal], ordinal));
  }

  return {
    get(itemIndex) {
      const segment = segments[itemIndex];
      if (!segment) return undefined;
      if (move?.isInForce && move.sources.includes(segment))
        return { segment: move.target!, ordinal: move.ordinals[itemIndex] };
      return { segment, ordinal: ordinals[itemIndex] };
    },
    set(itemIndex, segment, ordinal) {
      ordinals = roomFor(ordinals, itemIndex + 1);
      while (segments.length < itemIndex) segments.push(undefined);
      segments[itemIndex] = segment;
      ordinals[itemIndex] = ordinal;
    },
    delete(itemIndex) {
      const segment = segments[itemIndex];
      if (segment && move && !move.isInForce && move.sources.includes(segment)) move.lost.push(itemIndex);
      segments[itemIndex] = undefined;
    },
    beginMove(sources) {
      move = { sources, target: undefined, ordinals: new Int32Array(0), lost: [], isInForce: false };
    },
    *prepare(target) {
      const prepared = new Int32Array(segments.length);
      Object.assign(move!, { target, ordinals: prepared });
      yield* everyMoved((itemIndex, ordinal) => {
        prepared[itemIndex] = ordinal;
      });
    },
    takeOver() {
      const { target, ordinals: prepared, lost } = move!;
      for (const itemIndex of lost) {
        const ordinal = prepared[itemIndex];
        if (target!.itemOf[ordinal] === itemIndex) target!.alive[ordinal] = 0;
      }
      move!.isInForce = true;
    },
    *settle() {
      const { target, sources } = move!;
      yield* everyMoved((itemIndex, ordinal) => {
        const state = segments[itemIndex];
        if (!state || !sources.includes(state)) return;
        segments[itemIndex] = target;
        ordinals[itemIndex] = ordinal;
      });
      move = undefined;
    },
  };
}
