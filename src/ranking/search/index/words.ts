/**
 * The vocabulary of an environment: the words of its items and the terms by which they are
 * searched.
 *
 * A word is a folded form in a language (`batteries`, en); its term is the stem (`batteri`), shared
 * by all languages, so that brands and codes meet. Items hold words; postings, correction and
 * completion derive from them. Numbers never change.
 */
import type { Analyser } from '../analysis/analyser.ts';
import { roomFor } from './growable.ts';

export type Words = {
  readonly wordCount: number;
  readonly termCount: number;
  /** Returns the number of a word, adding it if it is new. */
  add(surface: string, analyser: Analyser): number;
  /** Whether any language has the surface. */
  has(surface: string): boolean;
  /** Returns the numbers of a surface, one for each language that has it. */
  find(surface: string): number[];
  /** Returns the lowest of them, or -1. */
  firstOf(surface: string): number;
  /** Returns the number of a term, or -1. */
  findTerm(term: string): number;
  surfaceAt(word: number): string;
  termAt(word: number): number;
  readonly languages: readonly string[];
  /** Returns the terms in the order of their numbers. */
  terms(): Iterator<string, undefined>;
  /** By word; the array may be longer than the vocabulary. */
  termsOfWords(): Int32Array;
  languagesOfWords(): Uint8Array;
  /** Adds terms, then words, with the numbers of another index; only while nothing else was added. */
  addTerms(terms: readonly string[]): void;
  addKnown(surfaces: readonly string[], known: KnownWords): void;
};

/** Language codes and term numbers of another index's words, by word. */
export type KnownWords = {
  languages: readonly string[];
  codes: ArrayLike<number>;
  terms: ArrayLike<number>;
};

type Language = { words: Map<string, number>; code: number };

export function createWords(): Words {
  const languages: string[] = [];
  const byLanguage = new Map<string, Language>();
  const terms = new Map<string, number>();
  const surfaces: string[] = [];
  let termCount = 0;
  let termOfWord = new Int32Array(0);
  let languageOfWord = new Uint8Array(0);

  const languageOf = (language: string): Language => {
    let known = byLanguage.get(language);
    if (!known) {
      known = { words: new Map(), code: languages.push(language) - 1 };
      byLanguage.set(language, known);
    }
    return known;
  };

  const push = (surface: string, language: Language, term: number): number => {
    const word = surfaces.push(surface) - 1;
    language.words.set(surface, word);
    termOfWord = roomFor(termOfWord, word + 1);
    languageOfWord = roomFor(languageOfWord, word + 1);
    termOfWord[word] = term;
    languageOfWord[word] = language.code;
    return word;
  };

  const termOf = (term: string): number => {
    const known = terms.get(term);
    if (known !== undefined) return known;
    terms.set(term, termCount);
    return termCount++;
  };

  const find = (surface: string): number[] =>
    Array.from(byLanguage.values(), (language) => language.words.get(surface)).filter(
      (word) => word !== undefined,
    );

  return {
    languages,
    get wordCount() {
      return surfaces.length;
    },
    get termCount() {
      return termCount;
    },
    add(surface, analyser) {
      const language = languageOf(analyser.language);
      const known = language.words.get(surface);
      return known ?? push(surface, language, termOf(analyser.termOf(surface)));
    },
    find,
    has: (surface) => find(surface).length > 0,
    firstOf(surface) {
      const found = find(surface);
      return found.length > 0 ? Math.min(...found) : -1;
    },
    findTerm: (term) => terms.get(term) ?? -1,
    surfaceAt: (word) => surfaces[word],
    termAt: (word) => termOfWord[word],
    terms: () => terms.keys(),
    termsOfWords: () => termOfWord,
    languagesOfWords: () => languageOfWord,
    addTerms(added) {
      for (const term of added) terms.set(term, termCount++);
    },
    addKnown(added, known) {
      const coded = known.languages.map(languageOf);
      for (const surface of added) {
        const word = surfaces.length;
        push(surface, coded[known.codes[word]], known.terms[word]);
      }
    },
  };
}
