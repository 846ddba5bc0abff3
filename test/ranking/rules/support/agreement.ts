/** How far composed lists are from those of the exact solver, over many random instances. */
import { type ComposedList, createComposer } from '../../../../src/ranking/rules/compose.ts';
import { createExactSolver, type Judged, judge } from './exact-solver.ts';
import { randomInstance } from './instances.ts';
import { requestOf } from './lists.ts';

/**
 * The first level on which a list is worse than the exact one; `minimums` before `length`, and so
 * on.
 */
export type Level = 'minimums' | 'length' | 'unmet' | 'weight';

export type Agreement = {
  instanceCount: number;
  /**
   * Instances in which some list satisfies everything, and those in which the composed list does.
   */
  satisfiable: number;
  satisfied: number;
  /** Seeds of instances with a worse list on a level before relevance. */
  worse: { seed: number; level: Level }[];
  /** Seeds of lists with a larger gap than reported. */
  wrongBounds: number[];
  /** Missing share of relevance in all others. */
  meanGap: number;
  worstGap: number;
  /** Instances for which the search visited nodes. */
  searched: number;
};

const rounding = 1e-6;

function worseLevel(list: Judged, exact: Judged): Level | undefined {
  const firstDifference = (one: (boolean | number)[], other: (boolean | number)[]): number => {
    const index = one.findIndex((value, k) => value !== other[k]);
    return index < 0 ? 0 : Number(one[index]) - Number(other[index]);
  };
  if (firstDifference(exact.met, list.met) !== 0) return 'minimums';
  if (exact.length !== list.length) return 'length';
  if (firstDifference(exact.got, list.got) !== 0) return 'unmet';
  return Math.abs(exact.weight - list.weight) > rounding ? 'weight' : undefined;
}

const pickedOf = ({ items }: ComposedList): number[] =>
  items.flatMap(({ itemIndex, injected }) => (injected ? [] : [itemIndex!]));

export async function measureAgreement(firstSeed: number, instanceCount: number): Promise<Agreement> {
  const solve = await createExactSolver();
  const composer = createComposer();
  const worse: Agreement['worse'] = [];
  const wrongBounds: number[] = [];
  const gaps: number[] = [];
  let [satisfiable, satisfied, searched] = [0, 0, 0];
  for (let seed = firstSeed; seed < firstSeed + instanceCount; seed++) {
    const instance = randomInstance(seed);
    const exact = solve(instance);
    const composed = composer.compose(requestOf(instance));
    const list = judge(instance, pickedOf(composed));
    const level = worseLevel(list, exact);
    if (!exact.met.includes(false)) satisfiable += 1;
    if (!exact.met.includes(false) && !list.met.includes(false)) satisfied += 1;
    if (composed.nodeCount > 0) searched += 1;
    if (level) worse.push({ seed, level });
    if (level) continue;
    const gap = exact.relevance > 0 ? (exact.relevance - list.relevance) / exact.relevance : 0;
    gaps.push(gap);
    if (gap > composed.gapBound + rounding) wrongBounds.push(seed);
  }
  const meanGap = gaps.reduce((sum, gap) => sum + gap, 0) / Math.max(1, gaps.length);
  const worstGap = gaps.reduce((worst, gap) => Math.max(worst, gap), 0);
  return { instanceCount, satisfiable, satisfied, worse, wrongBounds, meanGap, worstGap, searched };
}
