import {
  type ListPerformanceRequest,
  PerformanceService,
} from '../../../../gen/es/personalisation/v1/performance_service_pb.js';
import type { Deployment, EnvironmentSettings } from '../../../deployment/deployment.ts';
import type { Catalog } from '../../../ranking/catalog/catalog.ts';
import type { ServingEnvironment } from '../../../ranking/environment/serving-environment.ts';
import type { Database } from '../../../repository/database.ts';
import { propertyOf } from '../../../repository/metrics/metric-dimensions.ts';
import { sumVisitors } from '../../../repository/metrics/metric-visitors.ts';
import { implement } from '../../chain/implement.ts';
import { refuse } from '../../chain/refuse.ts';
import { readOrderBy } from '../../messages/order-by.ts';
import { firstHoursOf } from '../first-hours.ts';
import { filterOf, isKnownDimension } from '../metric-filter.ts';
import { type Days, daysBefore, dayText, hourOfDay, periodStarts, readDays } from './days.ts';
import { definitionMessage, figureOf, type MetricName, metricsOf, type Sums } from './definitions.ts';
import {
  byKey,
  type Performance,
  readDaySums,
  readPlacements,
  type ValueRow,
  withCoverage,
} from './sources.ts';

const usualLimit = 100;

export type PerformanceHandlersOptions = {
  db: Database;
  deployment: Deployment;
  environments: ReadonlyMap<string, ServingEnvironment>;
  /** Updates the counts with everything stored and served until now. */
  completeCounts: () => Promise<void>;
  /** The same for counts by day; waits five seconds at most. */
  completeDays: () => Promise<void>;
  clock: () => number;
};

export function createPerformanceHandlers(options: PerformanceHandlersOptions) {
  const { db, environments, completeCounts, completeDays, clock } = options;
  return implement(PerformanceService, {
    async listPerformance(request) {
      const { catalog, settings } = environments.get(request.environment)!;
      const days = readDays(request, catalog.timeZone, clock());
      const kind = kindOf(request.dimension, catalog, settings);
      const metrics: readonly MetricName[] = metricsOf[kind];
      const order = readOrder(request.orderBy, metrics);
      await (isKnownDimension(request.dimension, settings) ? completeCounts() : completeDays());
      const reading = { ...options, catalog, settings };
      const now = await readPerformance(request, { ...reading, days });
      const before = request.compare
        ? await readPerformance(request, { ...reading, days: daysBefore(days) })
        : undefined;
      const rows = now.rows.filter((row) => isWanted(row, request)).sort(comparing(order));
      const earlier = before && new Map(before.rows.map((row) => [keyOf(row), row.sums]));
      const summary = kind === 'item' ? [...metrics, ...(['coverage', 'new_item_share'] as const)] : metrics;
      return {
        metrics: metrics.map(definitionMessage),
        rows: rows.slice(0, request.limit ?? usualLimit).map((row) => ({
          ...{ value: row.value, itemType: row.itemType, title: row.title },
          ...figures(metrics, row.sums, earlier && (earlier.get(keyOf(row)) ?? {})),
        })),
        totalSize: rows.length,
        summaryMetrics: summary.map(definitionMessage),
        summary: figures(summary, now.total, before?.total),
        rest: now.rest && figures(metrics, now.rest, before && (before.rest ?? {})),
        ...{ firstDay: dayText(days.from), lastDay: dayText(days.to) },
      };
    },
    async listVisitorMetrics({ environment, step = 'total', ...range }) {
      const { timeZone } = environments.get(environment)!.catalog;
      const days = readDays(range, timeZone, clock());
      await completeCounts();
      const starts = periodStarts(days, step);
      const hours = {
        starts: starts.map((day) => hourOfDay(day, timeZone)),
        toHour: hourOfDay(days.to + 1, timeZone),
      };
      const { periods, scale } = await sumVisitors(db, { environment, ...hours });
      return {
        metrics: metricsOf.visitors.map(definitionMessage),
        periods: periods.map(({ period, ...sums }) => ({
          firstDay: dayText(starts[period]),
          lastDay: dayText((starts[period + 1] ?? days.to + 1) - 1),
          figures: metricsOf.visitors.map((name) => figureOf(name, inUnits(sums), scale)),
        })),
        sampledShare: 1 / scale,
      };
    },
  });
}

/** Converts millionths, and squares of them. */
function inUnits(sums: Sums): Sums {
  const units: Record<string, number | undefined> = { ...sums };
  for (const name of ['purchased_items', 'revenue', 'order_revenue']) units[name] = sums[name]! / 1e6;
  for (const name of ['visitor_squares', 'session_squares', 'order_squares'])
    units[name] = sums[name]! / 1e12;
  return units;
}

const keyOf = ({ itemType, value }: ValueRow) => `${itemType}\n${value}`;

function kindOf(
  dimension: string,
  catalog: Catalog,
  settings: EnvironmentSettings,
): Exclude<keyof typeof metricsOf, 'visitors'> {
  if (dimension === 'query' || dimension === 'item') return dimension;
  if (dimension === 'rank' || dimension === 'row') return 'place';
  if (isKnownDimension(dimension, settings))
    return propertyOf(dimension) === undefined ? 'placement' : 'segment';
  if (catalog.column(dimension) === undefined) {
    const detail = `Unknown dimension ${JSON.stringify(dimension)}. Expected item, query, rank, row, a dimension of metrics, or a key of items.`;
    refuse([{ pointer: 'query:dimension', detail }]);
  }
  return 'item';
}

type Reading = PerformanceHandlersOptions & { catalog: Catalog; settings: EnvironmentSettings; days: Days };

async function readPerformance(
  { environment, dimension, where }: ListPerformanceRequest,
  { db, deployment, clock, catalog, settings, days }: Reading,
): Promise<Performance> {
  const source = { db, environment, catalog, days };
  if (isKnownDimension(dimension, settings)) {
    const firstHours = firstHoursOf(deployment, clock(), 'names');
    const filter = filterOf(where, settings, 'query:where');
    return readPlacements(dimension, { ...source, firstHours, where: filter });
  }
  if (where)
    refuse([{ pointer: 'query:where', detail: 'Only dimensions of metrics can be filtered by others.' }]);
  if (dimension === 'query' || dimension === 'rank' || dimension === 'row')
    return readDaySums(dimension, source);
  const items = withCoverage(await readDaySums('item', source), catalog, { days, nowMs: clock() });
  return dimension === 'item' ? items : byKey(items, dimension, catalog);
}

function isWanted({ value, title = '', sums }: ValueRow, { text, problem }: ListPerformanceRequest): boolean {
  const folded = text?.toLowerCase() ?? '';
  if (![value, title].some((one) => one.toLowerCase().includes(folded))) return false;
  const {
    searches = 0,
    searches_without_results: noResults = 0,
    searches_without_click: noClicks = 0,
  } = sums;
  if (problem === 'no_results') return noResults > 0;
  if (problem === 'no_clicks') return noClicks > 0;
  return problem !== 'any' || (noResults + noClicks) * 2 > searches;
}

type Order = { metric: MetricName; sign: 1 | -1 };

function readOrder(orderBy: string | undefined, metrics: readonly MetricName[]): Order {
  if (!orderBy) return { metric: metrics[0], sign: -1 };
  const { key, descending } = readOrderBy(orderBy);
  const metric = metrics.find((name) => name === key);
  const detail = `Unknown metric ${JSON.stringify(key)}. Expected one of ${metrics.join(', ')}.`;
  if (!metric) refuse([{ pointer: 'query:order_by', detail }]);
  return { metric: metric!, sign: descending ? -1 : 1 };
}

/** Equal values are in order of traffic, then of their names. */
function comparing({ metric, sign }: Order): (a: ValueRow, b: ValueRow) => number {
  const figure = ({ sums }: ValueRow) => figureOf(metric, sums).value;
  const sizeOf = ({ sums }: ValueRow) => (sums.searches ?? 0) + (sums.impressions ?? 0);
  return (a, b) => {
    const [first, second] = [figure(a), figure(b)];
    if (first === undefined || second === undefined) {
      if (first !== second) return first === undefined ? 1 : -1;
    } else if (first !== second) return sign * (first - second);
    return sizeOf(b) - sizeOf(a) || (keyOf(a) < keyOf(b) ? -1 : 1);
  };
}

function figures(metrics: readonly MetricName[], now: Sums, before: Sums | undefined) {
  return {
    figures: metrics.map((name) => figureOf(name, now)),
    previousFigures: before ? metrics.map((name) => figureOf(name, before)) : [],
  };
}
