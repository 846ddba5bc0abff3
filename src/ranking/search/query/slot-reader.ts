/**
 * Reads a query into slots: one a word, each with the terms that fill it.
 *
 * A slot is filled by the word itself in any language of the index, by synonyms, by the joined
 * spelling of two or three words (`note book` → notebook), by the split one (notebook → `note
 * book`), by compounds that end with the word, or, for a code that the index does not know, by
 * codes that begin with it. Codes and measures stay whole when the index knows the whole.
 */
import { type Analyser, tokensOf } from '../analysis/analyser.ts';
import { joinSizes } from '../analysis/sizes.ts';
import type { Token } from '../analysis/tokens.ts';
import { measureOf } from '../analysis/units.ts';
import { longestQuery, mostQueryWords } from '../settings.ts';
import type { Pair, Slot } from '../slot.ts';
import { type AlternativesOptions, createAlternatives } from './alternatives.ts';

/** Queries of up to this many words open compounds; longer ones are prose and would cost milliseconds. */
const mostOpened = 8;
const gluedPattern = /^(\p{L}{4,})(\p{N}+)$/u;

export type SlotReader = ReturnType<typeof createSlotReader>;

export type SlotReaderOptions = Omit<AlternativesOptions, 'termsOf'> & { analyser: Analyser };

/**
 * Whether a word is a stop word of the default language, or of another that items are written in.
 * Stop words of other languages do not count when items in the default one have the word: `die` of
 * `Die Hard`.
 */
function createStopWords({ index, analyser }: SlotReaderOptions) {
  const isWritten = (word: string, language: string): boolean =>
    index.words.find(word).some((number) => index.words.languageAt(number) === language);
  return (word: string): boolean =>
    analyser.isStopWord(word) ||
    (!isWritten(word, analyser.language) &&
      index.words.languages.some((language) => index.analyserOf(language).isStopWord(word)));
}

export function createSlotReader(options: SlotReaderOptions) {
  const { index } = options;

  /** Returns the terms of a word that items have, over all languages. */
  const termsOf = (word: string): number[] => {
    const terms: number[] = [];
    for (const language of index.words.languages) {
      const term = index.words.findTerm(index.analyserOf(language).termOf(word));
      if (term >= 0 && index.documentFrequency(term) > 0 && !terms.includes(term)) terms.push(term);
    }
    return terms;
  };

  const isStopWord = createStopWords(options);
  const alternatives = createAlternatives({ ...options, termsOf });

  const cut = (query: string): readonly Token[] =>
    joinLetters(joinSizes(tokensOf(query.slice(0, longestQuery), mostQueryWords * 2), alternatives.isWhole));

  /** Joins a letter that is a stop word with the next word, where items have them as one: `i phone`. */
  const joinLetters = (tokens: readonly Token[]): readonly Token[] => {
    const isLoose = ({ text }: Token): boolean => /^(?!a)\p{L}$/u.test(text) && isStopWord(text);
    const at = tokens.findIndex(
      (token, i) =>
        isLoose(token) && i + 1 < tokens.length && termsOf(token.text + tokens[i + 1].text).length > 0,
    );
    return at < 0 ? tokens : tokens.toSpliced(at, 2, { text: tokens[at].text + tokens[at + 1].text });
  };

  /** Returns a known word and the number glued to it, unless an item has both side by side: `airpods2`. */
  const partsOfGlued = (text: string): string[] => {
    const [, word, number] = gluedPattern.exec(text) ?? [];
    return word && termsOf(word).length > 0 && !alternatives.isSplit(text) ? [word, number] : [text];
  };

  return {
    termsOf,
    isStopWord,
    cut,
    /** Returns the words that count, folded: without stop words unless there are no others. */
    wordsOf(tokens: readonly Token[]): string[] {
      const telling = tokens.filter(({ text }) => !isStopWord(text));
      const asked = telling.length > 0 ? telling : tokens;
      const words = asked.flatMap(({ text, parts }) => {
        if (alternatives.isWhole(text)) return [text];
        if (!parts) return partsOfGlued(text);
        // The number of a measure that no item has may be a size; its unit is no word.
        if (measureOf(text)) return asked.length > 1 ? parts.slice(0, 1) : [text];
        return parts;
      });
      return words.slice(0, mostQueryWords);
    },
    slotsOf(words: readonly string[]): Slot[] {
      const slots: Slot[] = words.map((word) => ({ word, alternatives: [] }));
      for (const slot of slots) alternatives.addWord(slot);
      alternatives.addSynonyms(slots, words);
      alternatives.addJoined(slots, words);
      for (const slot of slots) alternatives.addForms(slot, slots.length <= mostOpened);
      return withoutRepeats(slots);
    },
    /** Adds to slots what was typed beside their words. */
    inCompany: (slots: readonly Slot[], tokens: readonly Token[]): Slot[] =>
      inCompany(
        slots,
        tokens.map(({ text }) => text),
      ),
    guess: alternatives.guess,
    isBeginning: alternatives.isBeginning,
  };
}

/** Drops repeated words. */
function withoutRepeats(slots: Slot[]): Slot[] {
  const seen = new Set<string>();
  return slots.filter(({ word, alternatives }) => {
    const key = alternatives.length > 0 ? alternatives[0].terms.join() : word;
    return !seen.has(key) && seen.add(key);
  });
}

/** Longer queries are prose; their word pairs do not count. */
const mostTyped = 8;

/** Adds to slots the typed pairs that contain a word that is no slot. */
export function inCompany(slots: readonly Slot[], typed: readonly string[]): Slot[] {
  if (typed.length < 2 || typed.length > mostTyped || typed.length === slots.length) return [...slots];
  const asked = new Set(slots.map(({ word }) => word));
  const seen = new Set<string>();
  // A repeated word counts once, so its repetition is company of its neighbours.
  const isLookedFor = typed.map((word) => {
    const isFirst = asked.has(word) && !seen.has(word);
    seen.add(word);
    return isFirst;
  });
  return slots.map((slot) => ({ ...slot, company: companyOf(slot.word, typed, isLookedFor) }));
}

function companyOf(word: string, typed: readonly string[], isLookedFor: readonly boolean[]): Pair[] {
  const pairs: Pair[] = [];
  for (let at = 0; at + 1 < typed.length; at++) {
    const pair: Pair = [typed[at], typed[at + 1]];
    if (pair.includes(word) && !(isLookedFor[at] && isLookedFor[at + 1])) pairs.push(pair);
  }
  return pairs;
}
