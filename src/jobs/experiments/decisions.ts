/** Decides about running experiments: whether to roll one back, announce a result, or take the next step. */

import type {
  Experiment,
  ExperimentDecision,
  GuardrailDefinition,
  RampStep,
} from '../../repository/experiments/experiments.ts';
import { type Change, ramp, stop } from './lifecycle.ts';
import type { ExperimentReading, MetricDifference } from './statistics/reading.ts';

/** Metrics of which less is better. */
const lowerIsBetter: ReadonlySet<string> = new Set(['negative_interactions']);

const hourMs = 3_600_000;
const error = 0.05;

/** Returns the confidence of each interval with which all of them hold together (Bonferroni). */
export function jointConfidence({ definition: { variants, guardrails } }: Experiment): number {
  return 1 - error / ((variants.length - 1) * (guardrails.length + 1));
}

export type Evidence = Pick<ExperimentReading, 'differences'> & {
  isMismatch: boolean;
  /** Variant that the clicks on interleaved lists prefer. */
  preferred?: string;
};

/** Returns the change to make, with its decision; undefined for none. */
export function decide(experiment: Experiment, evidence: Evidence, nowMs: number): Change | undefined {
  const { definition, progress } = experiment;
  const harm = definition.guardrails
    .flatMap((guardrail) => evidence.differences.filter((one) => isHarm(one, guardrail)))
    .at(0);
  if (harm)
    return decided(stop(experiment, nowMs) as Change, {
      ...{ kind: 'rolled_back', atMs: nowMs, variant: harm.arm, metric: harm.metric },
      detail: `The variant "${harm.arm}" harms ${harm.metric}: ${describe(harm)}.`,
    });
  const found = evidence.differences.find(
    ({ metric, isSignificant }) => metric === definition.metric && isSignificant,
  );
  if (found && !evidence.isMismatch && progress.announcedAtMs === undefined)
    return decided(
      { state: 'running', definition, progress: { ...progress, announcedAtMs: nowMs } },
      {
        ...{ kind: 'decided', atMs: nowMs, variant: found.arm, metric: found.metric },
        detail: `The variant "${found.arm}" changes ${found.metric}: ${describe(found)}.`,
      },
    );
  if (evidence.preferred && progress.announcedAtMs === undefined)
    return decided(
      { state: 'running', definition, progress: { ...progress, announcedAtMs: nowMs } },
      {
        ...{ kind: 'decided', atMs: nowMs, variant: evidence.preferred, metric: 'clicks' },
        detail: `Clicks on interleaved lists prefer the variant "${evidence.preferred}".`,
      },
    );
  const next = nextStep(experiment, nowMs);
  if (!next || evidence.isMismatch) return undefined;
  return decided(ramp(experiment, next.share, nowMs) as Change, {
    ...{ kind: 'ramped', atMs: nowMs },
    detail: `${100 * next.share} % of the traffic takes part.`,
  });
}

const decided = (change: Change, decision: ExperimentDecision): Change => ({
  ...change,
  progress: { ...change.progress, decision },
});

/** Whether the always-valid interval lies beyond the tolerated loss as a whole. */
function isHarm(
  { metric, value, radius, controlValue }: MetricDifference,
  guardrail: GuardrailDefinition,
): boolean {
  if (metric !== guardrail.metric || radius === undefined) return false;
  const gain = lowerIsBetter.has(metric) ? -value : value;
  return gain + radius < -guardrail.toleratedLoss * Math.abs(controlValue);
}

function describe({ value, radius = 0 }: MetricDifference): string {
  const [low, high] = [value - radius, value + radius].map((end) => Number(end.toPrecision(3)));
  return `the difference is between ${low} and ${high}`;
}

/** Returns the next step if the hours of the current one have passed. */
function nextStep({ definition, progress }: Experiment, nowMs: number): RampStep | undefined {
  const current = definition.ramp.filter(({ share }) => share <= progress.share).at(-1);
  const isDue = nowMs >= (progress.rampedAtMs ?? 0) + (current?.hours ?? 0) * hourMs;
  return isDue ? definition.ramp.find(({ share }) => share > progress.share) : undefined;
}
