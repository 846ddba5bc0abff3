/** Sums of terms over a few documents, for relevance feedback. Allocated once. */
import { createTermTable } from './term-table.ts';

/**
 * Returns what the n-th occurrence of a term in a document adds: n / (n + norm) less what the ones
 * before gave.
 */
export function occurrenceGain(count: number, norm: number): number {
  return count / (count + norm) - (count - 1) / (count - 1 + norm);
}

export type TermSums = {
  clear(): void;
  /** Begins the next document, with words that weigh `worth`. */
  begin(worth: number, norm: number): void;
  /** Adds the words values[from] … values[to - 1] of the document; `terms` has the term of each word. */
  read(terms: Int32Array, values: Int32Array, from: number, to: number): void;
  /** Calls back with each term, its sum, and the number of documents that have it. */
  visit(visit: (term: number, sum: number, documentCount: number) => void): void;
};

/**
 * Numbers kept side by side for each term, to miss the cache once: last document, occurrences in
 * it, documents.
 */
const entryLength = 4;

/** @param capacity terms that are counted, a power of two; further ones are left out */
export function createTermSums(capacity: number): TermSums {
  const table = createTermTable(capacity);
  const entries = new Int32Array(capacity * entryLength);
  const sums = new Float64Array(capacity);
  let document = 0;
  let worth = 0;
  let norm = 0;

  return {
    clear() {
      entries.fill(0, 0, table.size * entryLength);
      sums.fill(0, 0, table.size);
      table.clear();
      document = 0;
    },
    begin(documentWorth, documentNorm) {
      document += 1;
      worth = documentWorth;
      norm = documentNorm;
    },
    read(terms, values, from, to) {
      const firstGain = worth * occurrenceGain(1, norm);
      for (let place = from; place < to; place++) {
        const id = table.add(terms[values[place]]);
        if (id < 0) continue;
        const at = id * entryLength;
        if (entries[at] === document) {
          entries[at + 1] += 1;
          sums[id] += worth * occurrenceGain(entries[at + 1], norm);
        } else {
          entries[at] = document;
          entries[at + 1] = 1;
          entries[at + 2] += 1;
          sums[id] += firstGain;
        }
      }
    },
    visit(visit) {
      for (let id = 0; id < table.size; id++)
        visit(table.termAt(id), sums[id], entries[id * entryLength + 2]);
    },
  };
}
