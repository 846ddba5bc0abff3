/** Compares every arm of an experiment with the control arm, metric by metric. */

import { exposureOf } from '../../../ranking/lists/person/treatment.ts';
import type { Database } from '../../../repository/database.ts';
import type { Experiment } from '../../../repository/experiments/experiments.ts';
import {
  type ArmSums,
  countPreferences,
  type ExperimentMeasure,
  type ExperimentQuery,
  type ExperimentRate,
  experimentMeasures,
  type PreferenceCounts,
  sumArms,
} from '../../../repository/metrics/metric-experiments.ts';
import { rates } from '../../../repository/metrics/metric-measures.ts';
import { compare, type Difference, type Kind } from './intervals.ts';
import { type Adjustable, adjust, pairedMean, pairedRate } from './moments.ts';
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
  return {
    arms: arms.map(({ arm, deviceCount }) => ({ name: arm, deviceCount })),
    differences: differencesOf(arms, query),
    crossedDeviceCount,
  };
}

const hourMs = 3_600_000;
const longestHours = 92 * 24;
/** Seven days before the first exposure reduce the variance. */
export const hoursBefore = 7 * 24;

export type VariantsQuery = {
  confidence: number;
  /** First hour with metrics [all]. */
  firstHour?: number;
  nowMs: number;
};

/** Reads the variants of a started experiment, at most its first 92 days, by their names. */
export async function readVariants(
  db: Database,
  experiment: Experiment,
  { confidence, ...query }: VariantsQuery,
): Promise<{ reading: ExperimentReading; shares: ReadonlyMap<string, number> }> {
  const { environment, experimentId, definition } = experiment;
  const { variants } = definition;
  const arms = variants.map(({ name }) => exposureOf(experimentId, name));
  const reading = await readExperiment(db, {
    ...{ environment, dimension: 'version', arms, kind: 'alwaysValid', confidence },
    ...hoursOf(experiment, query),
    hoursBefore,
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

/** Devices that prefer each variant of an interleaved experiment, and what that proves. */
export type Preference = PreferenceCounts & { pValue: number; preferred?: string };

const preferredBelow = 0.05;

/**
 * A device prefers the variant whose items it clicked in more lists. The test is that of the sample
 * ratio: without a preference, half of the devices prefer either.
 */
export async function readPreference(
  db: Database,
  experiment: Experiment,
  query: Omit<VariantsQuery, 'confidence'>,
): Promise<Preference> {
  const [first, second] = experiment.definition.variants.map(({ name }) => name);
  const { environment, experimentId } = experiment;
  const arms = [exposureOf(experimentId, first), exposureOf(experimentId, second)] as const;
  const counts = await countPreferences(db, { environment, arms, ...hoursOf(experiment, query) });
  const { pValue } = checkSampleRatio([counts.first, counts.second], [0.5, 0.5]);
  const better = counts.second > counts.first ? second : first;
  return { ...counts, pValue, preferred: pValue < preferredBelow ? better : undefined };
}

function hoursOf({ progress }: Experiment, { firstHour = 0, nowMs }: Omit<VariantsQuery, 'confidence'>) {
  const startHour = Math.floor(progress.startedAtMs! / hourMs);
  const endHour = Math.floor((progress.endedAtMs ?? nowMs) / hourMs) + 1;
  return {
    fromHour: Math.max(startHour, firstHour),
    toHour: Math.min(endHour, startHour + longestHours),
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

/** Returns the differences from the first arm, by arm, then metric. */
function differencesOf(arms: readonly ArmSums[], { kind, confidence }: ReadingQuery): MetricDifference[] {
  const estimates = experimentMetrics.map((metric) => [metric, adjust(pairedOf(arms, metric))] as const);
  return arms.slice(1).flatMap(({ arm }, i) =>
    estimates.map(([metric, [control, ...others]]) => ({
      ...{ metric, arm, controlValue: control.value, armValue: others[i].value },
      ...compare(control, others[i], kind, confidence),
    })),
  );
}

/** Returns the estimates of a metric by arm, each with its covariate. */
export function pairedOf(arms: readonly ArmSums[], metric: string): Adjustable[] {
  const rate = Object.hasOwn(rates, metric) ? (metric as ExperimentRate) : undefined;
  const after = ({ sums, deviceCount: count }: ArmSums, name: ExperimentMeasure) => ({
    count,
    ...sums[name],
  });
  const before = ({ sums, deviceCount: count }: ArmSums, name: ExperimentMeasure) => ({
    ...{ count, sum: sums[name].before, squares: sums[name].beforeSquares },
  });
  if (!rate) {
    const name = metric as ExperimentMeasure;
    return arms.map((arm) => pairedMean(after(arm, name), before(arm, name), arm.sums[name].both));
  }
  const { part, whole } = rates[rate];
  const totalOf = (of: (arm: ArmSums) => number) => arms.reduce((sum, arm) => sum + of(arm), 0);
  const wholeBefore = totalOf(({ sums }) => sums[whole].before);
  const pooled = {
    value: wholeBefore === 0 ? 0 : totalOf(({ sums }) => sums[part].before) / wholeBefore,
    meanWhole: wholeBefore / (totalOf(({ deviceCount }) => deviceCount) || 1),
  };
  return arms.map((arm) =>
    pairedRate(
      {
        ...{ part: after(arm, part), whole: after(arm, whole), count: arm.rates[rate].deviceCount },
        ...{ partBefore: before(arm, part), wholeBefore: before(arm, whole) },
        products: { ...arm.rates[rate], parts: arm.sums[part].both, wholes: arm.sums[whole].both },
      },
      pooled,
    ),
  );
}
