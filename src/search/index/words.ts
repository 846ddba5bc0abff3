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
  /** The number of a term as a string, or -1. */
  findTerm(term: string): number;
  surfaceAt(word: number): string;
  termAt(word: number): number;
  /** Position of the word's language in the order of first use. */
  languageAt(word: number): number;
  readonly languages: readonly string[];
};

type Language = { words: Map<string, number>; code: number };

export function createWords(): Words {
  const languages: string[] = [];
  const byLanguage = new Map<string, Language>();
  const terms = new Map<string, number>();
  const surfaces: string[] = [];
  let termOfWord = new Int32Array(0);
  let languageOfWord = new Uint8Array(0);

  const languageOf = ({ language }: Analyser): Language => {
    let known = byLanguage.get(language);
    if (!known) {
      known = { words: new Map(), code: languages.push(language) - 1 };
      byLanguage.set(language, known);
    }
    return known;
  };

  const termOf = (term: string): number => {
    const known = terms.get(term);
    if (known !== undefined) return known;
    terms.set(term, terms.size);
    return terms.size - 1;
  };

  return {
    languages,
    get wordCount() {
      return surfaces.length;
    },
    get termCount() {
      return terms.size;
    },
    add(surface, analyser) {
      const language = languageOf(analyser);
      const known = language.words.get(surface);
      if (known !== undefined) return known;
      const word = surfaces.push(surface) - 1;
      language.words.set(surface, word);
      termOfWord = roomFor(termOfWord, word + 1);
      languageOfWord = roomFor(languageOfWord, word + 1);
      termOfWord[word] = termOf(analyser.termOf(surface));
      languageOfWord[word] = language.code;
      return word;
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
    findTerm: (term) => terms.get(term) ?? -1,
    surfaceAt: (word) => surfaces[word],
    termAt: (word) => termOfWord[word],
    languageAt: (word) => languageOfWord[word],
  };
}
