/**
 * Splits one typed word into two words of the catalogue: side by side (`note book` for `notebook`)
 * in any language, and in languages with compounds also apart, in any order (`Maschine für Kaffee`
 * for `Kaffeemaschine`). Joins do the reverse.
 */
import type { TextIndex } from '../index/index.ts';
import { countDocuments } from '../scoring/postings.ts';
import type { Alternative } from '../slot.ts';
import { createVersionedCache } from '../versioned-cache.ts';
import { type Compounds, linkers } from './compounds.ts';

export type Split = Pick<Alternative, 'terms' | 'text' | 'match'>;

export type SplitterOptions = {
  index: TextIndex;
  compounds: Compounds;
  /** Returns the terms of a word that items have, over all languages. */
  termsOf: (word: string) => number[];
};

const shortestSplit = 4;
const shortestPart = 2;
/** Runs of letters and of digits in a word: three in `iphone15pro`. */
const mostRuns = 4;
const shortestApart = 3;
/** Enough for some 20,000 words, of which most have no split or few. */
const mostBytes = 8 * 1024 * 1024;
const bytesOfSplit = 400;
/** Splits of a word that are looked up, commonest first, until one occurs. */
const mostTried = 4;

export function createSplitter({ index, compounds, termsOf }: SplitterOptions) {
  const { words } = index;
  const cache = createVersionedCache<readonly Split[]>(mostBytes, ({ length }) => length * bytesOfSplit);
  const cached = (key: string, find: () => readonly Split[]): readonly Split[] =>
    cache.get({ key, version: words.wordCount }, find);

  const isWritten = (part: string): boolean =>
    words.has(part) ||
    words.languages.some((language) => words.findTerm(index.analyserOf(language).termOf(part)) >= 0);

  const splitsSideBySide = (word: string): Split[] => {
    const found: Split[] = [];
    const runs = [...(word.match(/\p{N}+|\P{N}+/gu) ?? [])];
    const cuts = runs.length > 1 && runs.length <= mostRuns ? [runs] : [];
    for (let at = shortestPart; at <= word.length - shortestPart; at++)
      if (words.has(word.slice(0, at))) cuts.push([word.slice(0, at), word.slice(at)]);
    for (const parts of cuts) {
      if (!parts.every(isWritten)) continue;
      const terms = parts.map((part) => termsOf(part)[0]);
      if (!terms.includes(undefined as never)) found.push({ terms, text: parts.join(' '), match: 'phrase' });
    }
    return found;
  };

  /** Returns the first part with and without linking letters. */
  const firstParts = (text: string): string[] => [
    text,
    ...linkers
      .filter((linker) => text.endsWith(linker) && text.length - linker.length >= shortestApart)
      .map((linker) => text.slice(0, -linker.length)),
  ];

  const splitsApart = (word: string): Split[] => {
    const found: Split[] = [];
    for (let at = shortestApart; at <= word.length - shortestApart; at++) {
      const head = compounds.termOf(word.slice(at));
      if (head === undefined) continue;
      for (const part of firstParts(word.slice(0, at))) {
        const modifier = compounds.termOf(part);
        if (modifier === undefined || modifier === head) continue;
        found.push({ terms: [modifier, head], text: `${part} … ${word.slice(at)}`, match: 'all' });
        break;
      }
    }
    return found;
  };

  /** Returns the split with the most common rarer part: `note|book` beats `not|ebook`. */
  const best = (found: readonly Split[]): Split | undefined => {
    const frequencyOf = ({ terms }: Split): number => Math.min(...terms.map(index.documentFrequency));
    const commonest = found.filter((split) => frequencyOf(split) > 0);
    commonest.sort((a, b) => frequencyOf(b) - frequencyOf(a));
    return commonest.slice(0, mostTried).find((split) => countDocuments(index, split) > 0);
  };

  return {
    /** Returns two words, or runs of letters and digits, that some item has side by side. */
    sideBySide: (word: string): Split | undefined =>
      word.length < shortestSplit ? undefined : best(cached(word, () => splitsSideBySide(word))),
    /** Returns the parts of a compound, when some item has both. */
    apart: (word: string): Split | undefined =>
      compounds.areWritten ? best(cached(`${word} apart`, () => splitsApart(word))) : undefined,
  };
}

/** The places of two or three words, and their joined spelling. */
export type Join = { places: readonly number[]; text: string; term: number };

export type JoinerOptions = {
  words: Pick<TextIndex['words'], 'surfaceAt' | 'termAt'>;
  compounds: Compounds;
  /** Returns the terms of a word that items have, over all languages. */
  termsOf: (word: string) => number[];
};

const mostJoined = 3;
/** Longer queries are prose; their words are joined without linking letters only. */
const mostLinked = 6;

/** Returns the joined spellings that the index has; compounds in any order of their words. */
export function joinsOf(asked: readonly string[], { words, compounds, termsOf }: JoinerOptions): Join[] {
  const joins: Join[] = [];
  for (let start = 0; start < asked.length; start++) {
    for (let count = 2; count <= mostJoined && start + count <= asked.length; count++) {
      const text = asked.slice(start, start + count).join('');
      const places = Array.from({ length: count }, (_, i) => start + i);
      for (const term of termsOf(text)) joins.push({ places, text, term });
    }
  }
  if (!compounds.areWritten || asked.length > mostLinked) return joins;
  for (const [first, modifier] of asked.entries())
    for (const [second, head] of asked.entries())
      for (const word of first === second ? [] : compounds.joining(modifier, head))
        joins.push({ places: [first, second], text: words.surfaceAt(word), term: words.termAt(word) });
  return joins;
}
