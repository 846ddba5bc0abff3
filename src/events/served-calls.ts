/**
 * Counts served calls without a round trip for each: sums are written twice a second and at
 * shutdown. A batch without a response is sent again and counts once. A crash loses half a second
 * of them.
 */

import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { List } from '../ranking/lists/recommendation-request.ts';
import { createCache, textBytes } from '../ranking/runtime/cache.ts';
import type { HoldingPeople } from '../ranking/runtime/forgetting.ts';
import { withinTime } from '../ranking/runtime/within-time.ts';
import { createWriteBehind, type WriteBehind } from '../ranking/runtime/write-behind.ts';
import { anonymousDevice } from '../ranking/subject.ts';
import type { QueueLengths } from '../repository/batcher.ts';
import type { Database } from '../repository/database.ts';
import { isAway } from '../repository/failures.ts';
import { hourOf, increase } from '../repository/metrics/metric-batch.ts';
import { combine, countedGroupings, type DimensionValues } from '../repository/metrics/metric-dimensions.ts';
import type { Measure } from '../repository/metrics/metric-measures.ts';
import {
  addExposures,
  addServed,
  type Exposure,
  type ServedCount,
} from '../repository/metrics/metric-served.ts';
import { storable } from '../repository/storable.ts';
import { keyOfNames, type NameLimits } from './name-limits.ts';

const dayMs = 86_400_000;
const flushIntervalMs = 500;

/** Maximum waiting sums and devices while the database is away; further ones are dropped. */
const mostWaiting = { entries: 100_000, bytes: 32 * 1024 * 1024 };

/** Size of one statement: milliseconds of database time. */
const partOfStatement = { entries: 500, bytes: 256 * 1024 };

/** Cache of devices already recorded, some 100,000; others are written again without effect. */
const mostExposureBytes = 56 * 1024 * 1024;

const bytesOfExposure = ({ device_id: deviceId }: Exposure) => 100 + textBytes(deviceId);

/** Maximum time that a reader of metrics waits for unwritten counts of this node. */
const usualPatienceMs = 5_000;
const stopMs = 5_000;

/** Size of an entry besides its texts, estimated. */
const bytesPerEntry = 400;

export type ServedList = { listName: string; configurationId: string; isEmpty: boolean } & Pick<
  List,
  'newestAtMs' | 'firstScore'
>;

export type ServedCall = {
  environment: string;
  kind: 'recommendations' | 'search' | 'completion' | 'audience';
  /** Calls of robots are not counted. */
  isRobot?: boolean;
  deviceId?: string;
  userGroup?: string;
  version?: string;
  /** Variants of experiments that the device got, recorded as versions. */
  exposures?: readonly string[];
  pageType?: string;
  channel?: string;
  /** As `segmentsText` writes them. */
  segments?: string;
  /** For recommendations: each list counts under its name and configuration, the call once. */
  lists?: readonly ServedList[];
  /** For a search: it had no results. */
  isEmpty?: boolean;
};

export type ServedCalls = {
  count(call: ServedCall): void;
  /** Records an exposure without a call. */
  expose(served: Omit<ServedCall, 'kind'>): void;
  /** Writes all counts so far; rejects on failure. */
  flush(): Promise<void>;
  /** Flushes for a reader of metrics; resolves after five seconds at most, even if incomplete. */
  settle(): Promise<void>;
  /** Writes only the served devices; rejects on failure. */
  flushPeople(): Promise<void>;
  /** Counts lost because the queue was full or the database refused them. */
  readonly droppedCount: number;
  start(): void;
  stop(): Promise<void>;
};

export type ServedCallsOptions = Partial<HoldingPeople> & {
  db: Database;
  clock: () => number;
  logger: Pick<Logger, 'warn'>;
  names?: Pick<NameLimits, 'limit'>;
  queues?: QueueLengths;
  patienceMs?: number;
};

export function createServedCalls(options: ServedCallsOptions): ServedCalls {
  const { db, clock, logger, names, queues, patienceMs = usualPatienceMs } = options;
  const node = randomUUID();
  const counts = createWriteBehind<ServedCount>({
    name: 'counts of served calls',
    write: (entries, number) => addServed(db, { node, number, counts: entries }),
    bytesOf: ({ combination: { environment, values } }) =>
      bytesPerEntry + bytesOfTexts([environment, ...values]),
    ...writing(logger),
  });
  const exposures = createExposures(options);
  queues?.set('served calls', () => counts.waitingCount);
  const countWith = createCounting(counts, names?.limit ?? ((_, values) => values));
  const flush = async () => void (await Promise.all([counts.flush(), exposures.flush()]));
  return {
    count(call) {
      if (call.isRobot) return;
      const nowMs = clock();
      countWith(call, nowMs);
      exposures.note(call, nowMs);
    },
    expose: (served) => exposures.note({ ...served, kind: 'recommendations' }, clock()),
    flush,
    settle: async () => void (await withinTime(patienceMs, flush())),
    flushPeople: exposures.flush,
    get droppedCount() {
      return counts.droppedCount + exposures.droppedCount;
    },
    start() {
      counts.start();
      exposures.start();
    },
    stop: async () => void (await Promise.all([counts.stop(), exposures.stop()])),
  };
}

function writing(logger: ServedCallsOptions['logger']) {
  const bounds = { most: mostWaiting, part: partOfStatement };
  return { ...bounds, isPassing: isAway, pauseMs: flushIntervalMs, stopMs, logger };
}

function bytesOfTexts(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + textBytes(text), 0);
}

/** Records which devices were served with which group and version, once a day each. */
function createExposures({ db, logger, forgetting, forgetDeleted }: ServedCallsOptions) {
  const known = createCache<Exposure>({ maxBytes: mostExposureBytes, bytesOf: bytesOfExposure });
  const exposures = createWriteBehind<Exposure>({
    name: 'devices that were served',
    write: (entries) => addExposures(db, entries),
    prepare: forgetDeleted,
    bytesOf: ({ environment, device_id, user_group, version }) =>
      bytesPerEntry + bytesOfTexts([environment, device_id, user_group, version]),
    ...writing(logger),
  });
  forgetting?.add((isGone) => {
    const isOfGone = ({ environment, device_id: deviceId }: Exposure) => isGone(environment, `d:${deviceId}`);
    known.deleteWhere(isOfGone);
    exposures.remove(isOfGone);
  });
  const { flush, start, stop } = exposures;
  return {
    ...{ flush, start, stop },
    get droppedCount() {
      return exposures.droppedCount;
    },
    note(call: ServedCall, nowMs: number): void {
      const variants = (call.exposures ?? []).map((version) => ({ ...call, version, userGroup: '' }));
      for (const one of [call, ...variants]) {
        const exposure = exposureOf(one, nowMs);
        if (!exposure) continue;
        const key = JSON.stringify(Object.values(exposure));
        if (!known.get(key) && exposures.add(key, exposure)) known.set(key, exposure);
      }
    },
  };
}

/** Measure that grows by one with a call of each kind, besides `recommendation_sets`. */
const measuresOf: Record<ServedCall['kind'], Measure> = {
  recommendations: 'requests',
  search: 'search_requests',
  completion: 'completions',
  audience: 'audience_requests',
};

type NamedList = { values: DimensionValues; isEmpty: boolean; signals?: Signals };

type Signals = Partial<Record<'list_freshness' | 'list_scores', number>>;

/**
 * Returns millionths of parts of 1: freshness is 1 / (1 + age in days) of the newest item, and a
 * score s counts as s / (1 + s).
 */
function signalsOf({ newestAtMs, firstScore = 0 }: ServedList, nowMs: number): Signals {
  const ageDays = newestAtMs === undefined ? Number.POSITIVE_INFINITY : (nowMs - newestAtMs) / dayMs;
  return {
    list_freshness: Math.round(1e6 / (1 + Math.max(0, ageDays))),
    list_scores: Math.round((1e6 * firstScore) / (1 + firstScore)),
  };
}

function createCounting(
  counts: Pick<WriteBehind<ServedCount>, 'get' | 'add'>,
  limit: NameLimits['limit'],
): (call: ServedCall, nowMs: number) => void {
  const add = (environment: string, ones: readonly Measure[], hour: number, lists: readonly NamedList[]) => {
    const earlier: DimensionValues[] = [];
    for (const { values, signals } of lists) {
      const counted = countedGroupings(values, earlier);
      /** An earlier list has the same names and is counted already. */
      if (counted === '0') continue;
      earlier.push(values);
      const key = `${hour} ${counted} ${keyOfNames(environment, values)}`;
      const waiting = counts.get(key);
      const count = waiting ?? createCount({ environment, values, hour, counted });
      for (const measure of ones) increase(count.sums, measure, 1);
      if (signals && ones.includes('recommendation_sets'))
        for (const name of ['list_freshness', 'list_scores'] as const)
          increase(count.sums, name, signals[name] ?? 0);
      if (!waiting) counts.add(key, count);
    }
  };
  return (call, nowMs) => {
    const hour = hourOf(nowMs);
    const { environment, lists = [], kind, isEmpty = false } = call;
    const measure = measuresOf[kind];
    const named = lists.map((list) => ({
      values: limit(environment, valuesOf(call, list)),
      isEmpty: list.isEmpty,
      signals: signalsOf(list, nowMs),
    }));
    const filled = named.filter((list) => !list.isEmpty);
    const withoutList = () => [{ values: limit(environment, valuesOf(call, undefined)), isEmpty }];
    /** Usually no list is empty, so both measures grow in the same sums. */
    if (filled.length > 0 && filled.length === named.length)
      add(environment, [measure, 'recommendation_sets'], hour, named);
    else {
      add(environment, [measure], hour, named.length > 0 ? named : withoutList());
      add(environment, ['recommendation_sets'], hour, filled);
    }
    if (kind === 'search' && isEmpty) add(environment, ['searches_without_results'], hour, withoutList());
  };
}

type CountPlace = { environment: string; values: DimensionValues; hour: number; counted: string };

function createCount({ environment, values, hour, counted }: CountPlace): ServedCount {
  const combination = combine(environment, values);
  return { combination, sums: { hour, dimension_id: combination.dimensionId, counted } };
}

function valuesOf(call: ServedCall, list: ServedList | undefined): string[] {
  const { userGroup, version, pageType, channel, segments = '' } = call;
  const named = [userGroup, version, pageType, list?.listName, channel, list?.configurationId];
  return [...named.map((value) => (value ? storable(value) : '')), segments];
}

/** Maximum UTF-8 bytes of a device id; longer ones are not recorded, to bound memory. */
const longestDeviceId = 256;

/** Returns undefined for the anonymous device, among others. */
function exposureOf(
  { environment, deviceId, userGroup, version }: ServedCall,
  nowMs: number,
): Exposure | undefined {
  if (!deviceId || deviceId === anonymousDevice || (!userGroup && !version)) return undefined;
  if (Buffer.byteLength(deviceId) > longestDeviceId) return undefined;
  return {
    environment,
    day: Math.floor(nowMs / dayMs),
    device_id: storable(deviceId),
    user_group: userGroup ?? '',
    version: version ?? '',
  };
}
