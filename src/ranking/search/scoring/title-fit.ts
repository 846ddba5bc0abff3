/**
 * How well a title fits the words of a query, as a factor of the whole text score, so that its
 * parts still add up.
 *
 * - As typed: for `aliens`, Aliens fits better than Alien, though both have one term.
 * - As what is sold: a title with a word only after `for` or `with`, or before the name of another
 *   kind (`laptop case`), sells an accessory. A title with the word twice as its head is surer to
 *   sell it.
 */
import type { TextIndex } from '../index/index.ts';
import { wordMarks } from '../index/kinds.ts';
import type { Title } from '../index/streams.ts';
import { firstSlot, type Slot, type SlotsOfTerms } from '../slot.ts';

/** Gain of a title with all words as typed; flat from 0.1 to 0.3 on product titles and on abstracts. */
const typedShare = 0.15;
/** Loss of a title with all words after a relation word, or before another kind; flat from 0.2 to 0.5. */
const relatedShare = 0.3;
const modifierShare = 0.3;
/** Gain of a title that names all words twice as its head. */
const repeatedShare = 0.1;

/**
 * Gain of a title that keeps every word beside its typed neighbour, where that neighbour is not a
 * slot: `dr who`.
 */
const companyShare = 0.3;

export type Fit = {
  /** Factor of the text score. */
  factor: number;
  /** False when a word of the query only names what the item is an accessory of. */
  isSold: boolean;
};

/**
 * Mentions of a slot's word in a title: as typed, at all, before any relation word, as a head, and
 * as a head that is sold.
 */
type Mentions = { typed: number; said: number; unrelated: number; asHead: number; asSold: number };

function isLost({ unrelated, asHead }: Mentions): boolean {
  return unrelated === 0 || asHead === 0;
}

/** Fit of a title without a word of the query. */
const unsaid: Fit = { factor: 1, isSold: true };

/** Tests whether a kind is named at a place of a title, or after one other word at the end of a phrase. */
function createKindReader({
  kinds,
  words,
}: TextIndex): (values: Int32Array, at: number, end: number) => boolean {
  const marks = kinds.marks();
  const terms = words.termsOfWords();
  const isEnd = (values: Int32Array, at: number, end: number): boolean =>
    at >= end || (marks[values[at]] & (wordMarks.relation | wordMarks.figure)) !== 0;
  const isKind = (values: Int32Array, at: number, end: number): boolean =>
    !isEnd(values, at, end) && kinds.isKind(terms[values[at]]);
  return (values, at, end) =>
    isKind(values, at, end) ||
    (!isEnd(values, at, end) && isKind(values, at + 1, end) && isEnd(values, at + 2, end));
}

/** Returns the share of pairs, each word in its forms, that a title has side by side. */
function shareKept(pairs: readonly (readonly number[])[][], { values, start, end }: Title): number {
  if (pairs.length === 0) return 0;
  let kept = 0;
  for (const [first, second] of pairs) {
    let at = start;
    while (at + 1 < end && !(first.includes(values[at]) && second.includes(values[at + 1]))) at += 1;
    if (at + 1 < end) kept += 1;
  }
  return kept / pairs.length;
}

/** @param kept share of the pairs; a title that keeps a word's neighbour is exempt from the losses */
function gainOf({ typed, unrelated, asHead, asSold }: Mentions, kept: number): number {
  const lost = (unrelated === 0 ? relatedShare : 0) + (asHead === 0 ? modifierShare : 0);
  const gained = typedShare * typed + (asSold > 1 ? repeatedShare : 0);
  return kept > 0 ? gained + companyShare * kept : gained - lost;
}

export function createTitleFit(
  index: TextIndex,
  slots: readonly Slot[],
  slotsOf: SlotsOfTerms,
): (title: Title) => Fit {
  const { kinds, words } = index;
  const namesKind = createKindReader(index);
  const marks = kinds.marks();
  const terms = words.termsOfWords();
  const formsOf = (word: string) => words.find(word);
  const forms = slots.map(({ word }) => formsOf(word));
  const company = slots.map(({ company = [] }) => company.map((pair) => pair.map(formsOf)));
  const sayings = slots.map((): Mentions => ({ typed: 0, said: 0, unrelated: 0, asHead: 0, asSold: 0 }));

  /** Whether further words of the query and then the name of a kind follow. */
  const isModifier = (values: Int32Array, at: number, end: number): boolean => {
    if (marks[values[at]] & wordMarks.headFirst) return false;
    let next = at + 1;
    while (next < end && slotsOf[terms[values[next]]] !== 0) next += 1;
    return namesKind(values, next, end);
  };

  /** Returns whether the title has a word of the query. */
  const read = ({ values, start, end }: Title): boolean => {
    for (const one of sayings) one.typed = one.said = one.unrelated = one.asHead = one.asSold = 0;
    let isRelated = false;
    let isSaid = false;
    for (let at = start; at < end; at++) {
      isRelated ||= at > start && (marks[values[at]] & wordMarks.relation) !== 0;
      const filled = slotsOf[terms[values[at]]];
      if (filled === 0) continue;
      isSaid = true;
      const slot = firstSlot(filled);
      const saying = sayings[slot];
      const isHead = !isModifier(values, at, end);
      saying.said += 1;
      if (forms[slot].includes(values[at])) saying.typed = 1;
      if (!isRelated) saying.unrelated += 1;
      if (isHead) saying.asHead += 1;
      // An immediate repetition is keyword stuffing, not a second mention.
      const isEcho = at > start && terms[values[at - 1]] === terms[values[at]];
      if (isHead && !isRelated && !isEcho) saying.asSold += 1;
    }
    return isSaid;
  };

  return (title) => {
    if (!read(title)) return unsaid;
    let gain = 0;
    let isSold = true;
    for (let slot = 0; slot < sayings.length; slot++) {
      if (sayings[slot].said === 0) continue;
      const kept = shareKept(company[slot], title);
      gain += gainOf(sayings[slot], kept);
      if (kept === 0 && isLost(sayings[slot])) isSold = false;
    }
    return { factor: 1 + gain / Math.max(1, slots.length), isSold };
  };
}
