/**
 * Sorts a pool's candidates: by weight, then relevance, position and number.
 *
 * A bottom-up merge sort on plain numbers, because `Array.sort` with a comparison function costs
 * five times as much, and because the pool is mostly in order already.
 */
import type { CandidatePool } from './candidate-pool.ts';
import { createIntList, type IntList } from './number-lists.ts';

export type CandidateOrder = {
  /** Candidates, best first. */
  candidates: IntList;
  /** By candidate: its place in that order. */
  places: IntList;
  /** By need n, best first: `serving[servingStarts[n] … servingStarts[n + 1])`. */
  serving: IntList;
  servingStarts: IntList;
  sort(pool: CandidatePool): void;
};

export function createCandidateOrder(): CandidateOrder {
  const candidates = createIntList();
  const places = createIntList();
  const serving = createIntList();
  const servingStarts = createIntList();
  const spare = createIntList();
  let weights: Float64Array = new Float64Array(0);
  let relevances: Float64Array = new Float64Array(0);
  let positions: Float64Array = new Float64Array(0);

  const comesFirst = (a: number, b: number): boolean => {
    if (weights[a] !== weights[b]) return weights[a] > weights[b];
    if (relevances[a] !== relevances[b]) return relevances[a] > relevances[b];
    return positions[a] !== positions[b] ? positions[a] < positions[b] : a < b;
  };

  const merge = (from: Int32Array, to: Int32Array, start: number, middle: number, end: number): void => {
    let left = start;
    let right = middle;
    for (let at = start; at < end; at++) {
      const takeLeft = left < middle && (right >= end || comesFirst(from[left], from[right]));
      to[at] = takeLeft ? from[left++] : from[right++];
    }
  };

  /** Merges neighbouring runs of `width` candidates. */
  const mergeRuns = (width: number): void => {
    const { values, length } = candidates;
    for (let start = 0; start + width < length; start += width * 2) {
      const middle = start + width;
      const end = Math.min(middle + width, length);
      if (comesFirst(values[middle - 1], values[middle])) continue;
      spare.values.set(values.subarray(start, end), start);
      merge(spare.values, values, start, middle, end);
    }
  };

  return {
    candidates,
    places,
    serving,
    servingStarts,
    sort(pool) {
      weights = pool.weights.values;
      relevances = pool.relevances.values;
      positions = pool.positions.values;
      candidates.fill(pool.count, 0);
      spare.fill(pool.count, 0);
      places.fill(pool.count, 0);
      for (let c = 0; c < pool.count; c++) candidates.values[c] = c;
      for (let width = 1; width < pool.count; width *= 2) mergeRuns(width);
      for (let place = 0; place < pool.count; place++) places.values[candidates.values[place]] = place;
      groupByNeed(pool, { candidates, serving, servingStarts });
    },
  };
}

/** A counting sort: computes the ends of the ranges, then fills them backwards. */
function groupByNeed(
  { wants, needStarts, needIds }: CandidatePool,
  { candidates, serving, servingStarts }: Pick<CandidateOrder, 'candidates' | 'serving' | 'servingStarts'>,
): void {
  serving.fill(needIds.length, 0);
  servingStarts.fill(wants.length + 1, 0);
  if (needIds.length === 0) return;
  const ends = servingStarts.values;
  for (let k = 0; k < needIds.length; k++) ends[needIds.values[k]] += 1;
  for (let need = 1; need <= wants.length; need++) ends[need] += ends[need - 1];
  for (let place = candidates.length - 1; place >= 0; place--) {
    const candidate = candidates.values[place];
    for (let k = needStarts.values[candidate]; k < needStarts.values[candidate + 1]; k++)
      serving.values[--ends[needIds.values[k]]] = candidate;
  }
}
