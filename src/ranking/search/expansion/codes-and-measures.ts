/** Near measures, and codes by their prefix. */

import { hasDigit } from '../analysis/tokens.ts';
import { measureOf } from '../analysis/units.ts';
import { lowerBound, type SortedWords } from '../correction/sorted-words.ts';
import type { Words } from '../index/words.ts';
import { createNewWords } from './new-words.ts';

export type Measures = ReturnType<typeof createMeasures>;

/** Maximum ratio of two near measures, and their number. */
const mostRatio = 1.25;
const mostNear = 8;

type Measure = { value: number; term: number };

export function createMeasures(words: Words) {
  const byUnit = new Map<string, Measure[]>();
  const newWords = createNewWords(words, (word) => {
    const measure = measureOf(words.surfaceAt(word));
    if (!measure) return;
    const known = byUnit.get(measure.unit) ?? [];
    byUnit.set(measure.unit, known);
    known.push({ value: measure.value, term: words.termAt(word) });
  });

  return {
    /** Reads new words, in slices. */
    settle: newWords.settle,
    /** Returns terms of the same measure: 330 ml for `33cl`. */
    equalTo(word: string): number[] {
      const asked = measureOf(word);
      newWords.readSome();
      const known = asked ? (byUnit.get(asked.unit) ?? []) : [];
      return [...new Set(known.flatMap(({ value, term }) => (value === asked!.value ? [term] : [])))];
    },
    /** Returns terms of near measures, the nearest first: 9,500 W for `10000 watt`, 15 inches for 16. */
    near(word: string): number[] {
      const asked = measureOf(word);
      if (!asked || asked.value === 0) return [];
      newWords.readSome();
      const distance = ({ value }: Measure): number => Math.abs(Math.log(value / asked.value));
      const near = (byUnit.get(asked.unit) ?? []).filter(
        (one) => one.value !== asked.value && distance(one) <= Math.log(mostRatio),
      );
      near.sort((a, b) => distance(a) - distance(b) || a.term - b.term);
      return [...new Set(near.map(({ term }) => term))].slice(0, mostNear);
    },
  };
}

const shortestCode = 4;
/** Codes of one prefix that are looked up. */
const mostCodes = 50;

function goesOn(code: string, beginning: string): boolean {
  return /\d$/.test(beginning) && /\d/.test(code[beginning.length] ?? '');
}

/** Returns the words that begin with a text, at most `limit` of each list. */
export function wordsWith(
  beginning: string,
  sortedWords: Pick<SortedWords, 'lists'>,
  limit: number,
): string[] {
  return sortedWords.lists().flatMap(({ words: sorted }) => {
    const from = lowerBound(sorted, beginning);
    let end = from;
    while (end < sorted.length && end < from + limit && sorted[end].startsWith(beginning)) end += 1;
    return sorted.slice(from, end);
  });
}

/** Returns terms of codes with a prefix of letters and digits: `wh1000` for `WH-1000XM4`. */
export function codesWith(
  beginning: string,
  { sortedWords, words }: { sortedWords: Pick<SortedWords, 'lists'>; words: Words },
): number[] {
  if (beginning.length < shortestCode || !hasDigit(beginning) || !/\p{L}/u.test(beginning)) return [];
  return wordsWith(beginning, sortedWords, mostCodes)
    .filter((code) => !goesOn(code, beginning))
    .map(words.findTerm)
    .filter((term) => term >= 0);
}
