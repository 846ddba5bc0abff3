/**
 * Small hash tables over terms, by linear probing: they fit a fast cache, where arrays over all
 * terms would miss it.
 */
import type { Slot } from '../slot.ts';

/** Numbers its terms 0, 1, 2 … in the order in which they were added. */
export type TermTable = {
  readonly size: number;
  termAt(id: number): number;
  /** Returns the number of a term, adding it if it is new; -1 when the table is full. */
  add(term: number): number;
  /** Returns the number of a term, or -1. */
  find(term: number): number;
  clear(): void;
};

/** @param capacity terms that fit, a power of two */
export function createTermTable(capacity: number): TermTable {
  const mask = capacity * 2 - 1;
  /** By place: the term plus 1, and its number. */
  const places = new Int32Array(capacity * 4);
  const terms = new Int32Array(capacity);
  let size = 0;

  /** Returns the place of the term, or the free one where it belongs. */
  const placeOf = (term: number): number => {
    let place = (Math.imul(term, 0x9e3779b1) >>> 8) & mask;
    while (places[place * 2] !== 0 && places[place * 2] !== term + 1) place = (place + 1) & mask;
    return place * 2;
  };

  return {
    get size() {
      return size;
    },
    termAt: (id) => terms[id],
    find(term) {
      const place = placeOf(term);
      return places[place] === 0 ? -1 : places[place + 1];
    },
    add(term) {
      const place = placeOf(term);
      if (places[place] !== 0) return places[place + 1];
      if (size === capacity) return -1;
      terms[size] = term;
      places[place] = term + 1;
      places[place + 1] = size;
      return size++;
    },
    clear() {
      places.fill(0);
      size = 0;
    },
  };
}

/** Returns the slots of a query that a term fills, bit i for slot i; 0 for a term that fills none. */
export type SlotsOfTerms = (term: number) => number;

/** Words that have a slot's word as a part do not fill it. @param slots at most 32 */
export function createSlotsOfTerms(slots: readonly Slot[]): SlotsOfTerms {
  const filled = slots.map(({ alternatives }) =>
    alternatives.flatMap(({ terms, match }) => (match === 'part' ? [] : terms)),
  );
  const termCount = Math.max(
    1,
    filled.reduce((sum, { length }) => sum + length, 0),
  );
  const capacity = 2 ** Math.ceil(Math.log2(termCount * 2));
  const table = createTermTable(capacity);
  const bits = new Int32Array(capacity);
  for (const [slot, terms] of filled.entries()) for (const term of terms) bits[table.add(term)] |= 1 << slot;
  return (term) => {
    const id = table.find(term);
    return id < 0 ? 0 : bits[id];
  };
}

/** Returns the number of the first slot of a non-empty set of bits. */
export function firstSlot(bits: number): number {
  return 31 - Math.clz32(bits & -bits);
}
