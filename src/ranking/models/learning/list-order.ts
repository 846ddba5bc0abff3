/**
 * What the order of lists without times says of when things happened: nothing where there is none or where the file is sorted, else
 * which end is later.
 *
 * What comes next is what may be asked about, and so is any part of a list, but never how it began.
 */

import { mixed } from '../arrays/mixed.ts';
import { meanOf, standardError } from '../arrays/statistics.ts';
import type { Interactions } from '../interactions.ts';

/** Any of a list's events, or those at one of its ends. */
export type ListPart = 'any' | 'first' | 'last';

export type PartsToAsk = {
  /** To be taken in turn. */
  inTurn: readonly ListPart[];
  /** Nothing tells which end is later, so all are asked about, and count alike. */
  isUncertain: boolean;
  /** Lists have no order: see isUnordered. */
  isUnordered: boolean;
};

/** Which parts of lists are worth asking about. */
export function partsToAsk(interactions: Interactions): PartsToAsk {
  if (isUnordered(interactions)) return { inTurn: ['any'], isUncertain: false, isUnordered: true };
  const ordered = { isUncertain: false, isUnordered: false };
  if (isSortedByItem(interactions)) return { ...ordered, inTurn: ['any'] };
  const later = laterEnd(interactions);
  if (later === undefined) return { ...ordered, inTurn: ['any', 'first', 'last'], isUncertain: true };
  return { ...ordered, inTurn: ['any', later] };
}

/** In shorter lists nothing stands apart. */
const fewestApart = 8;
/** In lists with an order neighbours meet again several times as often, in those without hardly more often. */
// Generated ratings and sparse lists: 1.0 to 1.1. Generated sessions without clocks: 5.
const leastNearness = 1.5;

/**
 * Whether what stands side by side in a list does so again in others hardly more often than what stands anywhere in it. Of
 * Gowalla's and MovieLens' lists it does so nine times as often.
 */
export function isUnordered(interactions: Interactions): boolean {
  const near = countMetAgain(interactions, (at) => at + 1);
  const apart = countMetAgain(interactions, (at, start, end) => start + (mixed(at) % (end - start)));
  return (
    apart.metAgain >= fewestMetAgain &&
    near.metAgain / near.pairs < (leastNearness * apart.metAgain) / apart.pairs
  );
}

function countMetAgain(
  { itemCount, subjectCount, subjectOffsets, item }: Interactions,
  otherOf: (at: number, start: number, end: number) => number,
) {
  const stride = Math.max(1, Math.ceil(item.length / mostPairs));
  const counts = new Map<number, number>();
  let pairs = 0;
  let metAgain = 0;
  for (let subject = 0; subject < subjectCount; subject += stride) {
    const [start, end] = [subjectOffsets[subject], subjectOffsets[subject + 1]];
    if (end - start < fewestApart) continue;
    for (let at = start; at + 1 < end; at++) {
      const other = otherOf(at, start, end);
      if (item[other] === item[at]) continue;
      const pair = Math.min(item[at], item[other]) * itemCount + Math.max(item[at], item[other]);
      const count = counts.get(pair) ?? 0;
      counts.set(pair, count + 1);
      metAgain += count;
      pairs += 1;
    }
  }
  return { pairs, metAgain };
}

/** Pairs are looked at that stand so near to each other. */
const reach = 4;
/** More pairs tell no more. */
const mostPairs = 400_000;
/** Fewer pairs that are met again tell nothing. */
const fewestMetAgain = 100;
/** A file that is sorted has none; what some do one after the other, others do the other way round. */
const mostTurnedShare = 0.01;

/** Whether all lists follow one order of the items, such as their numbers. Told by pairs that several lists hold. */
function isSortedByItem({ itemCount, subjectCount, subjectOffsets, item }: Interactions): boolean {
  const stride = Math.max(1, Math.ceil((item.length * reach) / mostPairs));
  const firstOf = new Map<number, number>();
  let metAgain = 0;
  let turned = 0;
  for (let subject = 0; subject < subjectCount; subject += stride) {
    for (let at = subjectOffsets[subject]; at < subjectOffsets[subject + 1]; at++) {
      const end = Math.min(at + reach + 1, subjectOffsets[subject + 1]);
      for (let next = at + 1; next < end; next++) {
        const pair = Math.min(item[at], item[next]) * itemCount + Math.max(item[at], item[next]);
        const first = firstOf.get(pair);
        if (first === undefined) firstOf.set(pair, item[at]);
        metAgain += Number(first !== undefined);
        turned += Number(first !== undefined && first !== item[at]);
      }
    }
  }
  return metAgain >= fewestMetAgain && turned <= mostTurnedShare * metAgain;
}

/** Of a list, at each end. */
const endShare = 0.1;
/** Ends further apart than so many standard errors are so by no chance … */
const toleratedErrors = 3;
/** … and tell by so much, in logarithms of how many know an item, which of them is later. */
const leastGap = 0.25;

/**
 * The end with the less known items: everybody begins with what is known, and what is new has had less time to become so. Of
 * MovieLens' lists, oldest first, that is the last one by 0.8; of Gowalla's the first by 0.1, which tells too little.
 */
function laterEnd(interactions: Interactions): ListPart | undefined {
  const { itemCount, subjectCount, subjectOffsets, item } = interactions;
  const counts = new Int32Array(itemCount);
  for (const one of item) counts[one] += 1;
  const knownOf = (items: Int32Array) => meanOf(Float64Array.from(items, (one) => Math.log(counts[one])));
  const gaps: number[] = [];
  for (let subject = 0; subject < subjectCount; subject++) {
    const list = item.subarray(subjectOffsets[subject], subjectOffsets[subject + 1]);
    if (list.length < 2) continue;
    const size = Math.max(1, Math.floor(list.length * endShare));
    gaps.push(knownOf(list.subarray(0, size)) - knownOf(list.subarray(-size)));
  }
  const gap = meanOf(gaps);
  const error = standardError(gaps, [...gaps.keys()]);
  if (Math.abs(gap) <= Math.max(leastGap, toleratedErrors * error)) return undefined;
  return gap > 0 ? 'last' : 'first';
}
