/**
 * What a query asks for: one slot a word, each with the terms that may fill it.
 *
 * A slot is filled by the word itself in any language of the index, else by a synonym, by the joined spelling of two or three
 * words (`note book` → notebook), by the split one (notebook → `note book`), by compounds that end with the word, or, when it is
 * a code that the index does not know, by codes that begin with it. Codes and measures stay whole when the index knows the
 * whole, and fall apart when it does not.
 */
import { type Analyser, tokensOf } from '../analysis/analyser.ts';
import { joinSizes } from '../analysis/sizes.ts';
import type { Token } from '../analysis/tokens.ts';
import { longestQuery, mostQueryWords } from '../settings.ts';
import type { Pair, Slot } from '../slot.ts';
import { type AlternativesOptions, createAlternatives } from './alternatives.ts';

/** Words of a query up to which compounds are opened; a longer one is prose and would cost milliseconds. */
const mostOpened = 8;

export type SlotReader = {
  /** The words that count, folded: without stop words unless there are no others. */
  wordsOf(query: string): string[];
  slotsOf(words: readonly string[]): Slot[];
  /** The slots with what was typed beside their words. */
  inCompany(slots: readonly Slot[], query: string): Slot[];
  /** Whether a word tells nothing in the default language, or in another that items are written in. */
  isStopWord(word: string): boolean;
  /** Terms that the index holds for a word, over its languages. */
  termsOf(word: string): number[];
  /** Fills a slot that nothing stands for with whatever compounds end with the word. */
  guess(slot: Slot): void;
};

export type SlotReaderOptions = Omit<AlternativesOptions, 'termsOf'> & { analyser: Analyser };

export function createSlotReader(options: SlotReaderOptions): SlotReader {
  const { index, analyser } = options;

  let lastQuery = '';
  let lastTokens: Token[] = [];

  /** One query is cut once, though its words and their company are asked for one after the other. */
  const tokensOfQuery = (query: string): readonly Token[] => {
    if (query !== lastQuery) lastTokens = tokensOf(query.slice(0, longestQuery), mostQueryWords * 2);
    lastQuery = query;
    return lastTokens;
  };

  const termsOf = (word: string): number[] => {
    const terms = new Set<number>();
    for (const language of index.words.languages) {
      const term = index.words.findTerm(index.analyserOf(language).termOf(word));
      if (term >= 0 && index.documentFrequency(term) > 0) terms.add(term);
    }
    return [...terms];
  };

  const isWritten = (word: string, language: string): boolean =>
    index.words
      .find(word)
      .some((number) => index.words.languages[index.words.languagesOfWords()[number]] === language);

  /** Those of other languages count unless items in the default one have the word: `die` of `Die Hard`. */
  const isStopWord = (word: string): boolean =>
    analyser.isStopWord(word) ||
    (!isWritten(word, analyser.language) &&
      index.words.languages.some((language) => index.analyserOf(language).isStopWord(word)));

  const alternatives = createAlternatives({ ...options, termsOf });

  const cut = (query: string): readonly Token[] => joinSizes(tokensOfQuery(query), alternatives.isWhole);

  return {
    termsOf,
    isStopWord,
    wordsOf(query) {
      const tokens = cut(query);
      const telling = tokens.filter(({ text }) => !isStopWord(text));
      const words = (telling.length > 0 ? telling : tokens).flatMap(({ text, parts }) =>
        parts && !alternatives.isWhole(text) ? parts : [text],
      );
      return words.slice(0, mostQueryWords);
    },
    slotsOf(words) {
      const slots: Slot[] = words.map((word) => ({ word, alternatives: [] }));
      for (const slot of slots) alternatives.addWord(slot);
      alternatives.addSynonyms(slots, words);
      alternatives.addJoined(slots, words);
      for (const slot of slots) alternatives.addForms(slot, slots.length <= mostOpened);
      return withoutRepeats(slots);
    },
    inCompany: (slots, query) =>
      inCompany(
        slots,
        cut(query).map(({ text }) => text),
      ),
    guess: alternatives.guess,
  };
}

/** A word typed twice counts once. */
function withoutRepeats(slots: Slot[]): Slot[] {
  const seen = new Set<string>();
  return slots.filter(({ word, alternatives }) => {
    const key = alternatives.length > 0 ? alternatives[0].terms.join() : word;
    return !seen.has(key) && seen.add(key);
  });
}

/** Words typed up to which what stands beside a word is asked for; a longer query is prose. */
const mostTyped = 8;

/** The slots with what was typed beside their words. */
export function inCompany(slots: readonly Slot[], typed: readonly string[]): Slot[] {
  if (typed.length < 2 || typed.length > mostTyped || typed.length === slots.length) return [...slots];
  const asked = new Set(slots.map(({ word }) => word));
  const seen = new Set<string>();
  // A word said before counts once, so its second saying is company to what stands beside it.
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
