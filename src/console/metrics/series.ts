/** Hourly results as series: summed per step, split by a dimension, rates computed from their parts. */

import type { GroupedMetricResult, MetricDimensions } from '../../../gen/es/personalisation/v1/metric_pb.js';
import type { ChartSeries } from '../kit/chart-series.ts';
import { formatCount, formatMoney, formatNumber, formatShare } from '../kit/format.ts';
import { metricLabel } from '../kit/metrics.ts';
import { t } from '../texts/texts.ts';
import { isSegment, segmentPrefix, stepAt, type View } from './view.ts';

/** Smaller groups are omitted from the chart and the table. */
const mostLines = 8;

const rates: Record<string, [string, string]> = {
  click_through_rate: ['clicks', 'impressions'],
  search_click_through_rate: ['search_clicks', 'search_impressions'],
};

/** Metrics to query for a metric: numerator and denominator of a rate, so that it can be summed over steps. */
export const partsOf = (metric: string): string[] => rates[metric] ?? [metric];

export type Chart = {
  times: number[];
  series: ChartSeries[];
  rows: Row[];
  /** Labels of numerator and denominator; empty unless the metric is a rate. */
  partLabels: string[];
  format(value: number): string;
  /** Formats a difference of two values, with its sign; that of rates in percentage points. */
  formatDifference(value: number): string;
  isEmpty: boolean;
};

/** One series as numbers, beside those of the previous period if it is compared. */
export type Row = { label: string; parts: Parts; earlier?: Parts };

type Results = readonly GroupedMetricResult[];

type DimensionField = Exclude<keyof MetricDimensions, 'segments' | '$typeName' | '$unknown'>;

const dimensionFields: Record<string, DimensionField> = {
  version: 'version',
  user_group: 'userGroup',
  page_type: 'pageType',
  list_name: 'listName',
  channel: 'channel',
  configuration: 'configuration',
};

const dimensions: Record<string, string> = {
  version: t('Version'),
  user_group: t('User group'),
  page_type: t('Page type'),
  list_name: t('List'),
  channel: t('Channel'),
  configuration: t('Rule set'),
};

const usualSegments: Record<string, string> = { device_class: t('Device class'), country: t('Country') };

/** Returns dimensions with their labels. @param segments Properties that metrics distinguish. */
export const dimensionsWith = (segments: readonly string[]): Record<string, string> => ({
  ...dimensions,
  ...Object.fromEntries(segments.map((name) => [segmentPrefix + name, labelOfSegment(name)])),
});

export const labelOfProperty = (name: string) =>
  `${name[0].toUpperCase()}${name.slice(1).replaceAll('_', ' ')}`;

const labelOfSegment = (name: string) => usualSegments[name] ?? labelOfProperty(name);

const propertyOf = (dimension: string) => dimension.slice(segmentPrefix.length);

/** @param currency ISO 4217 code of amounts; empty if unknown. */
export function createChart(view: View, now: Results, before: Results | undefined, currency: string): Chart {
  const { metric, edges, earlierEdges } = view;
  const lines = linesOf(view, now, edges);
  const sizes = [...lines]
    .sort(([, a], [, b]) => sizeOf(b) - sizeOf(a))
    .slice(0, mostLines)
    .sort(([, a], [, b]) => total(b) - total(a));
  const earlier = before && linesOf(view, before, earlierEdges);
  const rows = sizes.map(([name, parts]): Row => {
    const nothing = parts.map((values) => values.map(() => 0));
    return { label: labelOf(name, view), parts, earlier: earlier && (earlier.get(name) ?? nothing) };
  });
  const series = rows.map(
    ({ label, parts }, color): ChartSeries => ({ label, values: valuesOf(parts), color }),
  );
  const compared = rows.flatMap(({ label, earlier: parts }, color): ChartSeries[] =>
    parts
      ? [{ label: t('{label}, previous period', { label }), values: valuesOf(parts), isDashed: true, color }]
      : [],
  );
  const names = partsOf(metric);
  return {
    times: edges.slice(0, -1),
    series: [...series, ...compared],
    rows,
    partLabels: names.length > 1 ? names.map(metricLabel) : [],
    format: formatOf(metric, currency),
    formatDifference: differenceFormatOf(metric, currency),
    isEmpty: sizes.length === 0,
  };
}

function formatOf(metric: string, currency: string): (value: number) => string {
  if (rates[metric]) return formatShare;
  return metric.includes('revenue') ? (value) => formatMoney(value, currency) : formatCount;
}

function differenceFormatOf(metric: string, currency: string): (value: number) => string {
  const format = rates[metric]
    ? (value: number) => t('{points} pp', { points: formatNumber(100 * value) })
    : formatOf(metric, currency);
  return (value) => `${value > 0 ? '+' : ''}${format(value)}`;
}

/** Sums per step, one array for each part of the metric. */
export type Parts = number[][];

function linesOf({ metric, by }: View, results: Results, edges: readonly number[]): Map<string, Parts> {
  const count = edges.length - 1;
  const names = partsOf(metric);
  const lines = new Map<string, Parts>();
  for (const { metric: name, startTime, group, value } of results) {
    const index = stepAt(edges, Number(startTime));
    if (index < 0 || index >= count) continue;
    const named = isSegment(by) ? group?.segments[propertyOf(by)] : group?.[dimensionFields[by]];
    const key = by ? (named ?? '') : '';
    const parts = lines.get(key) ?? names.map(() => new Array<number>(count).fill(0));
    parts[names.indexOf(name)][index] += value;
    lines.set(key, parts);
  }
  return lines;
}

/** Values per step; null for a rate of nothing. */
export function valuesOf([sums, wholes]: Parts): (number | null)[] {
  return wholes ? sums.map((sum, i) => (wholes[i] === 0 ? null : sum / wholes[i])) : sums;
}

/** Rates are ranked by their denominator: a high rate of few impressions matters less. */
const sizeOf = (parts: Parts): number => total(parts.slice(-1));

export const sumsOf = (parts: Parts): number[] =>
  parts.map((values) => values.reduce((all, value) => all + value, 0));

/** Total of the steps; for distinct counts, the sum of the steps. */
export function total(parts: Parts): number {
  const [sum, whole] = sumsOf(parts);
  if (whole === undefined) return sum;
  return whole === 0 ? 0 : sum / whole;
}

function labelOf(name: string, { metric, by }: View): string {
  if (!by) return metricLabel(metric);
  const label = dimensions[by] ?? labelOfSegment(propertyOf(by));
  return name === '' ? t('{label} (none)', { label }) : name;
}
