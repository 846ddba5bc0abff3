/**
 * Compounds: words that languages like German write as one, `Laufschuhe`, where English writes two.
 *
 * Whoever types `Schuhe` means running shoes too, so a word also stands for the catalogue's own words that end with it. What
 * comes before must look like a word: known to the catalogue (`regen|jas`), or long enough. Nothing is cut up when items are
 * written, so answers do not depend on the order in which words arrive. In scripts without spaces, where the cut between
 * words depends on what stands beside them, a word also stands for those that begin with it.
 */
import { isUnspaced } from '../analysis/tokens.ts';
import type { TextIndex } from '../index/index.ts';

export type Compounds = {
  /** Reads the words that are new, in slices. */
  settle(): Generator<void>;
  /** Whether any item is written in a language that has compounds. */
  readonly areWritten: boolean;
  /** The term of a word or a part of one in a language that has compounds. */
  termOf(part: string): number | undefined;
  /**
   * Terms of compounds that end with the word, the commonest first.
   *
   * @param lenient whether any letters may come before
   */
  headedBy(word: string, lenient?: boolean): number[];
};

/** Two-letter languages that write compounds as one word. */
// Not English: a `notebook` is no kind of `book`.
const compoundLanguages: ReadonlySet<string> = new Set(['nl', 'de', 'sv', 'da', 'no', 'nb', 'nn', 'ko']);

/** Letters between the parts of a compound: `Arbeit|s|platz`. */
export const linkers = ['s', 'n', 'en', 'er', 'es', 'e'];

/** Beginnings that make verbs and nouns of their own: `Verstand` is not a kind of `Stand`. */
const derivations: ReadonlySet<string> = new Set(['ver', 'ent', 'zer', 'emp', 'ont', 'her']);

const shortestHead = 3;
/** Letters of a word from which on any likely beginning makes a compound of it. */
const usualHead = 4;
const shortestModifier = 3;
const shortestKnown = 2;
/** Compounds of one word that are looked for. */
const mostCompounds = 200;
const keyLength = { letters: 3, signs: 2 };

/** Words that a question may read anew: it must not wait for a large load. */
const mostRead = 2_000;
const rememberedHeads = 10_000;

const vowelPattern = /[aeiouy]/;
const hangulPattern = /[\uac00-\ud7a3]/;

/** Terms that may be compounds, by their ends; those in scripts without spaces by their first and last signs. */
type CompoundTerms = {
  /** Words that were read. */
  readonly read: number;
  readSome(): void;
  has(term: number): boolean;
  endingWith(key: string): readonly string[];
  beginningWith(key: string): readonly string[];
};

function createCompoundTerms({ words, analyserOf }: TextIndex): CompoundTerms {
  const byEnd = new Map<string, string[]>();
  const byStart = new Map<string, string[]>();
  const known = new Set<number>();
  let read = 0;

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

  return {
    get read() {
      return read;
    },
    readSome() {
      for (const end = Math.min(words.wordCount, read + mostRead); read < end; read++) readWord(read);
    },
    has: (term) => known.has(term),
    endingWith: (key) => byEnd.get(key) ?? [],
    beginningWith: (key) => byStart.get(key) ?? [],
  };
}

export function createCompounds(index: TextIndex): Compounds {
  const { words, analyserOf, documentFrequency } = index;
  const compounds = createCompoundTerms(index);
  const heads = new Map<string, number[]>();

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

  const around = (word: string): string[] => {
    if (word.length < keyLength.signs) return [];
    const ending = compounds.endingWith(word.slice(-keyLength.signs));
    const beginning = compounds.beginningWith(word.slice(0, keyLength.signs));
    return [
      ...ending.filter((term) => term !== word && term.endsWith(word)),
      ...beginning.filter((term) => term !== word && term.startsWith(word)),
    ];
  };

  const headedBy = (word: string, lenient: boolean): number[] => {
    const found = isUnspaced(word) ? around(word) : endingWith(word, lenient);
    return [...new Set(found.map(words.findTerm))];
  };

  return {
    *settle() {
      for (const end = words.wordCount; compounds.read < end; ) {
        compounds.readSome();
        yield;
      }
    },
    get areWritten() {
      return languages().length > 0;
    },
    termOf(part) {
      compounds.readSome();
      return termsOf(part).find((term) => documentFrequency(term) > 0);
    },
    headedBy(word, lenient = false) {
      if (compounds.read < words.wordCount || heads.size >= rememberedHeads) heads.clear();
      compounds.readSome();
      const key = `${word} ${lenient}`;
      const ids = heads.get(key) ?? headedBy(word, lenient);
      heads.set(key, ids);
      return ids
        .filter((id) => documentFrequency(id) > 0)
        .sort((a, b) => documentFrequency(b) - documentFrequency(a) || a - b)
        .slice(0, mostCompounds);
    },
  };
}
