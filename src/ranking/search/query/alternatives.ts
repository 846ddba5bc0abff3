/** Alternatives of a word of a query: synonyms, other spellings, compounds, codes and near measures. */

import { otherNumbers } from '../analysis/numbers.ts';
import { hasDigit } from '../analysis/tokens.ts';
import type { SortedWords } from '../correction/sorted-words.ts';
import { codesWith, type Measures, wordsWith } from '../expansion/codes-and-measures.ts';
import type { Compounds, CompoundWords } from '../expansion/compounds.ts';
import { createSplitter, joinsOf } from '../expansion/splits.ts';
import type { Phrase, Synonyms } from '../expansion/synonyms.ts';
import type { TextIndex } from '../index/index.ts';
import { type Alternative, type Slot, worth } from '../slot.ts';

/** Letters of a typed beginning, and words with it that are looked up. */
const shortestPrefix = 3;
const mostBegun = 50;
/** Maximum alternatives of a slot: room for a synonym of the most words, and other spellings. */
const mostAlternatives = 32;

export type AlternativesOptions = {
  index: TextIndex;
  synonyms: Synonyms;
  compounds: Compounds;
  measures: Measures;
  sortedWords: Pick<SortedWords, 'lists'>;
  /** Returns the terms of a word that items have, over all languages. */
  termsOf: (word: string) => number[];
};

function add(
  slot: Slot,
  kind: Alternative['kind'],
  found: Pick<Alternative, 'terms' | 'text' | 'match'>,
): void {
  if (slot.alternatives.length >= mostAlternatives) return;
  const isNew = slot.alternatives.every((one) => one.terms.join() !== found.terms.join());
  if (isNew) slot.alternatives.push({ kind, ...found, weight: worth[kind] });
}

function addAny(slot: Slot, kind: Alternative['kind'], terms: readonly number[], text: string): void {
  if (terms.length > 0) add(slot, kind, { terms, text, match: 'any' });
}

/** Returns the terms of words that begin with a word. */
function begunBy(word: string, { index, sortedWords, termsOf }: AlternativesOptions): number[] {
  if (hasDigit(word)) return [];
  const plain = index.words.languages.map((language) => index.analyserOf(language).plainOf(word));
  const beginnings = [...new Set([word, ...plain])].filter(({ length }) => length >= shortestPrefix);
  const found = beginnings.flatMap((beginning) => wordsWith(beginning, sortedWords, mostBegun));
  return [...new Set(found.flatMap(termsOf))];
}

function addCompounds(slot: Slot, { headed, others }: CompoundWords, { words }: TextIndex): void {
  const termsIn = (found: readonly number[]): number[] => [...new Set(found.map(words.termAt))];
  addAny(slot, 'compound', termsIn(headed), `…${slot.word}`);
  if (others.length > 0) add(slot, 'part', { terms: termsIn(others), match: 'part', text: `${slot.word}…` });
}

/**
 * Returns the compounds of a word. When the catalogue has the word only in convincing compounds, the
 * others count too. Likely parts do not make a word known, so that it can be corrected.
 */
function compoundsOf({ word, alternatives }: Slot, compounds: Compounds): CompoundWords {
  const sure = compounds.of(word);
  if (alternatives.length === 0 && sure.headed.length === 0) return sure;
  const all = compounds.of(word, true);
  return alternatives.length > 0 ? { headed: sure.headed, others: all.others } : all;
}

export function createAlternatives(options: AlternativesOptions) {
  const { index, synonyms, compounds, measures, sortedWords, termsOf } = options;
  const splitter = createSplitter({ index, compounds, termsOf });

  const foundIn = (terms: number[]): number[] => terms.filter((term) => index.documentFrequency(term) > 0);
  const codesOf = (word: string) => foundIn(codesWith(word, { sortedWords, words: index.words }));
  const nearTo = (word: string) => foundIn([...measures.equalTo(word), ...measures.near(word)]);

  /** Returns the words of a phrase; codes and measures in parts where the index does not know the whole. */
  const wordsOf = (phrase: Phrase): string[] =>
    phrase.flatMap(({ text, parts }) => (parts && termsOf(text).length === 0 ? parts : [text]));

  return {
    addWord(slot: Slot): void {
      const { word } = slot;
      for (const term of [...termsOf(word), ...foundIn(measures.equalTo(word))])
        add(slot, 'word', { terms: [term], text: word, match: 'phrase' });
      for (const number of otherNumbers(word))
        for (const term of termsOf(number))
          add(slot, 'synonym', { terms: [term], text: number, match: 'phrase' });
    },
    addSynonyms(slots: Slot[], words: readonly string[]): void {
      for (let start = 0; start < slots.length; start++) {
        for (let count = 1; count <= synonyms.longest && start + count <= slots.length; count++) {
          for (const phrase of synonyms.expansionsOf(words.slice(start, start + count))) {
            const meant = wordsOf(phrase);
            const terms = meant.map((word) => termsOf(word)[0]);
            if (terms.includes(undefined as never)) continue;
            const text = meant.join(' ');
            for (const slot of slots.slice(start, start + count))
              add(slot, 'synonym', { terms, text, match: 'phrase' });
          }
        }
      }
    },

    addJoined(slots: Slot[], words: readonly string[]): void {
      for (const { places, text, term } of joinsOf(words, { words: index.words, compounds, termsOf }))
        for (const place of places) add(slots[place], 'joined', { terms: [term], text, match: 'phrase' });
    },

    /** @param isShort whether compounds are opened */
    addForms(slot: Slot, isShort: boolean): void {
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
      addCompounds(slot, compoundsOf(slot, compounds), index);
    },

    /** Fills an empty slot with any compounds that have the word, and words that begin with it. */
    guess(slot: Slot): void {
      addCompounds(slot, compounds.of(slot.word, true), index);
      addAny(slot, 'prefix', begunBy(slot.word, options), `${slot.word}…`);
    },
    /** Whether a known word begins with the word. */
    isBeginning: (word: string): boolean => begunBy(word, options).length > 0,
    /** Whether the index knows a code or measure as one word. */
    isWhole: (word: string): boolean => [termsOf, codesOf, nearTo].some((find) => find(word).length > 0),
    /** Whether an item has the parts of the word side by side. */
    isSplit: (word: string): boolean => splitter.sideBySide(word) !== undefined,
  };
}
