/**
 * Infers the order of lists without times: none for unordered or sorted files, else which end is
 * later.
 *
 * Future questions concern what comes next or any part of a list, never its beginning.
 */

import { mixed } from '../arrays/mixed.ts';
import { meanOf, standardError } from '../arrays/statistics.ts';
import type { Interactions } from '../interactions.ts';

/** Any events of a list, or those at one end. */
export type ListPart = 'any' | 'first' | 'last';

export type PartsToAsk = {
  /** Parts to ask about in turn. */
  inTurn: readonly ListPart[];
  /** The later end is unknown: all parts are asked about, with equal weight. */
  isUncertain: boolean;
  /** Lists are unordered: see isUnordered. */
  isUnordered: boolean;
};

export function partsToAsk(interactions: Interactions): PartsToAsk {
  if (isUnordered(interactions)) return { inTurn: ['any'], isUncertain: false, isUnordered: true };
  const ordered = { isUncertain: false, isUnordered: false };
  if (isSortedByItem(interactions)) return { ...ordered, inTurn: ['any'] };
  const later = laterEnd(interactions);
  if (later === undefined) return { ...ordered, inTurn: ['any', 'first', 'last'], isUncertain: true };
  return { ...ordered, inTurn: ['any', later] };
}

/** Shorter lists have no distant pairs. */
const fewestApart = 8;
/** Ordered lists repeat neighbours several times as often, unordered ones hardly more often. */
// Generated ratings and sparse lists: 1.0 to 1.1. Generated sessions without clocks: 5.
const leastNearness = 1.5;

/**
 * Returns true if adjacent items recur in other lists hardly more often than distant ones; on
 * Gowalla and MovieLens they recur nine times as often.
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

/** Largest distance of examined pairs. */
const reach = 4;
/** Most pairs examined; more add nothing. */
const mostPairs = 400_000;
/** Fewest recurring pairs that give evidence. */
const fewestMetAgain = 100;
/** Sorted files have no reversed pairs; behaviour reverses many. */
const mostTurnedShare = 0.01;

/** Returns whether all lists follow one item order, such as IDs, by pairs in several lists. */
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

/** Share of a list at each end. */
const endShare = 0.1;
/** Standard errors from which the ends differ significantly. */
const toleratedErrors = 3;
/** Difference, in logarithms of subjects per item, from which the later end is clear. */
const leastGap = 0.25;

/**
 * Returns the end with less known items: subjects begin with known items, and new items are less
 * known yet. On MovieLens, oldest first, that is the last end by 0.8; on Gowalla the first by 0.1,
 * too little to decide.
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
