/** NDCG@20 of cached questions under trial weights, times each question's worth. */

import { discounts, idealGain } from './ranking-metrics.ts';
import type { ScoreCache } from './score-cache.ts';

const ndcgDepth = 20;

/** Returns the mean NDCG@20 of questions under some weights. */
export function scoreWeights(
  cache: ScoreCache,
  weights: Float64Array,
  questions: readonly number[] = Array.from(cache.questions.keys()),
): number {
  return meanNdcg(cache, questions, sumAll(cache, weights));
}

/** Returns the NDCG@20 of each question. */
export function scoreQuestions(
  cache: ScoreCache,
  weights: Float64Array,
  questions: readonly number[] = Array.from(cache.questions.keys()),
): Float64Array {
  return scoreQuestionsBy(cache, questions, () => weights);
}

/** Returns the NDCG@20 of each question, under its own weights. */
export function scoreQuestionsBy(
  cache: ScoreCache,
  questions: readonly number[],
  weightsOf: (question: number) => Float64Array,
): Float64Array {
  const { offsets, scores } = cache;
  const totals = new Float64Array(offsets[offsets.length - 1]);
  return Float64Array.from(questions, (question) => {
    const weights = weightsOf(question);
    for (let model = 0; model < scores.length; model++) {
      addTo(totals, scores[model], weights[model], offsets[question], offsets[question + 1]);
    }
    const ndcg = ndcgOf(cache, question, totals);
    totals.fill(0, offsets[question], offsets[question + 1]);
    return ndcg;
  });
}

export function sumAll({ scores, offsets }: ScoreCache, weights: Float64Array): Float64Array {
  const totals = new Float64Array(offsets[offsets.length - 1]);
  scores.forEach((values, model) => {
    addTo(totals, values, weights[model]);
  });
  return totals;
}

export function addTo(
  totals: Float64Array,
  scores: Float32Array,
  weight: number,
  start = 0,
  end = totals.length,
): void {
  if (weight === 0) return;
  for (let at = start; at < end; at++) totals[at] += weight * scores[at];
}

export function meanNdcg(cache: ScoreCache, questions: readonly number[], totals: Float64Array): number {
  let sum = 0;
  for (const question of questions) sum += ndcgOf(cache, question, totals);
  return questions.length === 0 ? 0 : sum / questions.length;
}

/** An answer's rank is one plus the candidates before it; ties are ordered by index. */
function ndcgOf(cache: ScoreCache, question: number, totals: Float64Array): number {
  const { offsets, answers } = cache;
  const end = offsets[question + 1];
  let gain = 0;
  for (const answer of answers[question]) {
    const score = totals[answer];
    let before = 0;
    for (let at = offsets[question]; at < end && before < ndcgDepth; at++) {
      if (totals[at] > score || (totals[at] === score && at < answer)) before += 1;
    }
    if (before < ndcgDepth) gain += discounts[before];
  }
  return normalised(cache, question, gain);
}

function normalised({ questions, worth }: ScoreCache, question: number, gain: number): number {
  return ((worth?.[question] ?? 1) * gain) / idealGain(questions[question].answers.length, ndcgDepth);
}

/** Share of the largest sum; rounding changes a difference by far less. */
const clearShare = 1e-12;

/**
 * Returns `meanNdcg` for the totals with each of several multiples of a model's scores added.
 *
 * A sum is linear in the multiple, so a candidate that is clearly before or behind an answer at both
 * ends of the multiples is so at all of them. Only the others are compared for each.
 */
export function meanNdcgWith(
  cache: ScoreCache,
  questions: readonly number[],
  totals: Float64Array,
  scores: Float32Array,
  multiples: readonly number[],
): number[] {
  const { offsets, answers } = cache;
  const least = Math.min(0, ...multiples);
  const most = Math.max(0, ...multiples);
  const longest = questions.reduce((length, q) => Math.max(length, offsets[q + 1] - offsets[q]), 0);
  const [low, high] = [new Float64Array(longest), new Float64Array(longest)];
  const open = new Int32Array(longest);
  const gains = new Float64Array(multiples.length);
  const sums = multiples.map(() => 0);
  for (const question of questions) {
    if (answers[question].length === 0) continue;
    const start = offsets[question];
    const count = offsets[question + 1] - start;
    let largest = 0;
    for (let place = 0; place < count; place++) {
      low[place] = totals[start + place] + least * scores[start + place];
      high[place] = totals[start + place] + most * scores[start + place];
      largest = Math.max(largest, Math.abs(low[place]), Math.abs(high[place]));
    }
    const clear = clearShare * largest;
    gains.fill(0);
    for (const answer of answers[question]) {
      let before = 0;
      let openCount = 0;
      for (let place = 0; place < count && before < ndcgDepth; place++) {
        const atLow = low[place] - low[answer - start];
        const atHigh = high[place] - high[answer - start];
        if (atLow > clear && atHigh > clear) before += 1;
        else if (!(atLow < -clear && atHigh < -clear)) open[openCount++] = start + place;
      }
      for (let trial = 0; trial < multiples.length && before < ndcgDepth; trial++) {
        const score = totals[answer] + multiples[trial] * scores[answer];
        let rank = before;
        for (let place = 0; place < openCount && rank < ndcgDepth; place++) {
          const at = open[place];
          const other = totals[at] + multiples[trial] * scores[at];
          if (other > score || (other === score && at < answer)) rank += 1;
        }
        if (rank < ndcgDepth) gains[trial] += discounts[rank];
      }
    }
    gains.forEach((gain, trial) => {
      sums[trial] += normalised(cache, question, gain);
    });
  }
  return sums.map((sum) => (questions.length === 0 ? 0 : sum / questions.length));
}
