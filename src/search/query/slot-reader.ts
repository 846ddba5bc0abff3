/**
 * What a query asks for: one slot a word, each with the terms that may fill it.
 *
 * A slot is filled by the word itself in any language of the index, else by a synonym, by the joined spelling of two or three
 * words (`note book` → notebook), by the split one (notebook → `note book`), by compounds that end with the word, or, when it is
 * a code that the index does not know, by codes that begin with it. Codes and measures stay whole when the index knows the
 * whole, and fall apart when it does not.
 */
import { type Analyser, tokensOf } from '../analysis/analyser.ts';
import { hasDigit, type Token } from '../analysis/tokens.ts';
import type { SortedWords } from '../correction/sorted-words.ts';
import type { TextIndex } from '../index/index.ts';
import { longestQuery, mostQueryWords } from '../settings.ts';
import { type Alternative, type Pair, type Slot, worth } from '../slot.ts';
import { codesWith } from '../spelling/codes.ts';
import type { Compounds } from '../spelling/compounds.ts';
import { joinsOf } from '../spelling/joins.ts';
import type { Measures } from '../spelling/measures.ts';
import { createSplitter } from '../spelling/splits.ts';
import type { Synonyms } from '../spelling/synonyms.ts';

/** Words of a query up to which compounds are opened; a longer one is prose and would cost milliseconds. */
const mostOpened = 8;
/** Alternatives of a slot beyond these are not looked for. */
const mostAlternatives = 12;

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

export type SlotReaderOptions = {
  index: TextIndex;
  analyser: Analyser;
  synonyms: Synonyms;
  compounds: Compounds;
  measures: Measures;
  sortedWords: Pick<SortedWords, 'lists'>;
};

export function createSlotReader(options: SlotReaderOptions): SlotReader {
  const { index, analyser, synonyms, compounds, measures, sortedWords } = options;

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

  const splitter = createSplitter({ index, compounds, termsOf });

  const codesOf = (word: string): number[] =>
    codesWith(word, { sortedWords, words: index.words }).filter((term) => index.documentFrequency(term) > 0);

  const nearTo = (word: string): number[] =>
    measures.near(word).filter((term) => index.documentFrequency(term) > 0);

  const add = (
    slot: Slot,
    kind: Alternative['kind'],
    found: Pick<Alternative, 'terms' | 'text' | 'match'>,
  ) => {
    if (slot.alternatives.length >= mostAlternatives) return;
    const isNew = slot.alternatives.every((one) => one.terms.join() !== found.terms.join());
    if (isNew) slot.alternatives.push({ kind, ...found, weight: worth[kind] });
  };

  const addAny = (slot: Slot, kind: Alternative['kind'], terms: readonly number[], text: string): void => {
    if (terms.length > 0) add(slot, kind, { terms, text, match: 'any' });
  };

  const addSynonyms = (slots: Slot[], words: readonly string[]): void => {
    for (let start = 0; start < slots.length; start++) {
      for (let count = 1; count <= synonyms.longest && start + count <= slots.length; count++) {
        for (const phrase of synonyms.expansionsOf(words.slice(start, start + count))) {
          const terms = phrase.map((word) => termsOf(word)[0]);
          if (terms.includes(undefined as never)) continue;
          const text = phrase.join(' ');
          for (const slot of slots.slice(start, start + count))
            add(slot, 'synonym', { terms, text, match: 'phrase' });
        }
      }
    }
  };

  const addJoined = (slots: Slot[], words: readonly string[]): void => {
    for (const { start, count, text, term } of joinsOf(words, { compounds, termsOf }))
      for (const slot of slots.slice(start, start + count))
        add(slot, 'joined', { terms: [term], text, match: 'phrase' });
  };

  /** A word that the catalogue has in convincing compounds alone is a word: then the others are taken, too. */
  const compoundsOf = ({ word, alternatives }: Slot): number[] => {
    const convincing = compounds.headedBy(word);
    return alternatives.length === 0 && convincing.length > 0 ? compounds.headedBy(word, true) : convincing;
  };

  /** @param isShort whether compounds are opened */
  const addForms = (slot: Slot, isShort: boolean): void => {
    const { word, alternatives } = slot;
    const isCode = hasDigit(word);
    if (isCode && alternatives.length > 0) return;
    const split = splitter.sideBySide(word);
    if (split) add(slot, 'split', split);
    if (isCode && alternatives.length === 0) addAny(slot, 'code', codesOf(word), `${word}…`);
    if (isCode && alternatives.length === 0) addAny(slot, 'near', nearTo(word), `~${word}`);
    if (isCode || !isShort) return;
    const apart = splitter.apart(word);
    if (apart) add(slot, 'apart', apart);
    addAny(slot, 'compound', compoundsOf(slot), `…${word}`);
  };

  return {
    termsOf,
    isStopWord,
    wordsOf(query) {
      const tokens = tokensOfQuery(query);
      const telling = tokens.filter(({ text }) => !isStopWord(text));
      const words = (telling.length > 0 ? telling : tokens).flatMap(({ text, parts }) =>
        parts && [termsOf, codesOf, nearTo].every((find) => find(text).length === 0) ? parts : [text],
      );
      return words.slice(0, mostQueryWords);
    },
    slotsOf(words) {
      const slots: Slot[] = words.map((word) => ({ word, alternatives: [] }));
      for (const slot of slots)
        for (const term of termsOf(slot.word))
          add(slot, 'word', { terms: [term], text: slot.word, match: 'phrase' });
      addSynonyms(slots, words);
      addJoined(slots, words);
      for (const slot of slots) addForms(slot, slots.length <= mostOpened);
      return withoutRepeats(slots);
    },
    inCompany(slots, query) {
      const typed = tokensOfQuery(query).map(({ text }) => text);
      if (typed.length < 2 || typed.length > mostOpened || typed.length === slots.length) return [...slots];
      const asked = new Set(slots.map(({ word }) => word));
      const seen = new Set<string>();
      // A word said before counts once, so its second saying is company to what stands beside it.
      const isLookedFor = typed.map((word) => {
        const isFirst = asked.has(word) && !seen.has(word);
        seen.add(word);
        return isFirst;
      });
      return slots.map((slot) => ({ ...slot, company: companyOf(slot.word, typed, isLookedFor) }));
    },
    guess: (slot) => addAny(slot, 'compound', compounds.headedBy(slot.word, true), `…${slot.word}`),
  };
}

function companyOf(word: string, typed: readonly string[], isLookedFor: readonly boolean[]): Pair[] {
  const pairs: Pair[] = [];
  for (let at = 0; at + 1 < typed.length; at++) {
    const pair: Pair = [typed[at], typed[at + 1]];
    if (pair.includes(word) && !(isLookedFor[at] && isLookedFor[at + 1])) pairs.push(pair);
  }
  return pairs;
}

/** A word typed twice counts once. */
function withoutRepeats(slots: Slot[]): Slot[] {
  const seen = new Set<string>();
  return slots.filter(({ word, alternatives }) => {
    const key = alternatives.length > 0 ? alternatives[0].terms.join() : word;
    return !seen.has(key) && seen.add(key);
  });
}
