/**
 * What a query asks for: one slot a word, each with the terms that may fill it.
 *
 * A slot is filled by the word itself in any language of the index, else by a synonym, by the joined spelling of two words
 * (`note book` → notebook), or by the split one (notebook → `note book`, side by side). Codes and measures stay whole when
 * the index knows the whole, and fall apart when it does not.
 */
import { type Analyser, tokensOf } from '../analysis/analyser.ts';
import { hasDigit } from '../analysis/tokens.ts';
import type { TextIndex } from '../index/index.ts';
import { longestQuery, mostQueryWords } from '../settings.ts';
import type { Synonyms } from './synonyms.ts';

export type Alternative = {
  kind: 'word' | 'synonym' | 'joined' | 'split';
  /** One term, or several that must stand side by side in this order. */
  terms: readonly number[];
  /** What was looked for, as text. */
  text: string;
  /** 0…1: its worth beside the typed word's. */
  weight: number;
};

export type Slot = {
  /** The typed word, folded. */
  word: string;
  /** The better ones first; empty when the index knows none. */
  alternatives: Alternative[];
};

const worth = { word: 1, joined: 0.9, split: 0.8, synonym: 0.8 } as const;
const shortestSplit = 5;
const shortestPart = 2;
const rememberedSplits = 20_000;
/** Alternatives of a slot beyond these are not looked for. */
const mostAlternatives = 12;

export type SlotReader = {
  /** The words that count, folded: without stop words unless there are no others. */
  wordsOf(query: string): string[];
  slotsOf(words: readonly string[]): Slot[];
  /** Terms that the index holds for a word, over its languages. */
  termsOf(word: string): number[];
};

export type SlotReaderOptions = { index: TextIndex; analyser: Analyser; synonyms: Synonyms };

export function createSlotReader({ index, analyser, synonyms }: SlotReaderOptions): SlotReader {
  const splits = new Map<string, readonly number[]>();
  let splitWords = 0;

  const termsOf = (word: string): number[] => {
    const terms = new Set<number>();
    for (const language of index.words.languages) {
      const term = index.words.findTerm(index.analyserOf(language).termOf(word));
      if (term >= 0 && index.documentFrequency(term) > 0) terms.add(term);
    }
    return [...terms];
  };

  const add = (slot: Slot, kind: Alternative['kind'], terms: readonly number[], text: string): void => {
    if (slot.alternatives.length >= mostAlternatives) return;
    const isNew = slot.alternatives.every((one) => one.terms.join() !== terms.join());
    if (isNew) slot.alternatives.push({ kind, terms, text, weight: worth[kind] });
  };

  const addJoined = (slots: Slot[]): void => {
    for (let i = 0; i + 1 < slots.length; i++) {
      const joined = slots[i].word + slots[i + 1].word;
      for (const term of termsOf(joined)) {
        add(slots[i], 'joined', [term], joined);
        add(slots[i + 1], 'joined', [term], joined);
      }
    }
  };

  /** Places where a word falls into two words of the index, remembered until the index learns new words. */
  const splitsOf = (word: string): readonly number[] => {
    if (splitWords !== index.words.wordCount || splits.size >= rememberedSplits) splits.clear();
    splitWords = index.words.wordCount;
    const known = splits.get(word);
    if (known) return known;
    const places: number[] = [];
    for (let at = shortestPart; at <= word.length - shortestPart; at++)
      if (index.words.has(word.slice(0, at)) && index.words.has(word.slice(at))) places.push(at);
    splits.set(word, places);
    return places;
  };

  /** The split whose rarer part is the most common: `note|book` beats `not|ebook`. */
  const addSplit = (slot: Slot): void => {
    const { word } = slot;
    if (word.length < shortestSplit) return;
    let best: { terms: number[]; text: string; frequency: number } | undefined;
    for (const at of splitsOf(word)) {
      const parts = [word.slice(0, at), word.slice(at)];
      const terms = parts.map((part) => termsOf(part)[0]);
      if (terms.includes(undefined as never)) continue;
      const frequency = Math.min(...terms.map(index.documentFrequency));
      if (!best || frequency > best.frequency) best = { terms, text: parts.join(' '), frequency };
    }
    if (best) add(slot, 'split', best.terms, best.text);
  };

  const addSynonyms = (slots: Slot[], words: readonly string[]): void => {
    for (let start = 0; start < slots.length; start++) {
      for (let count = 1; count <= synonyms.longest && start + count <= slots.length; count++) {
        for (const phrase of synonyms.expansionsOf(words.slice(start, start + count))) {
          const terms = phrase.map((word) => termsOf(word)[0]);
          if (terms.includes(undefined as never)) continue;
          for (const slot of slots.slice(start, start + count)) add(slot, 'synonym', terms, phrase.join(' '));
        }
      }
    }
  };

  return {
    termsOf,
    wordsOf(query) {
      const tokens = tokensOf(query.slice(0, longestQuery), mostQueryWords * 2);
      const telling = tokens.filter(({ text }) => !analyser.isStopWord(text));
      const words = (telling.length > 0 ? telling : tokens).flatMap(({ text, parts }) =>
        parts && termsOf(text).length === 0 ? parts : [text],
      );
      return words.slice(0, mostQueryWords);
    },
    slotsOf(words) {
      const slots: Slot[] = words.map((word) => ({ word, alternatives: [] }));
      for (const slot of slots) for (const term of termsOf(slot.word)) add(slot, 'word', [term], slot.word);
      addSynonyms(slots, words);
      addJoined(slots);
      for (const slot of slots) if (!hasDigit(slot.word) || slot.alternatives.length === 0) addSplit(slot);
      return withoutRepeats(slots);
    },
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
