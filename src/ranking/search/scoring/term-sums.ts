/**
 * What the terms of a few documents add up to: a hash table in which all that is counted of a term stands side by side, as reading
 * a hundred documents touches thousands of terms, and each array more would miss the first cache once more. Linear probing;
 * allocated once.
 */

/** What the n-th occurrence of a term in a document adds: n / (n + norm) less what the ones before gave. */
export function occurrenceGain(count: number, norm: number): number {
  return count / (count + norm) - (count - 1) / (count - 1 + norm);
}

export type TermSums = {
  clear(): void;
  /** Begins the next document; its words are worth so much. */
  begin(worth: number, norm: number): void;
  /** Adds the words values[from] … values[to - 1] of the document; `terms` has the term of each word. */
  read(terms: Int32Array, values: Int32Array, from: number, to: number): void;
  /** Calls back with each term, its sum, and in how many of the documents it was. */
  visit(visit: (term: number, sum: number, holders: number) => void): void;
};

/** Of each entry: the term plus 1, the last document that had it, how often, and how many had it. */
const entryLength = 4;

/** @param capacity terms that are counted, a power of two; further ones are left out */
export function createTermSums(capacity: number): TermSums {
  const mask = capacity * 2 * entryLength - 1;
  const entries = new Int32Array(capacity * 2 * entryLength);
  const sums = new Float64Array(capacity * 2);
  /** Beginnings of the entries in use. */
  const used = new Int32Array(capacity);
  let size = 0;
  let document = 0;
  let worth = 0;
  let norm = 0;

  return {
    clear() {
      for (let i = 0; i < size; i++) {
        const at = used[i];
        entries[at] = 0;
        entries[at + 1] = 0;
        entries[at + 3] = 0;
        sums[at / entryLength] = 0;
      }
      size = 0;
      document = 0;
    },
    begin(itsWorth, itsNorm) {
      document += 1;
      worth = itsWorth;
      norm = itsNorm;
    },
    read(terms, values, from, to) {
      const firstGain = worth * occurrenceGain(1, norm);
      for (let place = from; place < to; place++) {
        const key = terms[values[place]] + 1;
        let at = ((Math.imul(key, 0x9e3779b1) >>> 8) * entryLength) & mask;
        while (entries[at] !== key && entries[at] !== 0) at = (at + entryLength) & mask;
        if (entries[at] === 0) {
          if (size === capacity) continue;
          entries[at] = key;
          used[size++] = at;
        }
        if (entries[at + 1] === document) {
          entries[at + 2] += 1;
          sums[at / entryLength] += worth * occurrenceGain(entries[at + 2], norm);
        } else {
          entries[at + 1] = document;
          entries[at + 2] = 1;
          entries[at + 3] += 1;
          sums[at / entryLength] += firstGain;
        }
      }
    },
    visit(visit) {
      for (let i = 0; i < size; i++) {
        const at = used[i];
        visit(entries[at] - 1, sums[at / entryLength], entries[at + 3]);
      }
    },
  };
}
