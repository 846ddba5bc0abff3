/**
 * Limits how many new combinations of names (page, list, channel, …) metrics count, so invented
 * names cannot fill the database. Combinations already stored keep their names. Each environment
 * may add a fixed number of new ones an hour. Further ones are counted under the name `other`, like
 * names missing from the environment's registry. Combinations with segments may take half of the
 * allowance; beyond, only their segments are `other`. Totals stay exact. Stored combinations are
 * read at startup. Unknown ones are looked up later, because another node may have stored them.
 */

import type { Logger } from 'pino';
import type { EnvironmentSettings } from '../deployment/deployment.ts';
import { createCache } from '../ranking/runtime/cache.ts';
import { createPeriodic } from '../ranking/runtime/periodic.ts';
import type { Database } from '../repository/database.ts';
import { findStoredCombinations, listRecentCombinations } from '../repository/metrics/metric-combinations.ts';
import {
  type Combination,
  combine,
  type DimensionValues,
  dimensionNames,
  otherName,
  segmentsText,
} from '../repository/metrics/metric-dimensions.ts';

const hourMs = 3_600_000;
const lookUpPauseMs = 1_000;
/** Cache of combinations known to be stored, in bytes; evicted ones are looked up again. */
const knownBytes = 16 * 1024 * 1024;
/** Unknown combinations per lookup; further ones are noted when they occur again. */
const mostLookedUp = 1_000;
const mostReadAtStart = 20_000;
const hoursReadAtStart = 24;
/** Part of the allowance that combinations with segments may use up. */
const shareOfSegments = 0.5;
const segmentsPlace = dimensionNames.length;
const mostExamples = 5;
const longestExample = 200;

/** Counts that went to `other` because their combination exceeded the limit. */
export type ExcessNames = { count: number; lastAtMs: number; examples: readonly string[] };

export type NameLimits = {
  /** Returns the values to count under, in the order of the dimensions. */
  limit(environment: string, values: DimensionValues): DimensionValues;
  /** Since the start of this node, by environment. */
  readonly excess: ReadonlyMap<string, ExcessNames>;
  start(): Promise<void>;
  stop(): Promise<void>;
};

export type NameLimitsOptions = {
  db: Database;
  environments: ReadonlyMap<string, EnvironmentSettings>;
  newNamesPerHour: number;
  clock: () => number;
  logger: Pick<Logger, 'warn'>;
};

export function createNameLimits(options: NameLimitsOptions): NameLimits {
  const { db, environments, newNamesPerHour, clock, logger } = options;
  const known = createCache<true>({ maxBytes: knownBytes });
  const takeNew = createHourlyAllowance(newNamesPerHour);
  let unknown = new Map<string, Combination>();
  const excess = new Map<string, ExcessNames>();
  const namesOf = createNames(environments);

  const admits = (environment: string, values: DimensionValues, share = 1) => {
    const key = keyOfNames(environment, values);
    if (known.get(key)) return true;
    const isNew = takeNew(environment, clock(), share);
    if (isNew) known.set(key, true);
    else if (unknown.size < mostLookedUp && !unknown.has(key)) unknown.set(key, combine(environment, values));
    return isNew;
  };
  const note = (environment: string, values: DimensionValues) => {
    const { count, examples } = excess.get(environment) ?? { count: 0, examples: [] };
    excess.set(environment, { count: count + 1, lastAtMs: clock(), examples: withExample(examples, values) });
  };
  const lookUp = async () => {
    if (unknown.size === 0) return;
    const asked = unknown;
    unknown = new Map();
    const stored = await findStoredCombinations(
      db,
      Array.from(asked.values(), ({ dimensionId }) => dimensionId),
    );
    for (const [key, { dimensionId }] of asked) if (stored.has(dimensionId)) known.set(key, true);
  };
  const lookingUp = createPeriodic({
    work: lookUp,
    pauseMs: lookUpPauseMs,
    complaint: 'Cannot look up combinations of names; new ones are counted together.',
    logger,
  });

  return {
    limit(environment, given) {
      const names = namesOf(environment);
      const values = names.registered(given);
      const hasSegments = Boolean(values[segmentsPlace]);
      if (admits(environment, values, hasSegments ? shareOfSegments : 1)) return values;
      note(environment, values);
      const fewer = hasSegments ? names.withoutSegments(values) : undefined;
      return fewer && admits(environment, fewer) ? fewer : names.shared(fewer ?? values);
    },
    excess,
    async start() {
      const sinceHour = Math.floor(clock() / hourMs) - hoursReadAtStart;
      const recent = await listRecentCombinations(db, { sinceHour, limit: mostReadAtStart });
      for (const { environment, values } of recent) known.set(keyOfNames(environment, values), true);
      lookingUp.start();
    },
    stop: lookingUp.stop,
  };
}

/** Returns a unique key of a combination. A template is three times as fast as joining an array. */
export function keyOfNames(environment: string, values: DimensionValues): string {
  const [group, version, pageType, listName, channel, configuration, segments = ''] = values;
  return `${environment}\0${group}\0${version}\0${pageType}\0${listName}\0${channel}\0${configuration}\0${segments}`;
}

function withExample(examples: readonly string[], values: DimensionValues): readonly string[] {
  if (examples.length >= mostExamples) return examples;
  const example = values
    .filter((value) => value !== '')
    .join(' / ')
    .slice(0, longestExample);
  return examples.includes(example) ? examples : [...examples, example];
}

type Allowance = (environment: string, nowMs: number, share: number) => boolean;

function createHourlyAllowance(most: number): Allowance {
  const used = new Map<string, { hour: number; count: number }>();
  return (environment, nowMs, share) => {
    const hour = Math.floor(nowMs / hourMs);
    const before = used.get(environment);
    const count = before?.hour === hour ? before.count : 0;
    if (count >= most * share) return false;
    used.set(environment, { hour, count: count + 1 });
    return true;
  };
}

type Names = {
  /** Replaces names missing from a registry with `other`. */
  registered(values: DimensionValues): DimensionValues;
  /** The combination with `other` as every declared segment. */
  withoutSegments(values: DimensionValues): DimensionValues;
  /** Names for excess combinations: declared groups and versions are kept, others are `other`. */
  shared(values: DimensionValues): DimensionValues;
};

function createNames(environments: NameLimitsOptions['environments']): (environment: string) => Names {
  const names = new Map(Array.from(environments, ([name, settings]) => [name, namesIn(settings)]));
  const undeclared = namesIn(undefined);
  return (environment) => names.get(environment) ?? undeclared;
}

function namesIn(settings: EnvironmentSettings | undefined): Names {
  const groups = new Set([
    'recommender',
    'fallback',
    ...(settings?.userGroups ?? []).map(({ name }) => name),
  ]);
  const versions = new Set(['default', ...(settings?.versions ?? []).map(({ name }) => name)]);
  const { pageTypes, listNames, channels, metricSegments = [] } = settings ?? {};
  /** The same text whatever a call has, so that excess combinations are few. */
  const others = segmentsText(
    metricSegments,
    Object.fromEntries(metricSegments.map((name) => [name, otherName])),
  );
  const registries = [
    undefined,
    undefined,
    pageTypes?.values,
    listNames?.values,
    channels?.values,
    undefined,
  ];
  const declared = [groups, versions, undefined, undefined, undefined, undefined];
  const hasRegistry = registries.some((registry) => registry !== undefined);
  const orOther = (value: string, isKept: boolean) => (value === '' || isKept ? value : otherName);
  return {
    withoutSegments: (values) => values.with(segmentsPlace, others),
    registered: (values) =>
      hasRegistry
        ? values.map((value, place) => orOther(value, registries[place]?.has(value) ?? true))
        : values,
    shared: (values) =>
      values.map((value, place) =>
        orOther(value, place === segmentsPlace || (declared[place]?.has(value) ?? false)),
      ),
  };
}
