/** Simulates visitors of two rankers, as an interleaved experiment and as one with a split. */

import { compare } from '../../../../src/jobs/experiments/statistics/intervals.ts';
import { meanOf } from '../../../../src/jobs/experiments/statistics/moments.ts';
import { checkSampleRatio } from '../../../../src/jobs/experiments/statistics/sample-ratio.ts';
import type { Drafted } from '../../../../src/ranking/lists/team-draft.ts';
import { createChance } from '../../../jobs/experiments/support.ts';

type Variant = 0 | 1;

export type Visitor = {
  listCount: number;
  /** Returns items as a variant ranks them for the list of this number. */
  rank(variant: Variant, list: number): readonly number[];
  /** Returns the draft of two variants. */
  draft(variants: readonly [Variant, Variant], list: number): readonly Drafted<number>[];
  clicks(item: number, place: number): boolean;
};

export type NewVisitor = (chance: () => number) => Visitor;

/** Most visitors come once or twice and click little; some come often and click much. */
export function drawHabits(chance: () => number) {
  const activity = chance() ** 4;
  const clicksOn = (taste: number, place: number) => chance() < (activity * taste) / Math.sqrt(place + 1);
  return { listCount: 1 + Math.floor(30 * activity), clicksOn };
}

const usualCount = 2_000;

/** Returns visits drawn with replacement from those of `count` visitors, because drawing a visitor takes long. */
function drawFrom<Visit>(
  visit: (chance: () => number) => Visit,
  count: number,
): (chance: () => number) => Visit {
  const chance = createChance(1);
  const visits = Array.from({ length: count }, () => visit(chance));
  return (next) => visits[Math.floor(next() * visits.length)];
}

const listsOf = ({ listCount }: Visitor) => Array.from({ length: listCount }, (_, list) => list);

const clicksBy = (newVisitor: NewVisitor, variant: Variant) =>
  drawFrom((chance) => {
    const visitor = newVisitor(chance);
    const clicked = listsOf(visitor).map((list) => visitor.rank(variant, list).filter(visitor.clicks).length);
    return clicked.reduce((sum, one) => sum + one, 0);
  }, usualCount);

/** The team whose items the visitor clicked in more lists; undefined for a tie. */
const preferredTeam = (newVisitor: NewVisitor, variants: readonly [Variant, Variant], count: number) =>
  drawFrom((chance): Variant | undefined => {
    const visitor = newVisitor(chance);
    let balance = 0;
    for (const list of listsOf(visitor)) {
      const clicked = visitor.draft(variants, list).filter(({ item }, place) => visitor.clicks(item, place));
      for (const team of new Set(clicked.map((one) => one.team))) balance += team === 1 ? 1 : -1;
    }
    return balance === 0 ? undefined : balance > 0 ? 1 : 0;
  }, count);

const most = 20_000;

/** Returns the visitors until an always-valid test at 5 % finds the better ranker. */
function visitorsOfSplit(
  chance: () => number,
  clicks: readonly ((chance: () => number) => number)[],
): number {
  const arms = [0, 1].map(() => ({ count: 0, sum: 0, squares: 0 }));
  for (let count = 1; count <= most; count += 1) {
    const arm = count % 2;
    const clicked = clicks[arm](chance);
    arms[arm].count += 1;
    arms[arm].sum += clicked;
    arms[arm].squares += clicked * clicked;
    if (count % 100 > 0) continue;
    const { isSignificant, value } = compare(meanOf(arms[0]), meanOf(arms[1]), 'alwaysValid', 0.95);
    if (isSignificant && value > 0) return count;
  }
  return most;
}

/** Returns the visitors until a team is preferred, and whether it is the second one. */
function interleave(chance: () => number, preferred: ReturnType<typeof preferredTeam>, longest = most) {
  const wins = [0, 0];
  for (let count = 1; count <= longest; count += 1) {
    const team = preferred(chance);
    if (team !== undefined) wins[team] += 1;
    if (count % 20 === 0 && checkSampleRatio(wins, [0.5, 0.5]).pValue < 0.05)
      return { count, isSecond: wins[1] > wins[0] };
  }
  return { count: longest, isSecond: undefined };
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/**
 * Returns the median visitors of five runs until the better ranker (the variant 1) is found, by a draft
 * and by a split, and the number of drafts that found it instead of the worse one.
 */
export function measureVisitors(newVisitor: NewVisitor, count = usualCount) {
  const runs = Array.from({ length: 5 }, (_, seed) => seed + 1);
  const preferred = preferredTeam(newVisitor, [0, 1], count);
  const drafts = runs.map((seed) => interleave(createChance(seed), preferred));
  const clicks = ([0, 1] as const).map((variant) => clicksBy(newVisitor, variant));
  return {
    draft: median(drafts.map((one) => one.count)),
    split: median(runs.map((seed) => visitorsOfSplit(createChance(seed), clicks))),
    found: drafts.filter(({ isSecond }) => isSecond).length,
  };
}

/** Returns how many of 100 drafts of equal rankers find one of them better within 400 visitors. */
export function countFalseFinds(newVisitor: NewVisitor, count = usualCount): number {
  const runs = Array.from({ length: 100 }, (_, seed) => seed + 5_000);
  const preferred = preferredTeam(newVisitor, [0, 0], count);
  return runs.filter((seed) => interleave(createChance(seed), preferred, 400).isSecond !== undefined).length;
}
