/**
 * Compounds, which languages like German write as one word: `Laufschuhe`, where English writes two.
 *
 * A query for `Schuhe` also means running shoes, so a word also matches the catalogue's own words
 * that end with it. The beginning must look like a word: known to the catalogue (`regen|jas`),
 * or long enough. Words are not cut when items are written, so results do not depend on the order
 * in which words arrive. In scripts without spaces, where the cut between words depends on their
 * neighbours, a word also matches the words that begin with it.
 */
import { isUnspaced } from '../analysis/tokens.ts';
import type { TextIndex } from '../index/index.ts';
import { createVersionedCache } from '../versioned-cache.ts';
import { createNewWords, type NewWords } from './new-words.ts';

export type Compounds = {
  /** Reads new words, in slices. */
  settle(): Generator<void>;
  /** Whether any item is in a language with compounds. */
  readonly areWritten: boolean;
  /** Returns the term of a word or a part of one in a language with compounds. */
  termOf(part: string): number | undefined;
  /**
   * Returns terms of compounds that end with the word, commonest first. @param lenient whether any
   * letters may come before
   */
  headedBy(word: string, lenient?: boolean): number[];
};

/** Two-letter languages with compounds. Not English: a `notebook` is no kind of `book`. */
const compoundLanguages: ReadonlySet<string> = new Set(['nl', 'de', 'sv', 'da', 'no', 'nb', 'nn', 'ko']);

/** Letters between the parts of a compound: `Arbeit|s|platz`. */
export const linkers = ['s', 'n', 'en', 'er', 'es', 'e'];

/** Prefixes that derive other words: `Verstand` is not a kind of `Stand`. */
const derivations: ReadonlySet<string> = new Set(['ver', 'ent', 'zer', 'emp', 'ont', 'her']);

const shortestHead = 3;
/** From this length on, any likely beginning makes a compound of the word. */
const usualHead = 4;
const shortestModifier = 3;
const shortestKnown = 2;
/** Compounds of one word that are looked up. */
const mostCompounds = 200;
const keyLength = { letters: 3, signs: 2 };

/** Cached compounds of words. */
const maxCacheBytes = 8 * 1024 * 1024;

const vowelPattern = /[aeiouy]/;
const hangulPattern = /[\uac00-\ud7a3]/;

/** Terms that may be compounds, by their ends; in scripts without spaces also by their beginnings. */
type CompoundTerms = NewWords & {
  has(term: number): boolean;
  endingWith(key: string): readonly string[];
  beginningWith(key: string): readonly string[];
};

function createCompoundTerms({ words, analyserOf }: TextIndex): CompoundTerms {
  const byEnd = new Map<string, string[]>();
  const byStart = new Map<string, string[]>();
  const known = new Set<number>();
  const put = (terms: Map<string, string[]>, key: string, term: string): void => {
    const listed = terms.get(key);
    if (listed) listed.push(term);
    else terms.set(key, [term]);
  };

  const readWord = (word: number): void => {
    const id = words.termAt(word);
    const language = words.languages[words.languagesOfWords()[word]];
    const surface = words.surfaceAt(word);
    const unspaced = isUnspaced(surface);
    if (known.has(id) || !(unspaced || compoundLanguages.has(language))) return;
    known.add(id);
    const term = analyserOf(language).termOf(surface);
    put(
      byEnd,
      term.slice(unspaced || hangulPattern.test(term) ? -keyLength.signs : -keyLength.letters),
      term,
    );
    if (unspaced) put(byStart, term.slice(0, keyLength.signs), term);
  };

  const newWords = createNewWords(words, readWord);
  return {
    get readCount() {
      return newWords.readCount;
    },
    readSome: newWords.readSome,
    settle: newWords.settle,
    has: (term) => known.has(term),
    endingWith: (key) => byEnd.get(key) ?? [],
    beginningWith: (key) => byStart.get(key) ?? [],
  };
}

export function createCompounds(index: TextIndex): Compounds {
  const { words, analyserOf, documentFrequency } = index;
  const compounds = createCompoundTerms(index);
  const heads = createVersionedCache<number[]>(maxCacheBytes, ({ length }) => length * 8);

  const languages = (): string[] => words.languages.filter((language) => compoundLanguages.has(language));

  const termsOf = (part: string): number[] =>
    languages()
      .map((language) => words.findTerm(analyserOf(language).termOf(part)))
      .filter(compounds.has);

  const isKnownModifier = (modifier: string): boolean =>
    ['', ...linkers].some((linker) => {
      const part = modifier.slice(0, modifier.length - linker.length);
      return part.length >= shortestKnown && modifier.endsWith(linker) && termsOf(part).length > 0;
    });

  const isModifier = (modifier: string, word: string, lenient: boolean): boolean => {
    if (hangulPattern.test(modifier)) return modifier.length >= 2;
    const isLikely =
      modifier.length >= shortestModifier && vowelPattern.test(modifier) && !derivations.has(modifier);
    return (isLikely && (lenient || word.length >= usualHead)) || isKnownModifier(modifier);
  };

  const endingWith = (word: string, lenient: boolean): string[] =>
    languages().flatMap((language) => {
      const stem = analyserOf(language).termOf(word);
      const shortest = hangulPattern.test(stem) ? keyLength.signs : shortestHead;
      if (stem.length < shortest) return [];
      return compounds
        .endingWith(stem.slice(-shortest))
        .filter(
          (term) =>
            term.length > stem.length &&
            term.endsWith(stem) &&
            isModifier(term.slice(0, -stem.length), word, lenient),
        );
    });

  const headedBy = (word: string, lenient: boolean): number[] => {
    const found = isUnspaced(word) ? around(word, compounds) : endingWith(word, lenient);
    return [...new Set(found.map(words.findTerm))];
  };

  return {
    settle: compounds.settle,
    get areWritten() {
      return languages().length > 0;
    },
    termOf(part) {
      compounds.readSome();
      return termsOf(part).find((term) => documentFrequency(term) > 0);
    },
    headedBy(word, lenient = false) {
      compounds.readSome();
      const cacheKey = { key: `${word} ${lenient}`, version: compounds.readCount };
      return heads
        .get(cacheKey, () => headedBy(word, lenient))
        .filter((id) => documentFrequency(id) > 0)
        .sort((a, b) => documentFrequency(b) - documentFrequency(a) || a - b)
        .slice(0, mostCompounds);
    },
  };
}

/** Returns the terms that end or begin with a word of a script without spaces. */
function around(word: string, compounds: CompoundTerms): string[] {
  if (word.length < keyLength.signs) return [];
  const ending = compounds.endingWith(word.slice(-keyLength.signs));
  const beginning = compounds.beginningWith(word.slice(0, keyLength.signs));
  return [
    ...ending.filter((term) => term !== word && term.endsWith(word)),
    ...beginning.filter((term) => term !== word && term.startsWith(word)),
  ];
}
