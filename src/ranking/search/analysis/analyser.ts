/**
 * Turns words into terms, in one language.
 *
 * English has Porter's stemmer. Other languages have light ones by the tables of languages.ts:
 * inflection only (plural, gender, case). For ranking, removing inflection gives nearly all of what
 * a full stemmer gives, and joins fewer words of different meaning (Savoy, "Light stemming
 * approaches for the French, Portuguese, German and Hungarian languages", SAC 2006). A second
 * spelling for keyboards without a letter (`ue` for `ü`) becomes the first, as in Snowball's German2.
 */
import { stemEnglish } from './english-stemmer.ts';
import { fold } from './fold.ts';
import { irregularForms, languages, wordsOf } from './languages.ts';
import { hasDigit, type Token, tokenise } from './tokens.ts';

/** Suffix, replacement, and the number of letters that must stay before it. */
type SuffixRule = readonly [suffix: string, replacement: string, least: number];

function parsePass(pass: string): SuffixRule[] {
  return pass.split(' ').flatMap((rule) => {
    const [change, least] = rule.split(':');
    const [suffix, replacement = ''] = change.split('>');
    const [letterClass, letters] = /\{(.+)\}/.exec(suffix) ?? [];
    if (!letterClass) return [[suffix, replacement, Number(least)] as const];
    return Array.from(letters, (letter): SuffixRule => {
      const [from, to] = [suffix.replace(letterClass, letter), replacement.replace('{}', letter)];
      return [from, to, Number(least)];
    });
  });
}

/** The first rule that fits is applied. */
function applyPass(word: string, rules: readonly SuffixRule[]): string {
  for (const [suffix, replacement, least] of rules) {
    const at = word.length - suffix.length;
    if (at >= least && word.endsWith(suffix)) return word.slice(0, at) + replacement;
  }
  return word;
}

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

export type Analyser = ReturnType<typeof createAnalyser>;

/** @param tag BCP 47; a language without a stemmer or stop words is folded and tokenised only */
export function createAnalyser(tag: string) {
  const language = primaryLanguage(tag);
  const { isHeadFirst = false, hasCompounds = false, second, ...lists } = languages[language] ?? {};
  const stopWords = wordsOf(lists.stopWords);
  const relations = wordsOf(lists.relations);
  const singulars = irregularForms(language);
  const plurals = new Map<string, string[]>();
  for (const [plural, word] of singulars) plurals.set(word, [...(plurals.get(word) ?? []), plural]);

  const plainOf = (word: string): string => (second ? word.replace(second[0], second[1]) : word);
  const passes = lists.passes?.map(parsePass);
  const stemLightly = (word: string): string => {
    const plain = plainOf(word);
    return passes!.reduce(applyPass, singulars.get(plain) ?? plain);
  };
  const stem = language === 'en' ? stemEnglish : passes && stemLightly;
  const termOf = stem
    ? remembered((word) => (hasDigit(word) ? word : stem(word)))
    : (word: string): string => word;

  return {
    /** Two letters. */
    language,
    /** Whether modifiers follow the noun. */
    isHeadFirst,
    hasCompounds,
    isStopWord: (word: string): boolean => stopWords.has(word),
    isRelation: (word: string): boolean => relations.has(word),
    /** Returns the term of a folded word; codes and numbers are their own term. */
    termOf,
    /** Returns a folded word with one spelling of each letter, without a joined article: `kuehl` is `kuhl`. */
    plainOf,
    /** Returns what words of the same term begin with: the plain word, its term, and irregular plurals. */
    formsOf(word: string): string[] {
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
