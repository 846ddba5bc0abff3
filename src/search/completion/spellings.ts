/** Other spellings of what was typed: words of the catalogue that are few edits away. */
import { errorCost } from '../correction/error-model.ts';
import { createFuzzyWalker } from '../correction/fuzzy-walk.ts';
import type { SortedWords } from '../correction/sorted-words.ts';

export type Spellings = {
  /**
   * Combinations of spellings, those nearest to what was typed first.
   *
   * @param fuzziness most edits per word
   */
  triesOf(words: readonly string[], fuzziness: number): string[][];
};

/** Spellings that are tried per word, and together. */
const mostSpellings = 8;
const mostTries = 24;
/** Spellings that are found per word before the nearest are chosen. */
const mostCandidates = 2_000;
/** Words are looked for as they are up to two letters, with one edit at most up to four. */
const fixedWord = 3;
const shortWord = 5;

export function createSpellings(sortedWords: Pick<SortedWords, 'lists'>): Spellings {
  const walker = createFuzzyWalker();

  const spellingsOf = (word: string, maxDistance: number, prefix: boolean): string[] => {
    if (word.length < fixedWord) return [word];
    const distances = new Map<string, number>();
    const visit = (spelling: string, distance: number): void => {
      if (distance > 0 && distances.size < mostCandidates) distances.set(spelling, distance);
    };
    const allowed = word.length < shortWord ? Math.min(1, maxDistance) : maxDistance;
    for (const list of sortedWords.lists())
      walker.walk(list, { query: word, maxDistance: allowed, prefix, visit });
    const cost = ([spelling, distance]: [string, number]): number =>
      distance + errorCost(word, spelling) / 100 + (spelling[0] === word[0] ? 0 : 0.5);
    const nearest = [...distances].sort((a, b) => cost(a) - cost(b) || (a[0] < b[0] ? -1 : 1));
    return [word, ...nearest.slice(0, mostSpellings).map(([spelling]) => spelling)];
  };

  return {
    triesOf(words, fuzziness) {
      let tries: string[][] = [[]];
      words.forEach((word, i) => {
        const spellings = spellingsOf(word, fuzziness, i === words.length - 1);
        tries = spellings.flatMap((spelling) => tries.map((before) => [...before, spelling]));
        tries = tries.slice(0, mostTries);
      });
      return tries;
    },
  };
}
