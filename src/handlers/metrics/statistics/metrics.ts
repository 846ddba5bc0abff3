/** Metrics by name, each with the measures that it is computed from. */

import { startOfDay } from '../../../ranking/runtime/time-zones.ts';
import type { Database } from '../../../repository/database.ts';
import type { GroupName } from '../../../repository/metrics/metric-dimensions.ts';
import { type Measure, measures, rates } from '../../../repository/metrics/metric-measures.ts';
import { listCounts } from '../../../repository/metrics/metric-reads.ts';

const hourMs = 3_600_000;

export const metricNames: readonly string[] = [...measures, ...Object.keys(rates)].sort();

export type MetricsQuery = {
  metrics: readonly string[];
  environment?: string;
  /** First hour with metrics, by environment. */
  firstHours?: ReadonlyMap<string, number>;
  /** Hours since 1970, [from, to). */
  fromHour: number;
  toHour: number;
  groupBy?: readonly GroupName[];
  where?: Partial<Record<GroupName, string>>;
  /** Zone of calendar days to sum over [by hour]. */
  daysIn?: string;
};

/** `hour` is the start of the hour or day in hours since 1970; that of a day may be a fraction. */
export type MetricValue = { metric: string; hour: number; group: string[]; value: number };

/** Orders by hour, metric and group. Leaves out zeros and rates without a denominator. */
export async function queryMetrics(db: Database, query: MetricsQuery): Promise<MetricValue[]> {
  const { metrics, groupBy = [], where = {}, daysIn, ...range } = query;
  const rows = await listCounts(db, { ...range, groupBy, where, measures: measuresOf(metrics) });
  const places = new Map<string, Place>();
  const startOf = daysIn === undefined ? (hour: number) => hour : createDayStarts(daysIn);
  for (const { measure, hour: counted, group, value } of rows) {
    const hour = startOf(counted);
    const key = JSON.stringify([hour, group]);
    let place = places.get(key);
    if (!place) {
      place = { hour, group, values: new Map() };
      places.set(key, place);
    }
    const millionths = Math.round(((place.values.get(measure) ?? 0) + value) * 1e6);
    place.values.set(measure, millionths / 1e6);
  }
  const hours = Map.groupBy([...places.values()].sort(comparePlaces), ({ hour }) => hour);
  return [...hours.values()].flatMap((ofHour) => metrics.flatMap((metric) => valuesOf(ofHour, metric)));
}

/** Computes the day of each hour once. */
function createDayStarts(timeZone: string): (hour: number) => number {
  const days = new Map<number, number>();
  return (hour) => {
    const start = days.get(hour) ?? startOfDay(hour * hourMs, timeZone) / hourMs;
    days.set(hour, start);
    return start;
  };
}

type Place = { hour: number; group: string[]; values: Map<string, number> };

/** Returns undefined for a metric that is a measure. */
function rateOf(name: string): { part: Measure; whole: Measure } | undefined {
  return Object.hasOwn(rates, name) ? rates[name as keyof typeof rates] : undefined;
}

function measuresOf(metrics: readonly string[]): Measure[] {
  const names = metrics.flatMap((name) => {
    const rate = rateOf(name);
    return rate ? [rate.part, rate.whole] : [name as Measure];
  });
  return [...new Set(names)];
}

function comparePlaces(a: Place, b: Place): number {
  if (a.hour !== b.hour) return a.hour - b.hour;
  const place = a.group.findIndex((value, i) => value !== b.group[i]);
  return a.group[place] < b.group[place] ? -1 : 1;
}

function valuesOf(places: readonly Place[], metric: string): MetricValue[] {
  return places.flatMap(({ hour, group, values }) => {
    const value = valueIn(values, metric);
    return value === undefined ? [] : [{ metric, hour, group, value }];
  });
}

function valueIn(values: ReadonlyMap<string, number>, metric: string): number | undefined {
  const rate = rateOf(metric);
  if (!rate) return values.get(metric) || undefined;
  const whole = values.get(rate.whole);
  return whole === undefined ? undefined : (values.get(rate.part) ?? 0) / whole;
}
