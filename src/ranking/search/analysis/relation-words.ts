/**
 * Words of titles after which no longer stands what a thing is, but what it is for or comes with: `case for a laptop`, `desk with
 * lamp`. They are few in every language, as stop words are.
 */

const lists: Record<string, string> = {
  en: 'for with without fits',
  nl: 'voor met zonder',
  de: 'fur mit ohne',
  fr: 'pour avec sans',
  es: 'para con sin',
  it: 'per con senza',
  pt: 'para com sem',
  sv: 'for med utan till',
  da: 'for med uden til',
};

const wordsByLanguage = new Map(
  Object.entries(lists).map(([language, words]) => [language, new Set(words.split(' '))] as const),
);

/** Whether a folded word of a two-letter language is one; never in a language without a list. */
export function isRelationWord(word: string, language: string): boolean {
  return wordsByLanguage.get(language)?.has(word) ?? false;
}

/** Languages in which what a word is modified by comes after it: `sac ordinateur`, not `laptop bag`. */
const headFirst: ReadonlySet<string> = new Set([
  'fr',
  'es',
  'it',
  'pt',
  'ca',
  'gl',
  'ro',
  'vi',
  'id',
  'ms',
  'ar',
  'he',
  'th',
]);

export function isHeadFirst(language: string): boolean {
  return headFirst.has(language);
}
