/**
 * Which slots of a query each term fills, as bits: bit i for slot i. Every word of the titles of all hits is asked for, and nearly
 * none is of the query, so a hash table with many free entries answers faster than a map would.
 */
import type { Slot } from '../slot.ts';

/** The slots that the term fills; 0 for a term that fills none. */
export type SlotsOfTerms = (term: number) => number;

/** Entries of the table for each term: three of four terms that it lacks meet a free one at once, at least. */
const spareEntries = 4;

/** @param slots at most 32 */
export function createSlotsOfTerms(slots: readonly Slot[]): SlotsOfTerms {
  let termCount = 0;
  for (const { alternatives } of slots) for (const { terms } of alternatives) termCount += terms.length;
  const size = 2 ** Math.ceil(Math.log2(Math.max(1, termCount) * spareEntries));
  /** Of each entry the term plus 1, and its slots. */
  const entries = new Int32Array(size * 2);

  /** Where the term stands, or the free entry where it belongs. */
  const find = (term: number): number => {
    let at = (Math.imul(term, 0x9e3779b1) >>> 8) & (size - 1);
    while (entries[at * 2] !== 0 && entries[at * 2] !== term + 1) at = (at + 1) & (size - 1);
    return at * 2;
  };

  slots.forEach(({ alternatives }, slot) => {
    for (const { terms } of alternatives) {
      for (const term of terms) {
        const at = find(term);
        entries[at] = term + 1;
        entries[at + 1] |= 1 << slot;
      }
    }
  });
  return (term) => entries[find(term) + 1];
}

/** The first of some slots, at least one. */
export function firstSlot(slots: number): number {
  return 31 - Math.clz32(slots & -slots);
}
