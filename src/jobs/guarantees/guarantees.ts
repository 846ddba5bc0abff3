/**
 * Counts the impressions of guarantees and stock budgets, sets paces and names the items to leave out. One node at a time counts what the log
 * has since the last position, so each event counts once; all nodes read the result.
 */

import type { Logger } from 'pino';
import { isClick } from '../../events/meaning.ts';
import type { ListEnvironment } from '../../ranking/environment/serving-environment.ts';
import type { PaceOf, SpentItems, SpentOf } from '../../ranking/lists/guarantees.ts';
import type { ActiveConfiguration } from '../../ranking/rules/active-configuration.ts';
import { bindQuery } from '../../ranking/rules/bind.ts';
import type { StockBudget } from '../../ranking/rules/settings.ts';
import type { Guarantee, Query } from '../../ranking/rules/types.ts';
import { createPeriodic } from '../../ranking/runtime/periodic.ts';
import { startOfDay } from '../../ranking/runtime/time-zones.ts';
import { listLatestAlerts, raiseAlert, resolveAlert } from '../../repository/alerts/alerts.ts';
import type { Database } from '../../repository/database.ts';
import { copyEvents } from '../../repository/events/event-copy.ts';
import { listEventRanges, positionAfter } from '../../repository/events/event-ranges.ts';
import {
  claimGuarantees,
  findProgress,
  type GuaranteeProgress,
  type GuaranteeState,
  type StockCounts,
  saveGuarantees,
} from '../../repository/guarantees/guarantees.ts';
import { listCounts } from '../../repository/metrics/metric-reads.ts';
import { createForecast, type Forecast, paced } from './pacing.ts';
import { createStockCount, spentItems } from './stock-budgets.ts';

const hourMs = 3_600_000;
const everyMs = 5_000;
/** Shorter than a turn, so that a node alone counts in every turn. */
const leaseMs = 4_000;

/** Most guarantees of an environment. */
const mostGuarantees = 100;

type Guaranteed = { configurationId: string; query: Query; guarantee: Guarantee };

export type GuaranteesOptions = {
  db: Database;
  environments: ReadonlyMap<string, ListEnvironment>;
  configurations: {
    ids(): Iterable<string>;
    find(configurationId: string, environment: string): ActiveConfiguration | undefined;
  };
  isImpression(eventType: string): boolean;
  /** Milliseconds since the epoch. */
  clock: () => number;
  logger: Pick<Logger, 'warn'>;
};

export function createGuarantees(options: GuaranteesOptions) {
  const { db, environments, clock, logger } = options;
  const paces = new Map<string, ReadonlyMap<string, number>>();
  const spent = createSpent(options);
  const forecastOf = createForecasts(db);
  const advance = createCounting(options, forecastOf);
  const work = async () => {
    for (const name of environments.keys()) {
      const all = guaranteesOf(name, options);
      const budgets = budgetsOf(name, options);
      if (all.length + budgets.length === 0) {
        paces.delete(name);
        spent.renew(name, [], {});
        continue;
      }
      const nowMs = clock();
      const claimed = await claimGuarantees(db, name, { nowMs, leaseMs });
      const progress = claimed
        ? await advance(name, { all, budgets }, claimed, nowMs)
        : await findProgress(db, name);
      paces.set(name, new Map(progress?.states.map((state) => [keyOf(state), state.pace])));
      spent.renew(name, budgets, progress?.items ?? {});
    }
  };
  const paceOf: PaceOf = (environment, configurationId, guaranteeId) =>
    paces.get(environment)?.get(keyOf({ configurationId, guaranteeId })) ?? 0;
  const complaint = 'Guarantees could not be counted; trying again.';
  return { paceOf, spentOf: spent.of, ...createPeriodic({ work, pauseMs: everyMs, complaint, logger }) };
}

const keyOf = ({ configurationId, guaranteeId }: Pick<GuaranteeState, 'configurationId' | 'guaranteeId'>) =>
  `${guaranteeId}\u0000${configurationId}`;

function guaranteesOf(environment: string, { configurations }: GuaranteesOptions): Guaranteed[] {
  const found: Guaranteed[] = [];
  for (const configurationId of configurations.ids()) {
    for (const rule of configurations.find(configurationId, environment)?.rules.rules ?? []) {
      if (rule.kind !== 'constraint' || !rule.guarantee) continue;
      found.push({ configurationId, query: rule.query, guarantee: rule.guarantee });
      if (found.length === mostGuarantees) return found;
    }
  }
  return found;
}

type Budgeted = { configurationId: string; budget: StockBudget };

const budgetsOf = (environment: string, { configurations }: GuaranteesOptions): Budgeted[] =>
  Array.from(configurations.ids(), (configurationId) => ({
    configurationId,
    budget: configurations.find(configurationId, environment)?.settings.stockBudget,
  })).filter((one): one is Budgeted => one.budget !== undefined);

/** The items to leave out, by environment and configuration. */
function createSpent({ environments }: GuaranteesOptions) {
  const known = new Map<string, Map<string, SpentItems>>();
  let version = 0;
  const of: SpentOf = (environment, configurationId) => known.get(environment)?.get(configurationId);
  return {
    of,
    renew(name: string, budgets: readonly Budgeted[], counts: StockCounts): void {
      const renewed = budgets.flatMap(({ configurationId, budget }): [string, SpentItems][] => {
        const bits = spentItems(environments.get(name)!, budget, counts);
        const before = of(name, configurationId);
        if (bits === undefined) return [];
        return [[configurationId, before?.bits === bits ? before : { version: ++version, bits }]];
      });
      known.set(name, new Map(renewed));
    },
  };
}

type Claimed = NonNullable<Awaited<ReturnType<typeof claimGuarantees>>>;

/** Returns a function that counts new events, stores the states and returns them. */
function createCounting(
  { db, environments, isImpression }: GuaranteesOptions,
  forecastOf: ReturnType<typeof createForecasts>,
) {
  return async (
    name: string,
    { all, budgets }: { all: readonly Guaranteed[]; budgets: readonly Budgeted[] },
    claimed: Claimed,
    nowMs: number,
  ): Promise<GuaranteeProgress> => {
    const { catalog, matchSets } = environments.get(name)!;
    const dayStartMs = startOfDay(nowMs, catalog.timeZone);
    const dayEndMs = startOfDay(nowMs, catalog.timeZone, 1);
    const ranges = await listEventRanges(db, claimed.position ?? undefined);
    const position = positionAfter(ranges, claimed.position ?? undefined);
    const counting = all.map((one) => {
      const binding = bindQuery(one.query, { catalog, variables: () => undefined, nowMs });
      const set = binding.outcome === 'bound' ? matchSets.get(binding.query) : undefined;
      return { ...one, set, state: stateToday(one, claimed.progress, { dayStartMs, nowMs }) };
    });
    const { items = {}, countedMs = nowMs } =
      claimed.progress?.dayStartMs === dayStartMs ? claimed.progress : {};
    const ofBudgets = budgets.map(({ budget }) => budget);
    const stock = createStockCount(catalog, ofBudgets, { counts: items, elapsedMs: nowMs - countedMs });
    if (claimed.position !== null) {
      const stored = { ranges, occurredSince: new Date(dayStartMs), properties: ['configuration_id'] };
      await copyEvents(db, name, stored, ({ eventType, itemId, itemType, properties }) => {
        if (!isImpression(eventType) && !isClick(eventType)) return;
        const itemIndex = catalog.indexOfId(itemId, itemType);
        for (const { configurationId, set, state } of counting) {
          if (configurationId !== properties![0]) continue;
          const isMatch = itemIndex !== undefined && set?.has(itemIndex);
          if (isClick(eventType)) state.totalClicks += 1;
          else state.total += 1;
          if (isMatch && isClick(eventType)) state.clicks += 1;
          else if (isMatch) state.delivered += 1;
        }
        if (itemIndex !== undefined && isImpression(eventType)) stock.add(itemIndex);
      });
    }
    const states: GuaranteeState[] = [];
    for (const { configurationId, guarantee, set, state } of counting) {
      const forecast = await forecastOf(name, configurationId, { dayStartMs, dayEndMs });
      const hasItems = set !== undefined && set.count > 0;
      states.push(paced(state, guarantee, { forecast, nowMs, dayEndMs, hasItems }));
    }
    const progress = { dayStartMs, states, items: stock.finish(), countedMs: nowMs };
    if (await saveGuarantees(db, name, { revision: claimed.revision, position, progress }))
      await announce(db, name, claimed.progress?.states ?? [], { states, nowMs });
    return progress;
  };
}

type Moment = { dayStartMs: number; nowMs: number };

const none = { delivered: 0, total: 0, clicks: 0, totalClicks: 0 };

/** Returns the counts so far; none at the start of a day, and for a guarantee that is new. */
function stateToday(
  { configurationId, guarantee: { guaranteeId } }: Guaranteed,
  progress: GuaranteeProgress | null,
  { dayStartMs, nowMs }: Moment,
) {
  const key = keyOf({ configurationId, guaranteeId });
  const known = progress?.states.find((state) => keyOf(state) === key);
  const status = known?.status ?? ('on_track' as const);
  if (known && progress!.dayStartMs === dayStartMs) return { ...none, ...known };
  const startedMs = known ? dayStartMs : nowMs;
  return { configurationId, guaranteeId, startedMs, status, ...none };
}

/** Returns the forecast of a configuration for a day, read once. */
function createForecasts(db: Database) {
  const known = new Map<string, { dayStartMs: number; forecast: Forecast }>();
  return async (
    environment: string,
    configuration: string,
    { dayStartMs, dayEndMs }: { dayStartMs: number; dayEndMs: number },
  ): Promise<Forecast> => {
    const key = `${environment}\u0000${configuration}`;
    const read = known.get(key);
    if (read?.dayStartMs === dayStartMs) return read.forecast;
    const firstHour = Math.floor(dayStartMs / hourMs);
    const length = Math.ceil((dayEndMs - dayStartMs) / hourMs);
    let counts: number[] = [];
    for (const days of [7, 1]) {
      const fromHour = firstHour - days * 24;
      const range = { measures: ['impressions'] as const, fromHour, toHour: fromHour + length };
      const rows = await listCounts(db, { ...range, environment, groupBy: [], where: { configuration } });
      counts = new Array<number>(length).fill(0);
      for (const { hour, value } of rows) counts[hour - fromHour] += value;
      if (rows.length > 0) break;
    }
    const forecast = createForecast(counts, dayStartMs, dayEndMs);
    known.set(key, { dayStartMs, forecast });
    return forecast;
  };
}

/** Raises an alert for each guarantee that became at risk, and resolves it when it is not any more. */
async function announce(
  db: Database,
  environment: string,
  before: readonly GuaranteeState[],
  { states, nowMs }: { states: readonly GuaranteeState[]; nowMs: number },
): Promise<void> {
  const riskOf = (all: readonly GuaranteeState[]) =>
    new Map(all.filter(({ status }) => status === 'at_risk').map((state) => [keyOf(state), state]));
  const [was, is] = [riskOf(before), riskOf(states)];
  const at = new Date(nowMs);
  const hour = Math.floor(nowMs / hourMs);
  const metricOf = ({ guaranteeId }: GuaranteeState) => `guarantee ${guaranteeId}`;
  for (const [key, state] of is) {
    if (was.has(key)) continue;
    const { configurationId: placement, target: expected, delivered: observed } = state;
    const deviation = {
      placement,
      metric: metricOf(state),
      fromHour: hour,
      usedHour: hour,
      expected,
      observed,
    };
    await raiseAlert(db, environment, deviation, at);
  }
  const over = [...was].filter(([key]) => !is.has(key));
  if (over.length === 0) return;
  const open = await listLatestAlerts(db, environment, hour);
  for (const [, state] of over) {
    const alert = open.find(
      ({ placement, metric }) => placement === state.configurationId && metric === metricOf(state),
    );
    if (alert) await resolveAlert(db, environment, { alertId: alert.alertId, usedHour: hour }, at);
  }
}
