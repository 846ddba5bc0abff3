/** Hourly results as lines: summed over steps, split by a dimension, rates made of their parts. */

import type { GroupedMetricResult, MetricDimensions } from '../../../gen/es/personalisation/v1/metric_pb.js';
import { formatCount, formatMoney, formatShare } from '../kit/format.ts';
import type { ChartSeries } from '../kit/time-chart.tsx';
import { dimensions, metricWords, text } from './text.ts';
import type { View } from './view.ts';

/** What is drawn at once; the smaller groups are left out of the chart and of the table. */
const mostLines = 8;

const rates: Record<string, [string, string]> = {
  click_through_rate: ['clicks', 'impressions'],
  search_click_through_rate: ['search_clicks', 'search_impressions'],
};

/** Numerator and denominator; undefined for what is counted. */
export const isRate = (metric: string): [string, string] | undefined => rates[metric];

/** Counts of different ones: those of two hours cannot be added up. */
export const isDistinct = (metric: string): boolean =>
  ['users', 'devices', 'impressions_sets'].includes(metric);

export type Chart = {
  times: number[];
  series: ChartSeries[];
  /** Of each line, over the whole time; the sum of a step's values for distinct counts too. */
  totals: number[];
  format(value: number): string;
  isEmpty: boolean;
};

type Results = readonly GroupedMetricResult[];

const dimensionFields: Record<string, keyof MetricDimensions> = {
  version: 'version',
  user_group: 'userGroup',
  page_type: 'pageType',
  list_name: 'listName',
  channel: 'channel',
  configuration: 'configuration',
};

/** @param currency What money is in; empty where that is not said. */
export function createChart(view: View, now: Results, before: Results | undefined, currency: string): Chart {
  const { metric, from, to, stepSeconds } = view;
  const count = Math.ceil((to - from) / stepSeconds);
  const lines = linesOf(view, now, from, count);
  const sizes = [...lines]
    .sort(([, a], [, b]) => sizeOf(b) - sizeOf(a))
    .slice(0, mostLines)
    .sort(([, a], [, b]) => total(b) - total(a));
  const span = to - from;
  const earlier = before && linesOf(view, before, from - span, count);
  const series = sizes.map(
    ([name, parts], color): ChartSeries => ({ label: labelOf(name, view), values: valuesOf(parts), color }),
  );
  const compared = sizes.flatMap(([name], color): ChartSeries[] => {
    const parts = earlier?.get(name);
    return parts
      ? [{ label: `${labelOf(name, view)}, ${text.before}`, values: valuesOf(parts), isDashed: true, color }]
      : [];
  });
  return {
    times: Array.from({ length: count }, (_, place) => from + place * stepSeconds),
    series: [...series, ...compared],
    totals: sizes.map(([, parts]) => total(parts)),
    format: isRate(metric)
      ? formatShare
      : isMoney(metric)
        ? (value) => formatMoney(value, currency)
        : formatCount,
    isEmpty: sizes.length === 0,
  };
}

const isMoney = (metric: string): boolean => metric.includes('revenue');

/** One array of sums for each part of the measure. */
type Parts = number[][];

function linesOf(
  { metric, by, stepSeconds }: View,
  results: Results,
  from: number,
  count: number,
): Map<string, Parts> {
  const names = isRate(metric) ?? [metric];
  const lines = new Map<string, Parts>();
  for (const { metric: name, startTime, group, value } of results) {
    const place = Math.floor((Number(startTime) - from) / stepSeconds);
    if (place < 0 || place >= count) continue;
    const key = by ? String(group?.[dimensionFields[by]] ?? '') : '';
    const parts = lines.get(key) ?? names.map(() => new Array<number>(count).fill(0));
    parts[names.indexOf(name)][place] += value;
    lines.set(key, parts);
  }
  return lines;
}

function valuesOf([sums, wholes]: Parts): (number | null)[] {
  return wholes ? sums.map((sum, i) => (wholes[i] === 0 ? null : sum / wholes[i])) : sums;
}

/** A rate of much is more than a high rate of next to nothing. */
const sizeOf = (parts: Parts): number => total(parts.slice(-1));

function total(parts: Parts): number {
  const [sum, whole] = parts.map((values) => values.reduce((all, value) => all + value, 0));
  if (whole === undefined) return sum;
  return whole === 0 ? 0 : sum / whole;
}

function labelOf(name: string, { metric, by }: View): string {
  if (!by) return metricWords(metric);
  return name === '' ? `${dimensions[by]} ${text.without}` : name;
}
