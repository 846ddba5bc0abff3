import { grown } from './growth.ts';

/**
 * The changed items in order, in a ring of bounded size that is allocated as it fills.
 *
 * A reader remembers its position and later visits the changes after it. A reader that lags behind
 * the ring has to start over.
 */
export type ChangeLog = {
  /** Number of all changes so far, which readers remember. */
  readonly position: number;
  append(itemIndex: number): void;
  /**
   * Visits the changes since a position, oldest first; returns false without a visit when some are
   * no longer in the ring.
   */
  visitSince(position: number, visit: (itemIndex: number) => void): boolean;
};

/** @param capacity Changes in the ring. */
export function createChangeLog(capacity: number): ChangeLog {
  let ring = new Int32Array(0);
  let position = 0;
  return {
    get position() {
      return position;
    },
    append(itemIndex) {
      if (position < capacity) ring = grown(ring, position + 1, 0);
      ring[position % capacity] = itemIndex;
      position += 1;
    },
    visitSince(since, visit) {
      const end = position;
      if (end - since > capacity) return false;
      for (let at = since; at < end; at++) visit(ring[at % capacity]);
      return true;
    },
  };
}
