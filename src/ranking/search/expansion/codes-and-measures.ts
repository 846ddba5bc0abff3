/** Measures near a typed one: whoever asks for `10000 watt` where nothing has that may like 9,500, and 16 inches are nearly 15. */

import { hasDigit } from '../analysis/tokens.ts';
import { canonicalUnit } from '../analysis/units.ts';
import { lowerBound, type SortedWords } from '../correction/sorted-words.ts';
import type { Words } from '../index/words.ts';

export type Measures = {
  /** Reads the words that are new, in slices. */
  settle(): Generator<void>;
  /** Terms of the nearest measures of the same unit, the nearest first; none for a word that is no measure. */
  near(word: string): number[];
};

/** How far apart two measures may be, as a ratio, and how many are taken. */
const mostRatio = 1.25;
const mostNear = 8;
/** Words that a question may read anew: it must not wait for a large load. */
const mostRead = 2_000;

const measurePattern = /^(\d+(?:\.\d+)?)(\p{L}+)$/u;

type Measure = { value: number; term: number };

export function createMeasures(words: Words): Measures {
  const byUnit = new Map<string, Measure[]>();
  let read = 0;

  const parse = (word: string): { value: number; unit: string } | undefined => {
    const [, value, unit] = measurePattern.exec(word) ?? [];
    return unit !== undefined && canonicalUnit(unit) === unit ? { value: Number(value), unit } : undefined;
  };

  const readSome = (): void => {
    for (const end = Math.min(words.wordCount, read + mostRead); read < end; read++) {
      const measure = parse(words.surfaceAt(read));
      if (!measure) continue;
      const known = byUnit.get(measure.unit) ?? [];
      byUnit.set(measure.unit, known);
      known.push({ value: measure.value, term: words.termAt(read) });
    }
  };

  return {
    *settle() {
      for (const end = words.wordCount; read < end; ) {
        readSome();
        yield;
      }
    },
    near(word) {
      const asked = parse(word);
      if (!asked || asked.value === 0) return [];
      readSome();
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
/** Codes of one beginning that are looked for. */
const mostCodes = 50;

function goesOn(code: string, beginning: string): boolean {
  return /\d$/.test(beginning) && /\d/.test(code[beginning.length] ?? '');
}

/** Terms of the codes that begin with a word of letters and digits; none for other words. */
export function codesWith(
  beginning: string,
  { sortedWords, words }: { sortedWords: Pick<SortedWords, 'lists'>; words: Words },
): number[] {
  if (beginning.length < shortestCode || !hasDigit(beginning) || !/\p{L}/u.test(beginning)) return [];
  const found: number[] = [];
  for (const { words: sorted } of sortedWords.lists()) {
    const from = lowerBound(sorted, beginning);
    for (let at = from; at < sorted.length && at < from + mostCodes; at++) {
      if (!sorted[at].startsWith(beginning)) break;
      if (!goesOn(sorted[at], beginning)) found.push(words.findTerm(sorted[at]));
    }
  }
  return found.filter((term) => term >= 0);
}
