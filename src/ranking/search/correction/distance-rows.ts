/**
 * The matrix of edit distances between a query and the word that is being read, a row a letter of the word.
 *
 * Distance: insertion, deletion, substitution, and transposition of neighbours (optimal string alignment), in UTF-16 code units.
 */

/** Words this much longer than any query are cut; 64 is the longest word of an index. */
export const longest = 68;

export type DistanceRows = {
  begin(typed: string): void;
  /** Fills the row of a letter of the word that starts at codes[start]; the rows before it are right. */
  fill(codes: Uint16Array, start: number, depth: number, maxDistance: number): void;
  /** The least distance in a row. */
  leastOf(depth: number): number;
  /** Of the query to a whole word of so many letters. */
  wholeDistance(wordLength: number, maxDistance: number): number;
  /** The least distance of the whole query to any beginning of up to so many letters. */
  prefixDistance(depth: number): number;
  /** Length of the shortest beginning, of those up to `depth`, that is nearest to the whole query. */
  bestBeginning(depth: number): number;
};

export function createDistanceRows(): DistanceRows {
  const width = longest + 1;
  /** Row d: distances of the first d letters of the word to each beginning of the query. */
  const rows = new Uint8Array(width * width);
  const rowMinima = new Uint8Array(width);
  /** The least distance of the whole query to any beginning up to row d. */
  const prefixMinima = new Uint8Array(width);

  const query = new Uint16Array(width);
  let length = 0;

  /** Only cells near the diagonal can be within reach; those beside the band count as just out of it. */
  const fill = (codes: Uint16Array, start: number, depth: number, maxDistance: number): void => {
    const row = depth * width;
    const before = row - width;
    const beyond = maxDistance + 1;
    const letter = codes[start + depth - 1];
    const letterBefore = depth > 1 ? codes[start + depth - 2] : -1;
    const from = Math.max(1, depth - maxDistance);
    const to = Math.min(length, depth + maxDistance);
    rows[row + from - 1] = from === 1 ? Math.min(depth, beyond) : beyond;
    if (depth + maxDistance <= length) rows[before + to] = beyond;
    let least = from === 1 ? depth : beyond;
    for (let j = from; j <= to; j++) {
      const asked = query[j - 1];
      let distance = rows[before + j - 1] + (letter === asked ? 0 : 1);
      if (rows[before + j] < distance) distance = rows[before + j] + 1;
      if (rows[row + j - 1] < distance) distance = rows[row + j - 1] + 1;
      if (letterBefore === asked && j > 1 && letter === query[j - 2]) {
        const swapped = rows[before - width + j - 2] + 1;
        if (swapped < distance) distance = swapped;
      }
      rows[row + j] = distance;
      if (distance < least) least = distance;
    }
    rowMinima[depth] = least;
    const whole = to === length && from <= to ? rows[row + to] : beyond;
    prefixMinima[depth] = Math.min(prefixMinima[depth - 1], whole);
  };

  return {
    begin(typed) {
      length = Math.min(typed.length, longest - 4);
      for (let j = 0; j < length; j++) query[j] = typed.charCodeAt(j);
      for (let j = 0; j <= length; j++) rows[j] = j;
      rowMinima[0] = 0;
      prefixMinima[0] = length;
    },
    fill,
    leastOf: (depth) => rowMinima[depth],
    wholeDistance: (wordLength, maxDistance) =>
      Math.abs(wordLength - length) > maxDistance ? maxDistance + 1 : rows[wordLength * width + length],
    prefixDistance: (depth) => prefixMinima[depth],
    bestBeginning(depth) {
      let best = depth;
      while (best > 0 && prefixMinima[best - 1] === prefixMinima[depth]) best -= 1;
      return best;
    },
  };
}
