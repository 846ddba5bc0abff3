/**
 * Counts the calls that were served, without a round trip for any: they are summed here and written together, twice a second and at
 * the end. A batch whose answer was lost is sent again and counts once; a node that dies loses half a second of them.
 */

import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { createPeriodic } from '../periodic.ts';
import { createRecentlyUsed } from '../recently-used.ts';
import type { Database } from '../repository/database.ts';
import { anonymousDevice } from '../repository/event-row.ts';
import type { HoldingPeople, IsGone } from '../repository/forgetting.ts';
import {
  combinationOf,
  hourOf,
  increase,
  type MetricBatch,
  sumsOf,
} from '../repository/metrics/metric-batch.ts';
import { type Combination, countedGroupings } from '../repository/metrics/metric-dimensions.ts';
import type { Measure } from '../repository/metrics/metric-measures.ts';
import { addServed, type Exposure, type ServedBatch } from '../repository/metrics/metric-served.ts';
import { storable } from '../repository/storable.ts';

const flushIntervalMs = 500;

/** Sums and devices held at most while the database is away; calls beyond are not counted. */
const mostHeld = 200_000;

/** Devices known to be exposed already; the others cost a row that is there already. */
const rememberedExposures = 100_000;

export type ServedList = { listName: string; configurationId: string; isEmpty: boolean };

export type ServedCall = {
  environment: string;
  kind: 'recommendations' | 'search' | 'completion' | 'audience';
  /** A robot's calls are not counted. */
  isRobot?: boolean;
  deviceId?: string;
  userGroup?: string;
  version?: string;
  pageType?: string;
  channel?: string;
  /** Of recommendations: each counts in its own list and configuration, the call once in total. */
  lists?: readonly ServedList[];
  /** Of a search: nothing was found. */
  isEmpty?: boolean;
};

export type ServedCalls = {
  count(call: ServedCall): void;
  /** Writes what this node has counted so far; rejects when it could not. */
  flush(): Promise<void>;
  start(): void;
  stop(): Promise<void>;
};

type Held = Pick<MetricBatch, 'hours' | 'latest' | 'combinations' | 'combinationsByText'> & {
  exposures: Map<string, Exposure>;
};

const nothing = (): Held => ({
  hours: new Map(),
  latest: new Map(),
  combinations: new Map(),
  combinationsByText: new Map(),
  exposures: new Map(),
});

export type ServedCallsOptions = Partial<HoldingPeople> & {
  db: Database;
  clock: () => number;
  logger: Pick<Logger, 'warn'>;
};

export function createServedCalls(options: ServedCallsOptions): ServedCalls {
  const { db, clock, logger, forgetting, forgetDeleted } = options;
  const exposed = createRecentlyUsed<true>(rememberedExposures);
  const node = randomUUID();
  let held = nothing();
  /** Sent, and not known to be counted; it is sent again as it was, without who was deleted meanwhile. */
  let sent: ServedBatch | undefined;
  forgetting?.add((isGone) => {
    for (const key of exposed.keys()) {
      const [environment, , deviceId] = JSON.parse(key);
      if (isGone(environment, `d:${deviceId}`)) exposed.delete(key);
    }
    for (const [key, exposure] of held.exposures) if (isOfGone(isGone, exposure)) held.exposures.delete(key);
    if (sent) sent = { ...sent, exposures: sent.exposures.filter((one) => !isOfGone(isGone, one)) };
  });
  let lastNumber = 0;
  let flushing: Promise<void> = Promise.resolve();

  const write = async () => {
    if (sent || held.hours.size > 0) await forgetDeleted?.();
    if (sent) await addServed(db, sent);
    sent = undefined;
    if (held.hours.size === 0) return;
    const { exposures, hours, combinations } = held;
    lastNumber += 1;
    sent = { hours, combinations, node, number: lastNumber, exposures: [...exposures.values()] };
    held = nothing();
    await addServed(db, sent);
    sent = undefined;
  };
  const flush = () => {
    flushing = flushing.catch(() => undefined).then(write);
    return flushing;
  };
  const writing = createPeriodic({
    work: flush,
    pauseMs: flushIntervalMs,
    runsAtStop: true,
    complaint: 'Served calls could not be counted yet; trying again.',
    logger,
  });

  return {
    count(call) {
      if (call.isRobot || held.hours.size + held.exposures.size >= mostHeld) return;
      const nowMs = clock();
      addCall(held, call, hourOf(nowMs));
      const exposure = exposureOf(call, nowMs);
      if (!exposure) return;
      const key = JSON.stringify(Object.values(exposure));
      if (exposed.has(key)) return;
      exposed.set(key, true);
      held.exposures.set(key, exposure);
    },
    flush,
    start: writing.start,
    stop: writing.stop,
  };
}

function isOfGone(isGone: IsGone, { environment, device_id: deviceId }: Exposure): boolean {
  return isGone(environment, `d:${deviceId}`);
}

/** Which measures a call of each kind adds one to, besides `recommendation_sets`. */
const measuresOf: Record<ServedCall['kind'], Measure> = {
  recommendations: 'requests',
  search: 'search_requests',
  completion: 'completions',
  audience: 'audience_requests',
};

function addCall(held: Held, call: ServedCall, hour: number): void {
  const { lists = [], kind, isEmpty } = call;
  const filled = lists.filter((list) => !list.isEmpty);
  /** Usually no list is empty, so that both measures grow in the same sums. */
  if (filled.length > 0 && filled.length === lists.length) {
    add(held, call, [measuresOf[kind], 'recommendation_sets'], hour, lists);
  } else {
    add(held, call, [measuresOf[kind]], hour, lists);
    if (filled.length > 0) add(held, call, ['recommendation_sets'], hour, filled);
  }
  if (kind === 'search' && isEmpty) add(held, call, ['searches_without_results'], hour, []);
}

function add(
  held: Held,
  call: ServedCall,
  ones: readonly Measure[],
  hour: number,
  lists: readonly ServedList[],
): void {
  const earlier: Combination[] = [];
  for (const list of lists.length > 0 ? lists : [undefined]) {
    const combination = combinationOf(held, call.environment, valuesOf(call, list));
    const counted = countedGroupings(
      combination.values,
      earlier.map(({ values }) => values),
    );
    const sums = sumsOf(held, { hour, combination, counted });
    for (const measure of ones) increase(sums, measure, 1);
    earlier.push(combination);
  }
}

function valuesOf(call: ServedCall, list: ServedList | undefined): string[] {
  const { userGroup, version, pageType, channel } = call;
  return [userGroup, version, pageType, list?.listName, channel, list?.configurationId].map((value) =>
    value ? storable(value) : '',
  );
}

const dayMs = 86_400_000;

/** Nothing is kept of the anonymous device. */
function exposureOf(
  { environment, deviceId, userGroup, version }: ServedCall,
  nowMs: number,
): Exposure | undefined {
  if (!deviceId || deviceId === anonymousDevice || (!userGroup && !version)) return undefined;
  return {
    environment,
    day: Math.floor(nowMs / dayMs),
    device_id: storable(deviceId),
    user_group: userGroup ?? '',
    version: version ?? '',
  };
}
