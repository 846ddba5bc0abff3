/**
 * Repairs the unknown words of a query: replaces a word, cuts one in two, joins two, or leaves them
 * alone.
 *
 * All options are weighed in one noisy channel. A candidate gains by the items that it shares with
 * other words of the query, and is dropped when it shares none: leaving a word alone costs less
 * than hits that have nothing to do with the rest.
 */

import { type Candidate, type Corrector, frequencyWeight } from '../correction/corrector.ts';
import type { TextIndex } from '../index/index.ts';
import { countDocuments, sharedDocuments } from '../scoring/postings.ts';

/** Typed words, folded, and their replacement: several words where one was cut. */
export type Repair = { from: readonly string[]; to: readonly string[] };

/** A word of the query, and what is known of it. */
export type QueryWord = {
  word: string;
  /** Terms that fill it. */
  terms: readonly number[];
  /** Score that a repair must exceed; absent for a known word. */
  least?: number;
};

export type Repairer = (asked: readonly QueryWord[], admits: (word: string) => boolean) => Repair[];

export type RepairerOptions = {
  index: TextIndex;
  corrector: Corrector;
  termsOf: (word: string) => number[];
};

/** Words of a query that are repaired; each costs walks over the vocabulary. */
const mostRepaired = 6;
/**
 * Scores of leaving a word alone, in nats. Usually: of foreign words two thirds stay, of misspelt
 * ones one in a hundred. The beginning of a known word may be all that was meant.
 */
export const leftAlone = { usually: -5.5, asBeginning: -1, always: Number.POSITIVE_INFINITY };
/** Weight of the logarithm of the shared items. */
const contextWeight = 0.5;
/** Cost of a missing or additional space. */
const spaceCost = 2;
/** With a candidate of a higher score, cuts are not tried, as they take several walks. */
const likelyEnough = -1;
const shortestCut = 6;
const shortestPart = 3;
const mostCuts = 4;

type Option = Repair & { score: number };

/** Returns an option with its gain by context, or none. */
type Weighing = (option: Option, others: readonly QueryWord[]) => Option[];

function createWeighing({ index, termsOf }: RepairerOptions): Weighing {
  /** Returns the gain by context; undefined when the terms share no item with any other word. */
  const contextOf = (terms: readonly number[], others: readonly QueryWord[]): number | undefined => {
    if (others.length === 0) return 0;
    const shared = others.reduce(
      (most, other) => Math.max(most, sharedDocuments(index, terms, other.terms)),
      0,
    );
    return shared === 0 ? undefined : contextWeight * Math.log1p(shared);
  };

  return (option: Option, others: readonly QueryWord[]): Option[] => {
    const gains = option.to.map((word) => contextOf(termsOf(word), others));
    if (gains.includes(undefined)) return [];
    return [{ ...option, score: option.score + Math.max(...(gains as number[])) }];
  };
}

/**
 * Returns cuts of a word in two: one part as it is and the other with one error, side by side in
 * some item.
 */
function createCutter({ index, corrector, termsOf }: RepairerOptions): (word: string) => Option[] {
  const cutOf = (word: string, to: string[], { score, frequency }: Candidate): Option[] => {
    const phrases = countDocuments(index, { terms: to.map((part) => termsOf(part)[0]), match: 'phrase' });
    if (phrases === 0) return [];
    const rarity = frequencyWeight * (Math.log1p(phrases) - Math.log1p(frequency));
    return [{ from: [word], to, score: score + rarity - spaceCost }];
  };

  return (word) => {
    if (word.length < shortestCut) return [];
    const cuts: Option[] = [];
    for (let at = shortestPart, walks = 0; at <= word.length - shortestPart && walks < mostCuts; at++) {
      const parts = [word.slice(0, at), word.slice(at)];
      const known = parts.map((part) => termsOf(part)[0]);
      const strange = known.indexOf(undefined as never);
      if (strange < 0 || known[1 - strange] === undefined) continue;
      walks += 1;
      for (const candidate of corrector.candidates(parts[strange]).filter(({ distance }) => distance === 1))
        cuts.push(...cutOf(word, parts.with(strange, candidate.word), candidate));
    }
    return cuts;
  };
}

export function createRepairer(options: RepairerOptions): Repairer {
  const { corrector } = options;
  const weighed = createWeighing(options);
  const cutsOf = createCutter(options);

  const optionsOf = (
    word: string,
    others: readonly QueryWord[],
    admits: (word: string) => boolean,
  ): Option[] => {
    const found = corrector
      .candidates(word)
      .filter((candidate) => admits(candidate.word))
      .flatMap(({ word: meant, score }) => weighed({ from: [word], to: [meant], score }, others));
    if (found.some(({ score }) => score > likelyEnough)) return found;
    return [...found, ...cutsOf(word).flatMap((cut) => weighed(cut, others))];
  };

  const best = (options: readonly Option[], least: number): Option | undefined =>
    options
      .filter(({ score }) => score > least)
      .reduce<Option | undefined>((most, one) => (most && most.score >= one.score ? most : one), undefined);

  /** Returns two unknown words as one. */
  const joinOf = (pair: readonly QueryWord[], others: readonly QueryWord[]): Option | undefined => {
    const from = pair.map(({ word }) => word);
    const candidates = corrector.candidates(from.join(''), 1);
    const options = candidates.map(({ word, score }) => ({ from, to: [word], score: score - spaceCost }));
    const least = Math.max(...pair.map((one) => one.least ?? leftAlone.always));
    return best(
      options.flatMap((option) => weighed(option, others)),
      least,
    );
  };

  return (asked, admits) => {
    const repairs: Repair[] = [];
    const isStrange = (one: QueryWord | undefined): boolean => (one?.least ?? Infinity) < Infinity;
    const known = asked.filter(({ least }) => least === undefined);
    for (let at = 0, tried = 0; at < asked.length && tried < mostRepaired; at++) {
      if (!isStrange(asked[at])) continue;
      tried += 1;
      const alone = best(optionsOf(asked[at].word, known, admits), asked[at].least!);
      const pair = isStrange(asked[at + 1]) ? asked.slice(at, at + 2) : [];
      const joined = !alone && pair.length > 0 ? joinOf(pair, known) : undefined;
      const chosen = alone ?? joined;
      if (chosen) repairs.push({ from: chosen.from, to: chosen.to });
      if (joined) at += 1;
    }
    return repairs;
  };
}
