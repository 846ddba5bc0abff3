/**
 * One typed word as two words of the catalogue: side by side (`notebook` for `note book`) in any language, and in languages
 * with compounds also apart, in any order (`Kaffeemaschine` for `Maschine für Kaffee`).
 */
import { createCache } from '../../runtime/cache.ts';
import type { TextIndex } from '../index/index.ts';
import { countDocuments } from '../scoring/postings.ts';
import type { Alternative } from '../slot.ts';
import { type Compounds, linkers } from './compounds.ts';

export type Split = Pick<Alternative, 'terms' | 'text' | 'match'>;

export type Splitter = {
  /** Two words side by side that some item has. */
  sideBySide(word: string): Split | undefined;
  /** The parts of a compound, where some item has both. */
  apart(word: string): Split | undefined;
};

export type SplitterOptions = {
  index: TextIndex;
  compounds: Compounds;
  /** Terms that the index holds for a word, over its languages. */
  termsOf: (word: string) => number[];
};

const shortestSplit = 4;
const shortestPart = 2;
const shortestApart = 3;
/** Of some 20,000 words that have none or few. */
const mostBytes = 8 * 1024 * 1024;
const bytesOfSplit = 400;
/** Splits of a word that are looked for, the commonest first, until one occurs. */
const mostTried = 4;

export function createSplitter({ index, compounds, termsOf }: SplitterOptions): Splitter {
  const { words } = index;
  const known = createCache<readonly Split[]>({
    maxBytes: mostBytes,
    bytesOf: ({ length }) => length * bytesOfSplit,
  });
  let knownWords = 0;

  /** Remembers splits until the index learns new words. */
  const remembered = (key: string, find: () => readonly Split[]): readonly Split[] => {
    if (knownWords !== words.wordCount) known.clear();
    knownWords = words.wordCount;
    const kept = known.get(key);
    if (kept) return kept;
    const splits = find();
    known.set(key, splits);
    return splits;
  };

  const isWritten = (part: string): boolean =>
    words.has(part) ||
    words.languages.some((language) => words.findTerm(index.analyserOf(language).termOf(part)) >= 0);

  const splitsSideBySide = (word: string): Split[] => {
    const found: Split[] = [];
    for (let at = shortestPart; at <= word.length - shortestPart; at++) {
      const parts = [word.slice(0, at), word.slice(at)];
      if (!words.has(parts[0]) || !isWritten(parts[1])) continue;
      const terms = parts.map((part) => termsOf(part)[0]);
      if (!terms.includes(undefined as never)) found.push({ terms, text: parts.join(' '), match: 'phrase' });
    }
    return found;
  };

  /** The first part with or without the letters that link it to the second. */
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

  /** The split whose rarer part is the most common: `note|book` beats `not|ebook`. */
  const best = (found: readonly Split[]): Split | undefined => {
    const frequencyOf = ({ terms }: Split): number => Math.min(...terms.map(index.documentFrequency));
    const commonest = found.filter((split) => frequencyOf(split) > 0);
    commonest.sort((a, b) => frequencyOf(b) - frequencyOf(a));
    return commonest.slice(0, mostTried).find((split) => countDocuments(index, split) > 0);
  };

  return {
    sideBySide: (word) =>
      word.length < shortestSplit ? undefined : best(remembered(word, () => splitsSideBySide(word))),
    apart: (word) =>
      compounds.areWritten ? best(remembered(`${word} apart`, () => splitsApart(word))) : undefined,
  };
}

export type Join = { start: number; count: number; text: string; term: number };

export type JoinerOptions = {
  compounds: Compounds;
  /** Terms that the index holds for a word, over its languages. */
  termsOf: (word: string) => number[];
};

const mostJoined = 3;
/** Of longer queries, which are prose, words are only joined as they are. */
const mostLinked = 8;

/** @returns the joined spellings that the index holds */
export function joinsOf(words: readonly string[], { compounds, termsOf }: JoinerOptions): Join[] {
  const joins: Join[] = [];
  for (let start = 0; start < words.length; start++) {
    for (let count = 2; count <= mostJoined && start + count <= words.length; count++) {
      const text = words.slice(start, start + count).join('');
      for (const term of termsOf(text)) joins.push({ start, count, text, term });
    }
    if (compounds.areWritten && words.length <= mostLinked && start + 1 < words.length)
      joins.push(...linked(words[start], words[start + 1], compounds).map((join) => ({ ...join, start })));
  }
  return joins;
}

/** `geburtstag karte` for `Geburtstagskarte`, `arbete byxor` for `arbetsbyxor`. */
function linked(first: string, second: string, compounds: Compounds): Omit<Join, 'start'>[] {
  const firsts = first.endsWith('e') || first.endsWith('a') ? [first, first.slice(0, -1)] : [first];
  return firsts.flatMap((part) =>
    linkers.flatMap((linker) => {
      const text = part + linker + second;
      const term = compounds.termOf(text);
      return term === undefined ? [] : [{ count: 2, text, term }];
    }),
  );
}
