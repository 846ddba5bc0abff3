/**
 * The words of an environment's items and the terms they are searched by.
 *
 * A word is a folded form in a language (`batteries`, en); its term is the stem (`batteri`), shared by all languages, so that
 * brands and codes meet. Items hold words; postings, correction and completion derive from them. Numbers once given stay.
 */
import type { Analyser } from '../analysis/analyser.ts';
import { roomFor } from './growable.ts';

export type Words = {
  readonly wordCount: number;
  readonly termCount: number;
  /** The number of a word, given now if it is new. */
  add(surface: string, analyser: Analyser): number;
  /** Whether any language has the surface. */
  has(surface: string): boolean;
  /** The numbers of a surface, one for each language that has it. */
  find(surface: string): number[];
  /** The lowest of them, or -1. */
  firstOf(surface: string): number;
  /** The number of a term as a string, or -1. */
  findTerm(term: string): number;
  surfaceAt(word: number): string;
  termAt(word: number): number;
  readonly languages: readonly string[];
  /** The terms in the order of their numbers. */
  terms(): Iterator<string, undefined>;
  /** By word; more entries than words. */
  termsOfWords(): Int32Array;
  languagesOfWords(): Uint8Array;
  /** Takes the next terms as another index numbered them, and the next words; only while nothing else was added. */
  addTerms(terms: readonly string[]): void;
  addKnown(surfaces: readonly string[], known: KnownWords): void;
};

/** What another index knew of its words, by word; languages by their codes. */
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
    has: (surface) => {
      for (const language of byLanguage.values()) if (language.words.has(surface)) return true;
      return false;
    },
    find(surface) {
      const found: number[] = [];
      for (const language of byLanguage.values()) {
        const word = language.words.get(surface);
        if (word !== undefined) found.push(word);
      }
      return found;
    },
    firstOf(surface) {
      let first = -1;
      for (const language of byLanguage.values()) {
        const word = language.words.get(surface);
        if (word !== undefined && (first < 0 || word < first)) first = word;
      }
      return first;
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
