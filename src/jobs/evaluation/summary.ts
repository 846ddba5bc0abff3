/** Formats an evaluation as one JSON object of plain numbers. */

import type { Evaluation, MeasuresAlone } from './evaluate.ts';
import { accuracyMeasures, listDepth, listMeasures, type Measures } from './metrics.ts';

export type Summary = {
  dataset: string;
  protocol: string;
  blend: Record<string, number>;
  models: Record<string, Record<string, number>>;
  /** Models significantly better alone than the blend; any means that the blend has failed. */
  better_alone: string[];
  train_seconds: number;
  peak_rss_mb: number;
  request_ms: number;
  items: number;
  events: number;
  /** Share of items first seen in the test period. */
  fresh_share_of_lists: number;
  fresh_share_of_answers: number;
  /** Learned on the training side: each model's weight and the blend's NDCG loss without it. */
  weights: Record<string, { weight: number; adds: number }>;
};

export function summarise(dataset: string, protocol: string, evaluation: Evaluation): Summary {
  const {
    blend,
    models,
    betterAlone,
    learnt,
    fresh,
    trainSeconds,
    requestMilliseconds,
    itemCount,
    eventCount,
  } = evaluation;
  return {
    dataset,
    protocol,
    blend: numbersOf(blend),
    models: Object.fromEntries(Object.entries(models).map(([name, of]) => [name, numbersAlone(of)])),
    better_alone: betterAlone,
    train_seconds: round(trainSeconds, 2),
    peak_rss_mb: Math.round(process.resourceUsage().maxRSS / 1024),
    request_ms: round(requestMilliseconds),
    items: itemCount,
    events: eventCount,
    fresh_share_of_lists: round(fresh.recommended),
    fresh_share_of_answers: round(fresh.answers),
    weights: Object.fromEntries(
      Object.entries(learnt?.report.models ?? {}).map(([name, { without }]) => [
        name,
        { weight: round(learnt!.weights[name]), adds: round(learnt!.report.blend - without) },
      ]),
    ),
  };
}

function numbersOf({
  coverage,
  questionCount,
  recallAgain,
  recallNew,
  ...measures
}: Measures): Record<string, number> {
  const numbers: Record<string, number> = {};
  if (recallAgain) numbers[`recall_again@${listDepth}`] = round(recallAgain.mean);
  if (recallNew) numbers[`recall_new@${listDepth}`] = round(recallNew.mean);
  for (const name of accuracyMeasures) {
    numbers[`${name}@${listDepth}`] = round(measures[name].mean);
    numbers[`${name}@${listDepth}_margin`] = round(measures[name].margin);
  }
  for (const name of listMeasures) numbers[name] = round(measures[name].mean);
  return { ...numbers, coverage: round(coverage), questions: questionCount };
}

/** `behind`: NDCG of the blend minus that of the model, on the same questions. */
function numbersAlone({ behind, ...measures }: MeasuresAlone): Record<string, number> {
  return { ...numbersOf(measures), behind: round(behind.mean), behind_margin: round(behind.margin) };
}

function round(value: number, digits = 4): number {
  return Number(value.toFixed(digits));
}
