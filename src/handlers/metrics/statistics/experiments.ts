/** Compares every arm of an experiment with the control arm, metric by metric. */

import type { Database } from '../../../repository/database.ts';
import {
  type ArmSums,
  type ExperimentMeasure,
  type ExperimentQuery,
  experimentMeasures,
  sumArms,
} from '../../../repository/metrics/metric-experiments.ts';
import { rates } from '../../../repository/metrics/metric-measures.ts';
import { compare, type Difference, type Kind } from './intervals.ts';
import { type Estimate, type Moments, meanOf, rateOf } from './moments.ts';

export type MetricDifference = Difference & {
  metric: string;
  arm: string;
  controlValue: number;
  armValue: number;
};

export type ExperimentReading = {
  /** The control arm first. */
  arms: { name: string; deviceCount: number }[];
  differences: MetricDifference[];
  crossedDeviceCount: number;
};

export type ReadingQuery = ExperimentQuery & { kind: Kind; confidence: number };

/** The first of `arms` is the control arm. */
export async function readExperiment(db: Database, query: ReadingQuery): Promise<ExperimentReading> {
  const { arms, crossedDeviceCount } = await sumArms(db, query);
  const [control, ...others] = arms;
  return {
    arms: arms.map(({ arm, deviceCount }) => ({ name: arm, deviceCount })),
    differences: others.flatMap((other) => differencesOf(control, other, query)),
    crossedDeviceCount,
  };
}

function differencesOf(
  control: ArmSums,
  other: ArmSums,
  { kind, confidence }: ReadingQuery,
): MetricDifference[] {
  const controls = estimatesOf(control);
  return [...estimatesOf(other)].map(([metric, estimate]) => {
    const base = controls.get(metric)!;
    const difference = compare(base, estimate, kind, confidence);
    return { metric, arm: other.arm, controlValue: base.value, armValue: estimate.value, ...difference };
  });
}

function estimatesOf(arm: ArmSums): Map<string, Estimate> {
  const momentsOf = (name: ExperimentMeasure): Moments => ({ count: arm.deviceCount, ...arm.sums[name] });
  const estimates = new Map<string, Estimate>();
  for (const name of experimentMeasures) estimates.set(name, meanOf(momentsOf(name)));
  for (const [rate, { part, whole }] of Object.entries(rates)) {
    const { products, deviceCount: count } = arm.rates[rate as keyof typeof rates];
    estimates.set(rate, rateOf({ part: momentsOf(part), whole: momentsOf(whole), products, count }));
  }
  return estimates;
}
