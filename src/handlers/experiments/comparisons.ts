/** Comparisons of versions, user groups and variants of experiments. */

import type {
  CompareVersionsRequest,
  ReadExperimentRequest,
} from '../../../gen/es/personalisation/v1/experiment_service_pb.js';
import type { TimeInterval } from '../../../gen/es/personalisation/v1/metric_pb.js';
import type { Deployment, EnvironmentSettings } from '../../deployment/deployment.ts';
import {
  checkShares,
  type ExperimentReading,
  type MetricDifference,
  type Preference,
  type ReadingQuery,
  readExperiment,
  readPreference,
  readVariants,
} from '../../jobs/experiments/statistics/reading.ts';
import type { Database } from '../../repository/database.ts';
import type { Experiment } from '../../repository/experiments/experiments.ts';
import { refuse } from '../chain/refuse.ts';
import { firstHoursOf } from '../metrics/first-hours.ts';
import { readHours } from '../metrics/metric-interval.ts';

const hourMs = 3_600_000;
const longestHours = 92 * 24;
const defaultHours = 28 * 24;
const defaultConfidence = 0.95;

type Dimension = 'version' | 'user_group';

export type ComparisonOptions = {
  db: Database;
  deployment: Deployment;
  /** Updates the counts with everything stored and served until now. */
  completeCounts: () => Promise<void>;
  clock: () => number;
};

export function createComparisons({ db, deployment, completeCounts, clock }: ComparisonOptions) {
  /** Limits the interval to retained metrics. */
  const readKept = (interval: TimeInterval | undefined, environment: string) => {
    const hours = readShortInterval(interval, clock());
    const firstHour = firstHoursOf(deployment, clock(), 'names').get(environment) ?? hours.fromHour;
    return { ...hours, fromHour: Math.max(hours.fromHour, firstHour) };
  };
  type Question = { environment: string; dimension?: string; confidence?: number; startTime?: TimeInterval };
  const read = async (question: Question, arms: string[], kind: ReadingQuery['kind']) => {
    const { environment, dimension, confidence = defaultConfidence, startTime } = question;
    const hours = readKept(startTime, environment);
    await completeCounts();
    const query = { environment, dimension: (dimension as Dimension | undefined) ?? 'version', arms };
    return readExperiment(db, { ...hours, ...query, kind, confidence });
  };
  const sharesIn = ({ environment, dimension }: Question) =>
    sharesOf(deployment.environments.get(environment)!, dimension);

  return {
    async compareVersions({ control, arm, ...question }: CompareVersionsRequest) {
      if (control === arm) refuse([{ pointer: '/arm', detail: 'Must differ from control.' }]);
      const reading = await read(question, [control, arm], 'fixed');
      return readingMessage(reading, sharesIn(question));
    },
    async readExperiment({ control, ...question }: ReadExperimentRequest) {
      const shares = sharesIn(question);
      const reading = await read(question, armsOf(shares, question.dimension, control), 'alwaysValid');
      return withSampleRatio(reading, shares);
    },
    /** Reads a started experiment, at most its first 92 days. */
    async resultsOf(experiment: Experiment, confidence = defaultConfidence) {
      const { environment } = experiment;
      await completeCounts();
      const firstHour = firstHoursOf(deployment, clock(), 'names').get(environment);
      const period = { firstHour, nowMs: clock() };
      if (experiment.definition.interleaved)
        return { preference: preferenceMessage(await readPreference(db, experiment, period)) };
      const { reading, shares } = await readVariants(db, experiment, { confidence, ...period });
      return withSampleRatio(reading, shares);
    },
  };
}

/** Returns the declared shares by arm, adding up to 1. */
function sharesOf(
  { versions, userGroups }: EnvironmentSettings,
  dimension: string | undefined,
): ReadonlyMap<string, number> {
  const declared = dimension === 'user_group' ? userGroups : versions;
  const total = declared.reduce((sum, { share }) => sum + share, 0);
  return new Map(declared.map(({ name, share }) => [name, total > 0 ? share / total : 0]));
}

/** Returns the arms, the control arm first. */
function armsOf(shares: ReadonlyMap<string, number>, dimension = 'version', control?: string): string[] {
  const names = [...shares.keys()];
  const detail = `There is no experiment: declare two or more ${dimension}s of the environment in the deployment file.`;
  if (names.length < 2) refuse([{ pointer: '/dimension', detail }]);
  if (control !== undefined && !shares.has(control))
    refuse([{ pointer: '/control', detail: 'The deployment declares no such arm.' }]);
  const first = control ?? (shares.has('control') ? 'control' : names[0]);
  return [first, ...names.filter((name) => name !== first)];
}

function readShortInterval(interval: TimeInterval | undefined, nowMs: number) {
  const open = Number.NEGATIVE_INFINITY;
  const given = readHours(interval, '/start_time/', {
    fromHour: open,
    toHour: Math.floor(nowMs / hourMs) + 1,
  });
  const hours = {
    ...given,
    fromHour: given.fromHour === open ? given.toHour - defaultHours : given.fromHour,
  };
  if (hours.toHour - hours.fromHour > longestHours)
    refuse([{ pointer: '/start_time', detail: 'Must span at most 92 days.' }]);
  return hours;
}

function preferenceMessage({ first, second, tied, pValue, preferred }: Preference) {
  const [controlDeviceCount, variantDeviceCount, tiedDeviceCount] = [first, second, tied].map(BigInt);
  return { controlDeviceCount, variantDeviceCount, tiedDeviceCount, pValue, preferred };
}

function withSampleRatio(reading: ExperimentReading, shares: ReadonlyMap<string, number>) {
  const { pValue, isMismatch } = checkShares(reading, shares);
  return { ...readingMessage(reading, shares), sampleRatio: { pValue, mismatch: isMismatch } };
}

function readingMessage(reading: ExperimentReading, shares: ReadonlyMap<string, number>) {
  return {
    arms: reading.arms.map(({ name, deviceCount }) => ({
      name,
      deviceCount: BigInt(deviceCount),
      declaredShare: shares.get(name) ?? 0,
    })),
    differences: reading.differences.map(differenceMessage),
    crossedDeviceCount: BigInt(reading.crossedDeviceCount),
  };
}

function differenceMessage(difference: MetricDifference) {
  const { metric, arm, controlValue, armValue, value, radius, isSignificant, smallestDetectable } =
    difference;
  return {
    metric,
    arm,
    controlMean: controlValue,
    armMean: armValue,
    difference: value,
    relativeDifference: controlValue === 0 ? undefined : value / controlValue,
    interval: radius === undefined ? undefined : { low: value - radius, high: value + radius },
    significant: isSignificant,
    smallestDetectable,
  };
}
