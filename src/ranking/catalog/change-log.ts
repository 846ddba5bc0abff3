import { grown } from './growth.ts';

/**
 * Which items changed, in order, in a ring of bounded size, which takes its room as it fills: few catalogues change so often.
 *
 * A reader remembers the position up to which it knows the catalogue and later visits only what came after. A reader
 * that is further behind than the ring is long has to start over: the log never grows.
 */
export type ChangeLog = {
  /** How many changes were ever appended; a reader's bookmark. */
  readonly position: number;
  append(itemIndex: number): void;
  /** Visits each change since a bookmark, oldest first; false (and no visit) when some of them are forgotten. */
  visitSince(position: number, visit: (itemIndex: number) => void): boolean;
};

/** @param capacity how many changes are remembered */
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
