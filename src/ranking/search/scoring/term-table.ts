/**
 * Few terms of many as dense numbers: a hash table that fits a fast cache, where arrays over all terms of a large index would
 * miss it with every word. Linear probing; allocated once.
 */
export type TermTable = {
  readonly size: number;
  /** The term with a number below `size`. */
  termAt(id: number): number;
  /** The number of a term, given now if it is new; -1 when the table is full. */
  add(term: number): number;
  /** The number of a term, or -1. */
  find(term: number): number;
  clear(): void;
};

/** @param capacity terms that it holds; a power of two */
export function createTermTable(capacity: number): TermTable {
  const mask = capacity * 2 - 1;
  /** Number of the term in each slot, plus 1. */
  const slots = new Int32Array(capacity * 2);
  const terms = new Int32Array(capacity);
  let size = 0;

  /** The slot that holds the term, or the free one where it belongs. */
  const slotOf = (term: number): number => {
    let slot = (Math.imul(term, 0x9e3779b1) >>> 8) & mask;
    while (slots[slot] !== 0 && terms[slots[slot] - 1] !== term) slot = (slot + 1) & mask;
    return slot;
  };

  return {
    get size() {
      return size;
    },
    termAt: (id) => terms[id],
    find: (term) => slots[slotOf(term)] - 1,
    add(term) {
      const slot = slotOf(term);
      if (slots[slot] !== 0) return slots[slot] - 1;
      if (size === capacity) return -1;
      terms[size] = term;
      slots[slot] = ++size;
      return size - 1;
    },
    clear() {
      slots.fill(0);
      size = 0;
    },
  };
}
