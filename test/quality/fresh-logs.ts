/**
 * Whether the blend is no worse than the best of its models on logs of every shape that nothing was
 * tuned on. One log says little: which model is ahead by a hair is chance.
 */

import { type Evaluation, evaluate } from '../../src/jobs/evaluation/evaluate.ts';
import { type Estimate, estimate } from '../../src/jobs/evaluation/metrics.ts';
import { makeLog, shapes } from './shapes.ts';

export type ShapeReport = {
  shape: string;
  logs: number;
  /** Logs on which a model alone is better by more than chance explains. */
  failed: number;
  blend: number;
  /** NDCG of the blend minus that of the best other row: a single model, or popularity. */
  ahead: Estimate;
};

/**
 * @param logs Of each shape; about four seconds each.
 * @param scale How many times as many subjects they have.
 */
export function* judgeShapes(logs: number, scale: number): Generator<ShapeReport> {
  for (const [shape, { protocol, log }] of Object.entries(shapes)) {
    const evaluations = Array.from({ length: logs }, (_, place) =>
      evaluate({ dataset: makeLog(log, `unseen ${place} ${shape}`, scale), protocol }),
    );
    const failed = evaluations.filter(({ betterAlone }) => betterAlone.length > 0).length;
    const blends = evaluations.map(({ blend }) => blend.ndcg.mean);
    const places = [...evaluations.keys()];
    const ahead = estimate(evaluations.map(aheadOf), places);
    yield { shape, logs, failed, blend: estimate(blends, places).mean, ahead };
  }
}

function aheadOf({ models }: Evaluation): number {
  return Math.min(...Object.values(models).map(({ behind }) => behind.mean));
}

export function toLine({ shape, logs, failed, blend, ahead }: ShapeReport): string {
  const lead = `${ahead.mean.toFixed(4)} ±${ahead.margin.toFixed(4)}`;
  const fails = failed === 0 ? 'fails' : 'FAILS';
  return `${shape}: NDCG ${blend.toFixed(4)}, ahead by ${lead}, ${fails} on ${failed} of ${logs} logs.`;
}
