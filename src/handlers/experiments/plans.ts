/** Plans experiments from what devices did lately. */

import type { PlanExperimentRequest } from '../../../gen/es/personalisation/v1/experiment_service_pb.js';
import { detectable, neededCount } from '../../jobs/experiments/statistics/intervals.ts';
import { adjust } from '../../jobs/experiments/statistics/moments.ts';
import { hoursBefore, pairedOf } from '../../jobs/experiments/statistics/reading.ts';
import { sumArms } from '../../repository/metrics/metric-experiments.ts';
import type { ComparisonOptions } from './comparisons.ts';
import { checkMetric } from './experiment-messages.ts';

const hourMs = 3_600_000;
const baselineDays = 28;
const plannedDays = [7, 14, 28, 56];

/** @throws BODY_INVALID for an unknown metric. */
export async function planExperiment(
  { environment, metric = 'click_through_rate', effect = 0.05, ...asked }: PlanExperimentRequest,
  { db, deployment, completeCounts, clock }: ComparisonOptions,
) {
  checkMetric(metric);
  await completeCounts();
  const { versions, holdOut } = deployment.environments.get(environment)!;
  const toHour = Math.floor(clock() / hourMs) + 1;
  const { arms, crossedDeviceCount } = await sumArms(db, {
    ...{ environment, dimension: 'version', toHour, fromHour: toHour - baselineDays * 24, hoursBefore },
    arms: versions.length > 0 ? versions.map(({ name }) => name) : ['default'],
  });
  const deviceCount = arms.reduce((sum, arm) => sum + arm.deviceCount, crossedDeviceCount);
  const estimates = adjust(pairedOf(arms, metric));
  const weights = estimates.reduce((sum, { count }) => sum + count, 0) || 1;
  const meanOf = (of: (one: (typeof estimates)[number]) => number) =>
    estimates.reduce((sum, one) => sum + one.count * of(one), 0) / weights;
  const mean = meanOf(({ value }) => value);
  const variance = meanOf(({ variance: ofMean, count }) => ofMean * count);
  const baseline = { mean, standardDeviation: Math.sqrt(variance), deviceCount: BigInt(deviceCount) };
  if (mean === 0 || variance === 0) return baseline;

  const { confidence = 0.95, power, traffic = 1 } = asked;
  const [control, ...others] = asked.shares.length > 1 ? asked.shares : [1, 1];
  const total = others.reduce((sum, share) => sum + share, control);
  const shares = [control / total, Math.min(...others) / total] as const;
  const perDay = (deviceCount / baselineDays) * traffic * (1 - holdOut);
  const needed = neededCount(Math.abs(effect * mean), variance, shares, { confidence, power });
  const found = (days: number) => {
    const counts = [shares[0] * perDay * days, shares[1] * perDay * days] as const;
    return detectable(variance, counts, { confidence, power }) / Math.abs(mean);
  };
  return {
    ...baseline,
    requiredDeviceCount: BigInt(needed),
    durationDays: Math.min(Math.ceil(needed / perDay / 7) * 7, 2 ** 31 - 1),
    detectableEffects: plannedDays.map((days) => ({ days, effect: found(days) })),
  };
}
