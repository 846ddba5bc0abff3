/**
 * After a purchase: lowers proposed items of a category that people turn away from once they bought
 * in it, such as washing machines. For categories that people go on with, such as coffee, it is 0.
 *
 *   score(i) = min(1, returns after a purchase / returns expected without one) - 1
 *
 * Returns are visits with the category of those that begin with it known, expected by subjects who
 * bought nothing in it; counted by category and days since the purchase.
 */

import { isTouched } from './arrays/accumulator.ts';
import { groupBy } from './arrays/rows.ts';
import { stepOf, sumOf } from './arrays/statistics.ts';
import type { Interactions } from './interactions.ts';
import type { Algorithm, IndexMapping, Model, NoOptions, Query } from './model.ts';
import type { TrendingOptions } from './trending.ts';
import { runsOf, visitGapSeconds } from './visits.ts';

export type SaturationInput = Required<Pick<TrendingOptions, 'categories'>> & { interactions: Interactions };

export type SaturationTables = {
  /** Per local item: its category, -1 for none. */
  rowOf: Int32Array;
  /** Local items by category. */
  members: { offsets: Int32Array; order: Int32Array };
  /** By category, then by age of the purchase: the score, -1 to 0. */
  scores: Float32Array;
};

/** Upper bounds that separate ages of purchases. */
const ageSteps = [1, 7, 30, 90].map((days) => days * 86_400);
const ageCount = ageSteps.length + 1;

/** Prior weight, in expected returns. */
const priorReturns = 3;

/** Categories remembered of each subject, the latest known. Bounds the time of trainings. */
const mostKnown = 100;

export const saturation: Algorithm<SaturationInput, NoOptions, SaturationTables> = {
  name: 'saturation',
  train({ interactions, categories: { keys, ofItem } }) {
    return {
      rowOf: ofItem,
      members: groupBy(ofItem, keys.length),
      scores: learnScores(countReturns(interactions, ofItem, keys.length)),
    };
  },
  serve: createSaturationModel,
};

type Counts = { asked: Float64Array; returned: Float64Array };

/** Counts returns by category: `ageCount` ages of a purchase, then those without a purchase. */
function countReturns(interactions: Interactions, rowOf: Int32Array, rowCount: number): Counts {
  const { item, timeSeconds, weight, bought } = interactions;
  const asked = new Float64Array(rowCount * (ageCount + 1));
  const returned = new Float64Array(asked.length);
  /** Category → time of the latest purchase, NaN without one. */
  const known = new Map<number, number>();
  let visitor = -1;
  for (const [start, end, subject] of runsOf(interactions)) {
    if (subject !== visitor) known.clear();
    visitor = subject;
    const met = new Map<number, number>();
    for (let event = start; event < end; event++) {
      const row = rowOf[item[event]];
      if (row < 0 || weight[event] <= 0) continue;
      met.set(row, bought?.[event] ? timeSeconds[event] : (met.get(row) ?? Number.NaN));
    }
    for (const [row, boughtAt] of known) {
      const state = Number.isNaN(boughtAt) ? ageCount : stepOf(ageSteps, timeSeconds[start] - boughtAt);
      asked[row * (ageCount + 1) + state] += 1;
      returned[row * (ageCount + 1) + state] += Number(met.has(row));
    }
    for (const [row, boughtAt] of met) {
      const before = known.get(row);
      known.delete(row);
      known.set(row, Number.isNaN(boughtAt) ? (before ?? boughtAt) : boughtAt);
    }
    for (const row of known.keys()) {
      if (known.size <= mostKnown) break;
      known.delete(row);
    }
  }
  return { asked, returned };
}

/** Shrinks each age to the category's ratio at all ages, and that to 1. */
function learnScores({ asked, returned }: Counts): Float32Array {
  const rowCount = asked.length / (ageCount + 1);
  const usual = sumOf(returned) / Math.max(1, sumOf(asked));
  const scores = new Float32Array(rowCount * ageCount);
  for (let row = 0; row < rowCount; row++) {
    const start = row * (ageCount + 1);
    const end = start + ageCount;
    const rate = (returned[end] + priorReturns * usual) / (asked[end] + priorReturns);
    const ratioOf = (again: number, all: number, prior: number) =>
      (again + priorReturns * prior) / (all * rate + priorReturns);
    const whole = ratioOf(sumOf(returned.subarray(start, end)), sumOf(asked.subarray(start, end)), 1);
    for (let age = 0; age < ageCount; age++)
      scores[row * ageCount + age] =
        Math.min(1, ratioOf(returned[start + age], asked[start + age], whole)) - 1;
  }
  return scores;
}

function createSaturationModel(
  { rowOf, members, scores }: SaturationTables,
  { localOf }: IndexMapping,
): Model {
  const rowAt = (itemIndex: number): number => rowOf[localOf[itemIndex] ?? -1] ?? -1;
  /** Whether the subject turned to the category again in a later visit than that of the purchase. */
  const isBack = (query: Query, row: number, ageSeconds: number): boolean => {
    for (let seed = 0; seed < query.seedCount; seed++) {
      const contactSeconds = query.seedRhythm[seed]?.idleSeconds ?? 0;
      if (contactSeconds < ageSeconds - visitGapSeconds && rowAt(query.seedItemIndex[seed]) === row)
        return true;
    }
    return false;
  };
  /** Returns the score of each category with a purchase; the newest purchase counts. */
  const scoresOf = (query: Query): ReadonlyMap<number, number> => {
    const found = new Map<number, number>();
    if (query.hasContext) return found;
    for (const { itemIndex, ageSeconds } of query.bought) {
      const row = rowAt(itemIndex);
      if (row < 0 || found.has(row)) continue;
      found.set(
        row,
        isBack(query, row, ageSeconds) ? 0 : scores[row * ageCount + stepOf(ageSteps, ageSeconds)],
      );
    }
    return found;
  };
  return {
    name: 'saturation',
    role: 'lifts',
    accumulate(query, weight, accumulator) {
      for (const [row, score] of scoresOf(query)) {
        if (score === 0) continue;
        for (let at = members.offsets[row]; at < members.offsets[row + 1]; at++) {
          const local = members.order[at];
          if (isTouched(accumulator, local)) accumulator.scores[local] += weight * score;
        }
      }
    },
    explain(query, weight, itemIndex) {
      const score = scoresOf(query).get(rowAt(itemIndex)) ?? 0;
      return score === 0 ? [] : [{ score: weight * score }];
    },
  };
}
