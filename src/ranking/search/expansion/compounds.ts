/**
 * Compounds, which languages like German write as one word: `Laufschuhe`, where English writes two.
 *
 * A query for `Schuhe` also means running shoes, so a word also matches the catalogue's own words
 * that end with a form of it. The part before must look like a word: known to the catalogue
 * (`regen|jas`), or long enough. Words that begin with it or have it in the middle match too, less,
 * when their other parts are known (`Tee|ernte`) or look like words (`Wasser|kocher`, not `Hand|el`).
 * Words are not cut when items are written, so results do not depend on the order in which words
 * arrive. In scripts without spaces, where the cut between words depends on their neighbours, a word
 * also matches those that begin with it.
 */
import type { Analyser } from '../analysis/analyser.ts';
import { isUnspaced } from '../analysis/tokens.ts';
import type { TextIndex } from '../index/index.ts';
import { createVersionedCache } from '../versioned-cache.ts';
import { createNewWords } from './new-words.ts';

export type Compounds = ReturnType<typeof createCompounds>;

/** Word numbers. */
export type CompoundWords = { headed: readonly number[]; others: readonly number[] };

/** Letters between the parts of a compound: `Arbeit|s|platz`. */
export const linkers = ['s', 'n', 'en', 'er', 'es', 'e'];

/** Prefixes that derive other words: `Verstand` is not a kind of `Stand`. */
const derivations: ReadonlySet<string> = new Set(['ver', 'ent', 'zer', 'emp', 'ont', 'her']);
/** Words that only seem to end with a short noun: `Bäckerei`, `Frottee`, `Milchreis`. */
const seemingCompound = new RegExp(
  `(?:${[
    '(?:(?<!huhn|ost)er|(?<!wacht|vog|spieg|harr)el|[^aeiou]l|[tz]|arzn|chr|br|ag|[ao]r|karw)ei',
    '(?:alkoh|aeros|benz|monop|symb|id|ethan|propan|[th]en|retin|menth|glyk|tir|[cpt]o|pist|[nr]e|ster|petr)ol',
    '(?:komi|varie|kolle|frot)tee|(?:ob|nach|vor)hut|(?:[bf]|auf?r)uhr|grad|kamerad|(?:glo|bam|lum)bus',
    '(?<!e)reis|gleis|weis',
  ].join('|')})$`,
);
/** Endings that derive words: `Handlung` is of no hand. */
const derivedRest = /^(?:l(?:er|ich|ing|ung)|n(?:er|is)|schaft|(?!bel|mes).e[lnrs]$)/;
/** A consonant begins likely parts: most words that go on with a vowel are derived (`Schulung`). */
const likelyRest = /^(?:e[nrs])?[^aeiouy]{1,4}[aeiouy]/;

/** From this length on, and for short nouns, any likely other part makes a compound of the word. */
const usualPart = 4;
const shortBeginnings: ReadonlySet<string> = new Set('ol tee hut uhr rad bus eis'.split(' '));
const shortNouns: ReadonlySet<string> = new Set([...shortBeginnings, 'ei']);
/** From this length on, a word may also be between two parts that are not known. */
const usualMiddle = 5;
/** Letters that linking and inflection add to two words. */
const mostLinking = 4;
const shortestModifier = 3;
const shortestKnown = 2;
const shortestRest = 3;
/** Compounds of one word that are looked up. */
const mostCompounds = 200;

/** Cached compounds of words. */
const maxCacheBytes = 8 * 1024 * 1024;

const vowelPattern = /[aeiouy]/;
const hangulPattern = /[\uac00-\ud7a3]/;

const gramLengthOf = (text: string): number => (isUnspaced(text) || hangulPattern.test(text) ? 2 : 3);

/** Returns the runs of two signs or three letters of a word; of a word of two letters, itself. */
function gramsOf(text: string): string[] {
  const length = Math.min(gramLengthOf(text), text.length);
  return Array.from({ length: text.length - length + 1 }, (_, at) => text.slice(at, at + length));
}

/** The words that may be compounds, by their letters. */
function createCompoundWords({ words, analyserOf }: TextIndex) {
  const wordsByGram = new Map<string, number[]>();
  /** By word; absent for a word that is no compound. */
  const texts: string[] = [];
  const terms = new Set<number>();

  const newWords = createNewWords(words, (word) => {
    const language = words.languageAt(word);
    const surface = words.surfaceAt(word);
    const { plainOf, termOf, hasCompounds } = analyserOf(language);
    if (!hasCompounds && !isUnspaced(surface)) return;
    terms.add(words.termAt(word));
    texts[word] = plainOf(surface);
    const grams = new Set([...gramsOf(texts[word]), ...gramsOf(termOf(surface))]);
    if (hasCompounds) grams.add(texts[word].slice(-shortestKnown)).add(texts[word].slice(0, shortestKnown));
    for (const gram of grams) {
      const listed = wordsByGram.get(gram);
      if (listed) listed.push(word);
      else wordsByGram.set(gram, [word]);
    }
  });
  return {
    newWords,
    has: (term: number) => terms.has(term),
    textAt: (word: number) => texts[word],
    /** Returns words that have the rarest run of the text. */
    near(text: string): readonly number[] {
      if (text === '') return [];
      const lists = gramsOf(text).map((gram) => wordsByGram.get(gram) ?? []);
      return lists.reduce((a, b) => (b.length < a.length ? b : a));
    },
  };
}

/** Tells which letters before and after a part of a compound look like words. */
function createPartTests(isKnown: (part: string) => boolean) {
  const isWord = (part: string, least: number): boolean => part.length >= least && isKnown(part);
  const isKnownModifier = (modifier: string): boolean =>
    isWord(modifier, shortestKnown) ||
    linkers.some((one) => modifier.endsWith(one) && isWord(modifier.slice(0, -one.length), shortestKnown));
  const isKnownRest = (rest: string): boolean =>
    isWord(rest, shortestRest) ||
    linkers.some((one) => rest.startsWith(one) && isWord(rest.slice(one.length), shortestRest));

  return {
    /** @param likely whether a likely beginning is enough */
    isModifier(modifier: string, likely: boolean): boolean {
      if (hangulPattern.test(modifier)) return modifier.length >= 2;
      const isLikely =
        (modifier.length >= shortestModifier || shortBeginnings.has(modifier)) &&
        vowelPattern.test(modifier) &&
        !derivations.has(modifier);
      return (likely && isLikely) || isKnownModifier(modifier);
    },
    /** @param likely whether a likely end is enough; of a part of two letters, only a known word is */
    isRest(rest: string, part: string, likely: boolean): boolean {
      if (part.length <= shortestKnown && !likely) return rest.length >= usualPart && isKnown(rest);
      if (part.length < usualPart && rest.startsWith('e')) return isKnownRest(rest);
      const isLikely = rest.length >= shortestRest && likelyRest.test(rest) && !derivedRest.test(rest);
      return (likely && isLikely) || isKnownRest(rest);
    },
  };
}

/** Tells how a compound has a word as a part, by the forms of the word. */
function createRoleReader({ isModifier, isRest }: ReturnType<typeof createPartTests>) {
  return (text: string, forms: readonly string[], { termOf }: Analyser, lenient: boolean) => {
    const [asked] = forms;
    const stem = termOf(asked);
    const term = termOf(text);
    const isSeeming =
      forms.some((form) => shortNouns.has(form)) && [text, term].some((one) => seemingCompound.test(one));
    const isUsual = asked.length >= usualPart || shortNouns.has(asked);
    const likely = (lenient || isUsual) && !isSeeming;
    const before = term.slice(0, -stem.length);
    const isStemmed = stem.length > shortestKnown && before !== '' && term.endsWith(stem);
    if (isStemmed && isModifier(before, likely)) return 'head';
    for (const base of forms) {
      // A stem is the beginning of other words, too: `Reis` of `Reise`.
      const least = base === stem && base !== asked ? usualMiddle : usualPart;
      const likelyRest = lenient && (base.length >= least || shortBeginnings.has(base));
      for (let at = text.indexOf(base); at >= 0; at = text.indexOf(base, at + 1)) {
        const [modifier, head] = [text.slice(0, at), text.slice(at)];
        if (head === asked || termOf(head) === stem) {
          if (at > 0 && isModifier(modifier, likely)) return 'head';
        } else if (
          (at === 0 ||
            (base.length > shortestKnown &&
              isModifier(modifier, likelyRest && base.length >= usualMiddle))) &&
          isRest(head.slice(base.length), base, likelyRest)
        )
          return 'part';
      }
    }
    return undefined;
  };
}

/** Finds the compounds that have a word as their head, or as another part. */
function createCompoundFinder(
  index: TextIndex,
  compounds: ReturnType<typeof createCompoundWords>,
  roleIn: ReturnType<typeof createRoleReader>,
  languages: () => string[],
) {
  return (word: string, lenient: boolean): CompoundWords => {
    if (isUnspaced(word)) return { headed: around(word, compounds), others: [] };
    const roles = new Map<number, 'head' | 'part'>();
    for (const language of languages()) {
      const analyser = index.analyserOf(language);
      const forms = analyser.formsOf(word);
      for (const base of forms)
        for (const compound of compounds.near(base)) {
          if (index.words.languageAt(compound) !== language) continue;
          const role = roleIn(compounds.textAt(compound), forms, analyser, lenient);
          if (role) roles.set(compound, role);
        }
    }
    const withRole = (wanted: string) =>
      [...roles].flatMap(([word, role]) => (role === wanted ? [word] : []));
    return { headed: withRole('head'), others: withRole('part') };
  };
}

export function createCompounds(index: TextIndex) {
  const { words, analyserOf, documentFrequency } = index;
  const compounds = createCompoundWords(index);
  const { newWords } = compounds;
  const cache = createVersionedCache<CompoundWords>(
    maxCacheBytes,
    ({ headed, others }) => (headed.length + others.length) * 8 + 100,
  );

  const languages = () => words.languages.filter((language) => analyserOf(language).hasCompounds);
  const termsOf = (part: string): number[] =>
    languages()
      .map((language) => words.findTerm(analyserOf(language).termOf(part)))
      .filter(compounds.has);

  const tests = createPartTests((part) => termsOf(part).length > 0);

  const find = createCompoundFinder(index, compounds, createRoleReader(tests), languages);

  const found = (word: string, lenient: boolean): CompoundWords => {
    newWords.readSome();
    const cacheKey = { key: `${word} ${lenient}`, version: newWords.readCount };
    return cache.get(cacheKey, () => find(word, lenient));
  };

  const commonest = (found: readonly number[]) => mostFrequent(found, index);

  return {
    /** Reads new words, in slices. */
    settle: newWords.settle,
    /** Whether any item is in a language with compounds. */
    get areWritten(): boolean {
      return languages().length > 0;
    },
    /** Returns the term of a word or a part of one in a language with compounds. */
    termOf(part: string): number | undefined {
      newWords.readSome();
      return termsOf(part).find((term) => documentFrequency(term) > 0);
    },
    /** Returns the compounds of a word, commonest first. @param lenient whether any letters may come before */
    of(word: string, lenient = false): CompoundWords {
      const { headed, others } = found(word, lenient);
      return { headed: commonest(headed), others: commonest(others) };
    },
    /** Returns the compounds of two words: `geburtstag karte` for `Geburtstagskarte`. */
    joining(modifier: string, head: string): readonly number[] {
      const { headed } = found(head, true);
      if (headed.length === 0) return [];
      const forms = languages().flatMap((language) => analyserOf(language).formsOf(modifier));
      const most = modifier.length + head.length + mostLinking;
      const joins = (word: number): boolean => {
        const text = compounds.textAt(word);
        return text.length <= most && forms.some((form) => text.startsWith(form));
      };
      return commonest(headed.filter(joins));
    },
    /** Returns the compounds with a later part that begins with the text, commonest first. */
    completing(beginning: string): readonly number[] {
      newWords.readSome();
      const plain = new Set(languages().map((language) => analyserOf(language).plainOf(beginning)));
      return commonest([...plain].flatMap((one) => begunIn(one, compounds, tests)));
    },
  };
}

/** Returns the words that items have, commonest first. */
function mostFrequent(found: readonly number[], { words, documentFrequency }: TextIndex): readonly number[] {
  if (found.length === 0) return found;
  const frequencyOf = (word: number): number => documentFrequency(words.termAt(word));
  return found
    .filter((word) => frequencyOf(word) > 0)
    .sort((a, b) => frequencyOf(b) - frequencyOf(a) || a - b)
    .slice(0, mostCompounds);
}

/** Returns the compounds with a later part that begins with the text. */
function begunIn(
  beginning: string,
  { near, textAt }: ReturnType<typeof createCompoundWords>,
  { isModifier }: ReturnType<typeof createPartTests>,
): number[] {
  const isShort = shortNouns.has(beginning);
  return near(beginning).filter((compound) => {
    const text = textAt(compound);
    const at = text.indexOf(beginning, shortestKnown);
    const likely = isShort ? !seemingCompound.test(text) : beginning.length >= usualPart;
    return at > 0 && isModifier(text.slice(0, at), likely);
  });
}

/** Returns the words that end or begin with a word of a script without spaces. */
function around(word: string, { near, textAt }: ReturnType<typeof createCompoundWords>): number[] {
  if (word.length < 2) return [];
  return near(word).filter((one) => {
    const text = textAt(one);
    return text !== word && (text.endsWith(word) || text.startsWith(word));
  });
}

/** Compounds that a completion tries. */
const mostCompleted = 8;

/** Returns typed words, the last one maybe not to its end, in other spellings and as compounds. */
export function otherWords(
  typed: readonly string[],
  { words, analyserOf }: TextIndex,
  compounds: Pick<Compounds, 'areWritten' | 'of' | 'joining' | 'completing'>,
): string[][] {
  const found: string[][] = [];
  for (const language of words.languages) {
    const { plainOf } = analyserOf(language);
    if (typed.some((word) => plainOf(word) !== word)) found.push(typed.map(plainOf));
  }
  if (!compounds.areWritten) return found;
  const put = (compound: number, ...places: number[]): void => {
    found.push([...typed.filter((_, at) => !places.includes(at)), words.surfaceAt(compound)]);
  };
  for (const [at, word] of typed.entries()) {
    const isBegun = at === typed.length - 1 && word.length >= shortestRest;
    const having = isBegun ? compounds.completing(word) : compounds.of(word).headed;
    for (const compound of having.slice(0, mostCompleted)) put(compound, at);
    for (const [other, modifier] of typed.entries())
      if (other !== at)
        for (const compound of compounds.joining(modifier, word).slice(0, mostCompleted))
          put(compound, other, at);
  }
  return found;
}
