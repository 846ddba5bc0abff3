/** Understands a typed query: words, corrections, slots. */

import { tokensOf } from '../analysis/analyser.ts';
import { fold } from '../analysis/fold.ts';
import { createCorrector } from '../correction/corrector.ts';
import type { SortedWords } from '../correction/sorted-words.ts';
import type { TextIndex } from '../index/index.ts';
import { longestQuery } from '../settings.ts';
import type { Slot } from '../slot.ts';
import { createRepairer, leftAlone, type Repair } from './repairs.ts';
import type { SlotReader } from './slot-reader.ts';

export type UnderstoodQuery = {
  /** The corrected query, or the typed one. */
  query: string;
  /** Slots of the known words. */
  slots: Slot[];
  /** The unknown words. */
  dropped: string[];
  corrections: { from: string; to: string }[];
};

/** @param ignored a part of the query that is not searched */
export type Understand = (query: string, autocorrect: boolean, ignored?: string) => UnderstoodQuery;

/** E-mail addresses, links, and codes of capitals such as `ABX-QK`. */
const codePattern = /\S*(?:@|:\/\/|www\.)\S*|[\p{L}\d-]+\.\p{L}{2,}(?:\/\S*)?|[A-Z\d]+(?:[-_/.][A-Z\d]+)+/gu;

function wordsOfCodes(typed: string): string[] {
  const codes = typed.match(codePattern) ?? [];
  return codes.flatMap((code) => tokensOf(code).flatMap(({ text, parts = [] }) => [text, ...parts]));
}

const isKnown = ({ alternatives }: Slot): boolean => alternatives.length > 0;

export type UnderstandingOptions = {
  index: TextIndex;
  reader: SlotReader;
  sortedWords: SortedWords;
  /** Returns the successful searches by folded word. */
  usage: () => ReadonlyMap<string, number>;
};

export function createUnderstanding({ index, reader, sortedWords, usage }: UnderstandingOptions): Understand {
  const { termsOf } = reader;
  const frequencyOf = (word: string): number => {
    const holders = termsOf(word).reduce((sum, term) => sum + index.documentFrequency(term), 0);
    return holders > 0 ? holders + (usage().get(word) ?? 0) : 0;
  };
  const corrector = createCorrector({ words: sortedWords, frequencyOf });
  const repairer = createRepairer({ index, corrector, termsOf });

  /** Repairs unknown words; a query of known words stays as it is. */
  const repairsOf = (slots: readonly Slot[], typed: string): Repair[] => {
    // `teh matrix` means the matrix; but a query of unknown words alone does not mean stop words.
    const mayBeStopWord = slots.some(isKnown);
    const fixed = new Set(wordsOfCodes(typed));
    const leastOf = (word: string, isLast: boolean): number => {
      if (fixed.has(word)) return leftAlone.always;
      if (!reader.isBeginning(word)) return leftAlone.usually;
      return isLast ? leftAlone.always : leftAlone.asBeginning;
    };
    const asked = slots.map((slot, at) => ({
      word: slot.word,
      terms: slot.alternatives.flatMap(({ terms }) => terms),
      least: isKnown(slot) ? undefined : leastOf(slot.word, at === slots.length - 1),
    }));
    return repairer(asked, (word) => mayBeStopWord || !reader.isStopWord(word));
  };

  /**
   * Returns the text with its repairs; made from its words alone when one of them is only a part of
   * a typed run.
   */
  const repaired = (query: string, words: readonly string[], repairs: readonly Repair[]): string =>
    replaceWords(query, repairs) ?? replaceWords(words.join(' '), repairs) ?? query;

  return (typed, autocorrect, ignored = '') => {
    const asTyped = typed.slice(0, longestQuery);
    const cut = (query: string) => reader.cut(ignored === '' ? query : query.replace(ignored, ' '));
    let tokens = cut(asTyped);
    const words = reader.wordsOf(tokens);
    const slots = reader.slotsOf(words);
    const repairs = autocorrect && !slots.every(isKnown) ? repairsOf(slots, asTyped) : [];
    const query = repairs.length > 0 ? repaired(asTyped, words, repairs) : asTyped;
    if (repairs.length > 0) tokens = cut(query);
    const used = repairs.length > 0 ? reader.slotsOf(reader.wordsOf(tokens)) : slots;
    for (const slot of used) if (!isKnown(slot)) reader.guess(slot);
    return {
      query,
      slots: reader.inCompany(used.filter(isKnown), tokens),
      dropped: used.filter((slot) => !isKnown(slot)).map(({ word }) => word),
      corrections: repairs.map(({ from, to }) => ({ from: from.join(' '), to: to.join(' ') })),
    };
  };
}

const runPattern = /[\p{L}\p{M}\p{N}]+/gu;

/** Returns the word in the case of the typed one: all capitals, or the first. */
function inCaseOf(typed: string, word: string): string {
  const upper = typed.toUpperCase();
  if (typed.length > 1 && typed === upper && typed !== typed.toLowerCase()) return word.toUpperCase();
  return typed[0] === upper[0] ? word[0].toUpperCase() + word.slice(1) : word;
}

/**
 * Returns the text with repaired words, the rest as typed; undefined when a word is only a part of
 * a typed run.
 */
function replaceWords(text: string, repairs: readonly Repair[]): string | undefined {
  const runs = [...text.matchAll(runPattern)].map((match) => ({ text: match[0], at: match.index }));
  const folded = runs.map((run) => fold(run.text));
  let replaced = '';
  let copied = 0;
  const left = new Set(repairs);
  for (let i = 0; i < runs.length; i++) {
    const repair = repairs.find(({ from }) => from.every((word, k) => folded[i + k] === word));
    if (!repair) continue;
    left.delete(repair);
    const last = runs[i + repair.from.length - 1];
    const meant = repair.to.join(' ');
    replaced += text.slice(copied, runs[i].at) + inCaseOf(runs[i].text, meant);
    copied = last.at + last.text.length;
    i += repair.from.length - 1;
  }
  return left.size > 0 ? undefined : replaced + text.slice(copied);
}
