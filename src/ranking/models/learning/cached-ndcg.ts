/** NDCG@20 of cached questions under trial weights, times each question's worth. */

import { discounts, idealGain } from './ranking-metrics.ts';
import type { ScoreCache } from './score-cache.ts';

const ndcgDepth = 20;

/** Addition of one model to all sums. */
export type Change = { scores: Float32Array; by: number };

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

export function meanNdcg(
  cache: ScoreCache,
  questions: readonly number[],
  totals: Float64Array,
  change?: Change,
): number {
  let sum = 0;
  for (const question of questions) sum += ndcgOf(cache, question, totals, change);
  return questions.length === 0 ? 0 : sum / questions.length;
}

/** An answer's rank is one plus the candidates before it; ties are ordered by index. */
function ndcgOf(
  { offsets, answers, questions, worth }: ScoreCache,
  question: number,
  totals: Float64Array,
  change?: Change,
): number {
  const by = change?.by ?? 0;
  const scores = change?.scores ?? totals;
  const end = offsets[question + 1];
  let gain = 0;
  for (const answer of answers[question]) {
    const score = totals[answer] + by * scores[answer];
    let before = 0;
    for (let at = offsets[question]; at < end && before < ndcgDepth; at++) {
      const other = totals[at] + by * scores[at];
      if (other > score || (other === score && at < answer)) before += 1;
    }
    if (before < ndcgDepth) gain += discounts[before];
  }
  return ((worth?.[question] ?? 1) * gain) / idealGain(questions[question].answers.length, ndcgDepth);
}
