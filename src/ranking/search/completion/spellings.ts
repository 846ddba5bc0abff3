/** Other spellings of typed words: misspellings, and other ways to cut them. */

import type { Token } from '../analysis/tokens.ts';
import { createFuzzyWalker } from '../correction/edit-distance.ts';
import { errorCost } from '../correction/error-model.ts';
import { lowerBound, type SortedWords } from '../correction/sorted-words.ts';
import type { Title } from '../index/streams.ts';
import type { Words } from '../index/words.ts';

/** Spellings tried per word, and combinations. */
const mostSpellings = 8;
const mostTries = 24;
/** Spellings found per word before the nearest are chosen. */
const mostCandidates = 2_000;
/** Words of a query that are respelt; each costs a walk over all words. */
const mostRespelt = 3;
/** Words of up to two letters stay, words of up to four differ by one edit at most. */
const fixedWord = 3;
const shortWord = 5;

export type SpellingsOptions = {
  sortedWords: Pick<SortedWords, 'lists'>;
  /** Whether any item has the word; the lists also hold words of removed items. */
  isHeld(word: string): boolean;
};

export function createSpellings({ sortedWords, isHeld }: SpellingsOptions) {
  const walker = createFuzzyWalker();

  /** Returns the words within the distance, with their distances. */
  const near = (query: string, maxDistance: number, prefix: boolean): Map<string, number> => {
    const distances = new Map<string, number>();
    const visit = (spelling: string, distance: number): void => {
      if (distance > 0 && distances.size < mostCandidates) distances.set(spelling, distance);
    };
    for (const list of sortedWords.lists()) walker.walk(list, { query, maxDistance, prefix, visit });
    return distances;
  };

  /** One more edit costs more than anything else, so two are tried only where one finds too few. */
  const nearest = (word: string, most: number, prefix: boolean): Map<string, number> => {
    const byOne = near(word, 1, prefix);
    return most === 1 || byOne.size >= mostSpellings ? byOne : near(word, most, prefix);
  };

  const isKnown = (word: string, prefix: boolean): boolean =>
    sortedWords.lists().some(({ words }) => {
      for (let at = lowerBound(words, word); at < words.length; at++) {
        if (prefix ? !words[at].startsWith(word) : words[at] !== word) return false;
        if (isHeld(words[at])) return true;
      }
      return false;
    });

  /**
   * Returns the edits of each word: unknown words are misspelt; where there are none, any word may
   * be, by one edit.
   */
  const editsOf = (words: readonly string[], fuzziness: number): number[] => {
    const long = Array.from(words.keys()).filter((place) => words[place].length >= fixedWord);
    const strange = long.filter((place) => !isKnown(words[place], place === words.length - 1));
    const misspelt = (strange.length > 0 ? strange : long).slice(0, mostRespelt);
    const mostOf = (word: string) => (strange.length === 0 || word.length < shortWord ? 1 : fuzziness);
    return words.map((word, place) => (misspelt.includes(place) ? Math.min(fuzziness, mostOf(word)) : 0));
  };

  const spellingsOf = (word: string, edits: number, prefix: boolean): string[] => {
    if (edits === 0) return [word];
    const costOf = (spelling: string, distance: number): number =>
      distance + errorCost(word, spelling) / 100 + (spelling[0] === word[0] ? 0 : 0.5);
    const ordered = Array.from(nearest(word, edits, prefix), ([spelling, distance]) => ({
      spelling,
      cost: costOf(spelling, distance),
    })).sort((a, b) => a.cost - b.cost || (a.spelling < b.spelling ? -1 : 1));
    return [word, ...ordered.slice(0, mostSpellings).map(({ spelling }) => spelling)];
  };

  return {
    /**
     * Returns combinations of spellings, the nearest to the typed words first. @param fuzziness
     * maximum edits per word
     */
    triesOf(words: readonly string[], fuzziness: number): string[][] {
      const edits = editsOf(words, fuzziness);
      let tries: string[][] = [[]];
      words.forEach((word, i) => {
        const spellings = spellingsOf(word, edits[i], i === words.length - 1);
        tries = spellings.flatMap((spelling) => tries.map((before) => [...before, spelling]));
        tries = tries.slice(0, mostTries);
      });
      return tries;
    },
  };
}

/** Words to look up. With `cutAt`, that word and the next were typed as one and must be side by side. */
export type Writing = { words: string[]; cutAt?: number };

// Only for words that no item has: whenever too few items are found would make completions 25 %
// slower, as more than half of all requests find too few.
const shortestCut = 4;
/** Longer queries are prose, and cut only as typed. */
const mostWords = 8;

/** Yields two words as one, and one as two: at a sign within it, and wherever its beginning is a word. */
export function* writingsOf(tokens: readonly Token[], isWord: (word: string) => boolean): Generator<Writing> {
  if (tokens.length > mostWords) return;
  const words = tokens.map(({ text }) => text);
  for (let at = 0; at + 1 < words.length; at++)
    yield { words: words.toSpliced(at, 2, words[at] + words[at + 1]) };
  for (const [at, { text, parts }] of tokens.entries()) {
    if (parts?.length === 2) yield { words: words.toSpliced(at, 1, ...parts), cutAt: at };
    for (let end = 1; text.length >= shortestCut && end < text.length; end++) {
      const first = text.slice(0, end);
      if (first !== parts?.[0] && isWord(first))
        yield { words: words.toSpliced(at, 1, first, text.slice(end)), cutAt: at };
    }
  }
}

/** Whether a title has the two parts side by side. */
export function hasCut({ values, start, end }: Title, { words, cutAt = 0 }: Writing, known: Words): boolean {
  const isLast = cutAt + 2 === words.length;
  const [first, second] = words.slice(cutAt);
  for (let at = start; at + 1 < end; at++) {
    const next = known.surfaceAt(values[at + 1]);
    if (known.surfaceAt(values[at]) === first && (isLast ? next.startsWith(second) : next === second))
      return true;
  }
  return false;
}
