/** Turns words into terms, in one language. */

import { stemEnglish } from './english-stemmer.ts';
import { fold } from './fold.ts';
import { lightStemmers } from './light-stemmers.ts';
import { hasDigit, type Token, tokenise } from './tokens.ts';
import { stopWordsOf } from './word-lists.ts';

export type Analyser = {
  /** Two letters. */
  readonly language: string;
  isStopWord(word: string): boolean;
  /** Returns the term of a folded word; codes and numbers are their own term. */
  termOf(word: string): string;
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
  return {
    language,
    isStopWord: (word) => stopWords.has(word),
    termOf: stem ?? ((word) => word),
  };
}

export function primaryLanguage(tag: string): string {
  return tag.slice(0, 2).toLowerCase();
}

/** Returns the tokens of an unfolded text, at most `limit`. */
export function tokensOf(text: string, limit?: number): Token[] {
  return tokenise(fold(text), limit);
}
