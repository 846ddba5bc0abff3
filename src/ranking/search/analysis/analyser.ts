/** Turns words into terms, in one language. */

import { stemEnglish } from './english-stemmer.ts';
import { fold } from './fold.ts';
import { irregularForms } from './irregular-forms.ts';
import { lightStemmers, plainSpelling } from './light-stemmers.ts';
import { hasDigit, type Token, tokenise } from './tokens.ts';
import { isHeadFirst, stopWordsOf } from './word-lists.ts';

export type Analyser = {
  /** Two letters. */
  readonly language: string;
  /** Whether modifiers follow the noun. */
  readonly isHeadFirst: boolean;
  isStopWord(word: string): boolean;
  /** Returns the term of a folded word; codes and numbers are their own term. */
  termOf(word: string): string;
  /** Returns a folded word with one spelling of each letter: `kuehl` is `kuhl`. */
  plainOf(word: string): string;
  /** Returns what words of the same term begin with: the plain word, its term, and irregular plurals. */
  formsOf(word: string): string[];
};

/** Cached stems per language; a full cache starts anew. */
const rememberedStems = 100_000;

function remembered(stem: (word: string) => string): (word: string) => string {
  const stems = new Map<string, string>();
  return (word) => {
    const known = stems.get(word);
    if (known !== undefined) return known;
    if (stems.size >= rememberedStems) stems.clear();
    const stemmed = stem(word);
    stems.set(word, stemmed);
    return stemmed;
  };
}

/** @param tag BCP 47; a language without a stemmer or stop words is folded and tokenised only */
export function createAnalyser(tag: string): Analyser {
  const language = primaryLanguage(tag);
  const stopWords = stopWordsOf(language);
  const stemmer = language === 'en' ? stemEnglish : lightStemmers.get(language);
  const stem = stemmer && remembered((word) => (hasDigit(word) ? word : stemmer(word)));
  const termOf = stem ?? ((word: string) => word);
  const plainOf = (word: string): string => plainSpelling(word, language);
  const plurals = new Map<string, string[]>();
  for (const [plural, word] of irregularForms(language))
    plurals.set(word, [...(plurals.get(word) ?? []), plural]);
  return {
    language,
    isHeadFirst: isHeadFirst(language),
    isStopWord: (word) => stopWords.has(word),
    termOf,
    plainOf,
    formsOf(word) {
      const [plain, term] = [plainOf(word), termOf(word)];
      return [...new Set([plain, term, ...(plurals.get(plain) ?? [])])];
    },
  };
}

/** Both written forms of Norwegian share one analysis. */
export function primaryLanguage(tag: string): string {
  const language = tag.slice(0, 2).toLowerCase();
  return language === 'nb' || language === 'nn' ? 'no' : language;
}

/** Returns the tokens of an unfolded text, at most `limit`. */
export function tokensOf(text: string, limit?: number): Token[] {
  return tokenise(fold(text), limit);
}
