/**
 * Due items: the probability that a subject returns to an item of earlier visits in this visit,
 * whatever the last visit was about. Only for items that are consumed again, such as groceries, and
 * on pages without a context item.
 *
 *   score(i) = returns(visits with i, their share of the visits since, time since / usual interval) · lift(i)
 *
 * The first factor is counted at the beginnings of visits in the log, by cells; the second compares
 * the returns to an item with those that its cells expect, shrunk to its category. The usual
 * interval is the subject's own, shrunk to that of the item and its category. Personal frequency is
 * a baseline that next-basket models seldom beat (Hu et al., SIGIR 2020); rhythm adds to it
 * (Katz, Krasnitz, Rokach, "Personalized repeat purchase recommendations", 2022: buy-cycle features).
 */

import { add } from './arrays/accumulator.ts';
import { stepOf, sumOf } from './arrays/statistics.ts';
import type { Interactions } from './interactions.ts';
import type { Algorithm, Model, NoOptions, Query } from './model.ts';
import type { TrendingOptions } from './trending.ts';
import { type Rhythm, runsOf } from './visits.ts';

export type RhythmInput = Pick<TrendingOptions, 'categories'> & {
  interactions: Interactions;
  /** Per local item: 1 if subjects consume it again. */
  reconsumable: Uint8Array;
};

export type RhythmTables = {
  /** Probability of a return by cell. */
  returns: Float64Array;
  /** Per local item; 0 for items that are not consumed again. */
  lift: Float32Array;
  /** Per local item: usual seconds between two visits with it. */
  intervalSeconds: Float64Array;
};

/** Upper bounds that separate visits with the item, their share of visits, and phases. */
const visitSteps = [1, 2, 3, 5];
const shareSteps = [0.1, 0.2, 0.35, 0.6];
const phaseSteps = [0.3, 0.6, 0.9, 1.3, 2];
const phaseCount = phaseSteps.length + 1;
const habitCount = (visitSteps.length + 1) * (shareSteps.length + 1);

/** Prior weights: of a habit in its phases, of all habits, of categories, of intervals. */
const priorVisits = 20;
const priorReturns = 5;
const priorGaps = 5;
const greatestLift = 20;

/** Items remembered of each subject, the latest met. Bounds the time of trainings. */
const mostKnown = 50;

/** @param intervalSeconds Of the item; the subject's own intervals count as one each. */
function cellOf({ visits, since, spanSeconds, idleSeconds }: Rhythm, intervalSeconds: number): number {
  const habit = stepOf(visitSteps, visits) * (shareSteps.length + 1) + stepOf(shareSteps, visits / since);
  const phase = idleSeconds / ((spanSeconds + intervalSeconds) / visits);
  return habit * phaseCount + stepOf(phaseSteps, phase);
}

export const rhythm: Algorithm<RhythmInput, NoOptions, RhythmTables> = {
  name: 'rhythm',
  train({ interactions, categories, reconsumable }) {
    const groups = categories?.ofItem ?? new Int32Array(interactions.itemCount).fill(-1);
    const intervalSeconds = learnIntervals(interactions, reconsumable, groups);
    const asked = new Float64Array(habitCount * phaseCount);
    const returned = new Float64Array(asked.length);
    visitItems(interactions, reconsumable, (item, habit, isBack) => {
      const cell = cellOf(habit, intervalSeconds[item]);
      asked[cell] += 1;
      returned[cell] += Number(isBack);
    });
    const returns = smooth(asked, returned);
    const expected = new Float64Array(interactions.itemCount);
    const got = new Float64Array(interactions.itemCount);
    visitItems(interactions, reconsumable, (item, habit, isBack) => {
      expected[item] += returns[cellOf(habit, intervalSeconds[item])];
      got[item] += Number(isBack);
    });
    const lift = shrink(got, expected, groups, { prior: priorReturns, usual: 1 });
    const liftOf = (one: number, item: number) =>
      reconsumable[item] === 0 ? 0 : Math.min(greatestLift, one);
    return { returns, lift: Float32Array.from(lift, liftOf), intervalSeconds };
  },
  serve: ({ returns, lift, intervalSeconds }): Model => {
    const scoreOf = (query: Query, seed: number): number => {
      const local = query.seedLocal[seed];
      const habit = query.seedRhythm[seed];
      if (local < 0 || lift[local] === 0 || !habit?.visits) return 0;
      return Math.min(1, returns[cellOf(habit, intervalSeconds[local])] * lift[local]);
    };
    return {
      name: 'rhythm',
      role: 'proposes',
      accumulate(query, weight, accumulator) {
        if (query.hasContext) return;
        for (let seed = 0; seed < query.seedCount; seed++) {
          const score = query.seedItemIndex[seed] < 0 ? 0 : scoreOf(query, seed);
          if (score > 0) add(accumulator, query.seedLocal[seed], weight * score);
        }
      },
      explain(query, weight, itemIndex) {
        const seed = query.seedItemIndex.subarray(0, query.seedCount).indexOf(itemIndex);
        const score = seed < 0 || query.hasContext ? 0 : scoreOf(query, seed);
        return score === 0 ? [] : [{ seedItemIndex: itemIndex, score: weight * score }];
      },
    };
  },
};

/** Returns undefined without items that are consumed again. */
export function rhythmInput({
  reconsumable,
  ...source
}: Omit<RhythmInput, 'reconsumable'> & Partial<RhythmInput>): RhythmInput | undefined {
  return reconsumable?.includes(1) ? { ...source, reconsumable } : undefined;
}

/** Smooths each cell towards what its habit and its phase say alone, and these towards the average. */
function smooth(asked: Float64Array, returned: Float64Array): Float64Array {
  const average = sumOf(returned) / Math.max(1, sumOf(asked));
  const shareOf = (isOwn: (cell: number) => boolean): number => {
    const [again, all] = [returned, asked].map((counts) => sumOf(counts.filter((_, cell) => isOwn(cell))));
    return (again + priorVisits * average) / (all + priorVisits);
  };
  const habitOf = (cell: number) => Math.floor(cell / phaseCount);
  const habits = Array.from({ length: habitCount }, (_, habit) => shareOf((cell) => habitOf(cell) === habit));
  const phases = Array.from({ length: phaseCount }, (_, phase) =>
    shareOf((cell) => cell % phaseCount === phase),
  );
  return asked.map((count, cell) => {
    const expected = (habits[habitOf(cell)] * phases[cell % phaseCount]) / (average || 1);
    return (returned[cell] + priorVisits * Math.min(1, expected)) / (count + priorVisits);
  });
}

/** Divides sums by item, shrunk to those of the category, and these to the usual value. */
function shrink(
  got: Float64Array,
  expected: Float64Array,
  groups: Int32Array,
  { prior, usual }: { prior: number; usual: number },
): Float64Array {
  const gotByGroup = new Map<number, number>();
  const expectedByGroup = new Map<number, number>();
  for (let item = 0; item < got.length; item++) {
    const group = groups[item];
    gotByGroup.set(group, (gotByGroup.get(group) ?? 0) + got[item]);
    expectedByGroup.set(group, (expectedByGroup.get(group) ?? 0) + expected[item]);
  }
  const ofGroup = (group: number) =>
    (gotByGroup.get(group)! + prior * usual) / (expectedByGroup.get(group)! + prior);
  return got.map((sum, item) => (sum + prior * ofGroup(groups[item])) / (expected[item] + prior));
}

function learnIntervals(
  interactions: Interactions,
  reconsumable: Uint8Array,
  groups: Int32Array,
): Float64Array {
  const seconds = new Float64Array(interactions.itemCount);
  const gaps = new Float64Array(interactions.itemCount);
  visitItems(interactions, reconsumable, (item, { idleSeconds }, isBack) => {
    if (!isBack) return;
    seconds[item] += idleSeconds;
    gaps[item] += 1;
  });
  const usual = sumOf(seconds) / Math.max(1, sumOf(gaps));
  return shrink(seconds, gaps, groups, { prior: priorGaps, usual });
}

type Visitor = (item: number, habit: Rhythm, isBack: boolean) => void;

/** Visits the items that each subject knows at the beginning of each of its visits but the first. */
function visitItems(interactions: Interactions, reconsumable: Uint8Array, visit: Visitor): void {
  const { itemCount, item, timeSeconds, weight } = interactions;
  const visits = new Int32Array(itemCount);
  const firstVisit = new Int32Array(itemCount);
  const firstSeconds = new Float64Array(itemCount);
  const lastSeconds = new Float64Array(itemCount);
  const habit: Rhythm = { visits: 0, since: 0, spanSeconds: 0, idleSeconds: 0 };
  const known = new Set<number>();
  let visitor = -1;
  let number = 0;
  for (const [start, end, subject] of runsOf(interactions)) {
    if (subject !== visitor) known.clear();
    visitor = subject;
    number += 1;
    const met = new Set<number>();
    for (let event = start; event < end; event++)
      if (weight[event] > 0 && reconsumable[item[event]] === 1) met.add(item[event]);
    for (const one of known) {
      habit.visits = visits[one];
      habit.since = number - firstVisit[one];
      habit.spanSeconds = lastSeconds[one] - firstSeconds[one];
      habit.idleSeconds = timeSeconds[start] - lastSeconds[one];
      visit(one, habit, met.has(one));
    }
    for (const one of met) {
      if (!known.delete(one)) {
        visits[one] = 0;
        firstVisit[one] = number;
        firstSeconds[one] = timeSeconds[start];
      }
      known.add(one);
      visits[one] += 1;
      lastSeconds[one] = timeSeconds[end - 1];
    }
    for (const one of known) {
      if (known.size <= mostKnown) break;
      known.delete(one);
    }
  }
}
