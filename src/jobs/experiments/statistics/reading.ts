/** Compares every arm of an experiment with the control arm, metric by metric. */

import { exposureOf } from '../../../ranking/lists/person/treatment.ts';
import type { Database } from '../../../repository/database.ts';
import type { Experiment } from '../../../repository/experiments/experiments.ts';
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
import { checkSampleRatio, type SampleRatio } from './sample-ratio.ts';

/** Names of the metrics that experiments report. */
export const experimentMetrics: readonly string[] = [...experimentMeasures, ...Object.keys(rates)];

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

const hourMs = 3_600_000;
const longestHours = 92 * 24;

export type VariantsQuery = {
  confidence: number;
  /** First hour with metrics [all]. */
  firstHour?: number;
  nowMs: number;
};

/** Reads the variants of a started experiment, at most its first 92 days, by their names. */
export async function readVariants(
  db: Database,
  { environment, experimentId, definition, progress }: Experiment,
  { confidence, firstHour = 0, nowMs }: VariantsQuery,
): Promise<{ reading: ExperimentReading; shares: ReadonlyMap<string, number> }> {
  const { variants } = definition;
  const startHour = Math.floor(progress.startedAtMs! / hourMs);
  const endHour = Math.floor((progress.endedAtMs ?? nowMs) / hourMs) + 1;
  const arms = variants.map(({ name }) => exposureOf(experimentId, name));
  const reading = await readExperiment(db, {
    ...{ environment, dimension: 'version', arms, kind: 'alwaysValid', confidence },
    fromHour: Math.max(startHour, firstHour),
    toHour: Math.min(endHour, startHour + longestHours),
  });
  const nameOf = new Map(arms.map((arm, i) => [arm, variants[i].name]));
  const total = variants.reduce((sum, { share }) => sum + share, 0);
  return {
    reading: {
      ...reading,
      arms: reading.arms.map((arm) => ({ ...arm, name: nameOf.get(arm.name)! })),
      differences: reading.differences.map((one) => ({ ...one, arm: nameOf.get(one.arm)! })),
    },
    shares: new Map(variants.map(({ name, share }) => [name, share / total])),
  };
}

/** Checks the devices of the arms against their shares; arms without a share are left out. */
export function checkShares(
  { arms }: Pick<ExperimentReading, 'arms'>,
  shares: ReadonlyMap<string, number>,
): SampleRatio {
  const assigned = arms.filter(({ name }) => (shares.get(name) ?? 0) > 0);
  return checkSampleRatio(
    assigned.map(({ deviceCount }) => deviceCount),
    assigned.map(({ name }) => shares.get(name)!),
  );
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
