/** Figures of lists by kind of question, with paired bootstrap intervals. */

import { chanceOf } from './chance.ts';

export const depth = 20;

/** NDCG@20 of a list for one answer. */
export function ndcgOf(list: readonly string[], answer: string): number {
  const rank = list.slice(0, depth).indexOf(answer);
  return rank < 0 ? 0 : 1 / Math.log2(rank + 2);
}

export function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

const resamples = 1_000;

/** Bounds of the relative difference of the means that hold 95 % of resampled question sets. */
export function relativeInterval(ours: readonly number[], theirs: readonly number[]): [number, number] {
  const chance = chanceOf(1);
  const ratios = Array.from({ length: resamples }, () => {
    let [sumOurs, sumTheirs] = [0, 0];
    for (let i = 0; i < ours.length; i++) {
      const at = Math.floor(chance() * ours.length);
      sumOurs += ours[at];
      sumTheirs += theirs[at];
    }
    return sumTheirs === 0 ? 0 : sumOurs / sumTheirs - 1;
  }).sort((a, b) => a - b);
  return [ratios[Math.floor(resamples * 0.025)], ratios[Math.floor(resamples * 0.975)]];
}

/** Steck (2018): Kullback-Leibler divergence of a list's category shares from the subject's, smoothed by 1 %. */
export function miscalibration(wanted: ReadonlyMap<string, number>, shown: readonly string[]): number {
  const total = [...wanted.values()].reduce((sum, count) => sum + count, 0);
  if (total === 0 || shown.length === 0) return 0;
  const shares = new Map<string, number>();
  for (const category of shown) shares.set(category, (shares.get(category) ?? 0) + 1 / shown.length);
  let divergence = 0;
  for (const [category, count] of wanted) {
    const p = count / total;
    const q = 0.99 * (shares.get(category) ?? 0) + 0.01 * p;
    divergence += p * Math.log(p / q);
  }
  return divergence;
}
