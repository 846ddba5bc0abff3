/**
 * The vocabulary of an environment: the words of its items and the terms by which they are
 * searched.
 *
 * A word is a folded form in a language (`batteries`, en); its term is the stem (`batteri`), shared
 * by all languages, so that brands and codes meet. Items hold words; postings, correction and
 * completion derive from them. Numbers never change.
 */
import { grown } from '../../catalog/growth.ts';
import type { Analyser } from '../analysis/analyser.ts';

export type Words = ReturnType<typeof createWords>;

/** Language codes and term numbers of another index's words, by word. */
export type KnownWords = {
  languages: readonly string[];
  codes: ArrayLike<number>;
  terms: ArrayLike<number>;
};

type Language = { words: Map<string, number>; code: number };

function createLanguages() {
  const names: string[] = [];
  const byName = new Map<string, Language>();
  const list: Language[] = [];
  /** Returns a language, adding it if it is new. */
  const of = (name: string): Language => {
    let known = byName.get(name);
    if (!known) {
      known = { words: new Map(), code: names.push(name) - 1 };
      byName.set(name, known);
      list.push(known);
    }
    return known;
  };
  return { names: names as readonly string[], list, of };
}

/** Returns the number of a term, adding it if it is new. */
function numberOf(terms: Map<string, number>, term: string): number {
  const number = terms.get(term) ?? terms.size;
  terms.set(term, number);
  return number;
}

export function createWords() {
  const languages = createLanguages();
  /** Numbers in the order of addition. */
  const terms = new Map<string, number>();
  const surfaces: string[] = [];
  let termOfWord = new Int32Array(0);
  let languageOfWord = new Uint8Array(0);

  const push = (surface: string, language: Language, term: number): number => {
    const word = surfaces.push(surface) - 1;
    language.words.set(surface, word);
    termOfWord = grown(termOfWord, word + 1);
    languageOfWord = grown(languageOfWord, word + 1);
    termOfWord[word] = term;
    languageOfWord[word] = language.code;
    return word;
  };

  /** Returns the numbers of a surface, one for each language that has it. */
  const find = (surface: string): number[] => {
    const found: number[] = [];
    for (const { words } of languages.list) {
      const word = words.get(surface);
      if (word !== undefined) found.push(word);
    }
    return found;
  };

  return {
    languages: languages.names,
    get wordCount() {
      return surfaces.length;
    },
    get termCount() {
      return terms.size;
    },
    /** Returns the number of a word, adding it if it is new. */
    add(surface: string, analyser: Analyser): number {
      const language = languages.of(analyser.language);
      const known = language.words.get(surface);
      return known ?? push(surface, language, numberOf(terms, analyser.termOf(surface)));
    },
    find,
    /** Whether any language has the surface. */
    has: (surface: string): boolean => find(surface).length > 0,
    /** Returns the lowest number of a known surface. */
    firstOf: (surface: string): number => Math.min(...find(surface)),
    /** Returns the number of a term, or -1. */
    findTerm: (term: string): number => terms.get(term) ?? -1,
    surfaceAt: (word: number): string => surfaces[word],
    termAt: (word: number): number => termOfWord[word],
    languageAt: (word: number): string => languages.names[languageOfWord[word]],
    /** Returns the terms in the order of their numbers. */
    terms: () => terms.keys(),
    /** By word; the array may be longer than the vocabulary. */
    termsOfWords: (): Int32Array => termOfWord,
    languagesOfWords: (): Uint8Array => languageOfWord,
    /** Adds terms, then words, with the numbers of another index; only while nothing else was added. */
    addTerms(added: readonly string[]): void {
      for (const term of added) numberOf(terms, term);
    },
    addKnown(added: readonly string[], known: KnownWords): void {
      const coded = known.languages.map(languages.of);
      for (const surface of added) {
        const word = surfaces.length;
        push(surface, coded[known.codes[word]], known.terms[word]);
      }
    },
  };
}
