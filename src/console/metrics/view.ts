/** The view in the address. */

import { dayMs, instantOf, localOf, startOfDay } from '../../ranking/runtime/time-zones.ts';
import { t } from '../texts/texts.ts';

export type ViewKey = 'metric' | 'by' | 'range' | 'step' | 'compare' | 'from' | 'to';

export type View = {
  metric: string;
  by: string;
  range: string;
  step: string;
  isCompared: boolean;
  /** Unix seconds, at the start of a step. */
  from: number;
  to: number;
  /** Starts of the steps in Unix seconds, and the end of the last one. */
  edges: number[];
  /** The same of the previous period. */
  earlierEdges: number[];
};

/** Distinct counts, which add up neither over hours nor over segments. */
export const isDistinct = (metric: string): boolean =>
  ['users', 'devices', 'impressions_sets'].includes(metric);

/** Precedes the properties of visitors among the dimensions. */
export const segmentPrefix = 'segments.';

export const isSegment = (dimension: string): boolean => dimension.startsWith(segmentPrefix);

export const ranges: Record<string, { label: string; days: number; step: string }> = {
  '24h': { label: t('Last 24 hours'), days: 1, step: 'hour' },
  '7d': { label: t('Last 7 days'), days: 7, step: 'day' },
  '28d': { label: t('Last 28 days'), days: 28, step: 'day' },
  '90d': { label: t('Last 90 days'), days: 90, step: 'day' },
  '365d': { label: t('Last year'), days: 365, step: 'week' },
};

/** Calendar days of a step; an hour has none. */
const steps: Record<string, number> = { hour: 0, day: 1, week: 7 };

const readerZone = new Intl.DateTimeFormat().resolvedOptions().timeZone;

const usualRange = '28d';

/** The last step ends with the current hour, so that today and its week are partial. */
export function readView(values: Partial<Record<ViewKey, string>>, timeZone = readerZone): View {
  const range = ranges[values.range ?? ''] ? values.range! : usualRange;
  const isZoomed = Number(values.from) > 0 && Number(values.to) > Number(values.from);
  const to = isZoomed ? Number(values.to) : endOfHour();
  const span = isZoomed ? to - Number(values.from) : ranges[range].days * daySeconds;
  const chosen = steps[values.step ?? ''] === undefined ? ranges[range].step : values.step!;
  /** A zoomed view needs finer steps. */
  const step = isZoomed && !values.step && span < 14 * daySeconds ? 'hour' : chosen;
  const days = steps[step];
  const count = Math.max(1, Math.round(span / (days * daySeconds || hourSeconds)));
  const startOf = (index: number) =>
    days > 0
      ? startOfDay((to - 1) * 1_000, timeZone, 1 - (count - index) * days) / 1_000
      : to - (count - index) * hourSeconds;
  const edges = [...Array.from({ length: count }, (_, index) => startOf(index)), to];
  const earlier = (seconds: number) =>
    days > 0
      ? instantOf(localOf(seconds * 1_000, timeZone) - count * days * dayMs, timeZone) / 1_000
      : seconds - count * hourSeconds;
  const { metric = '', by = '' } = values;
  return {
    metric: metric || 'events',
    by: isDistinct(metric) && isSegment(by) ? '' : by,
    range,
    step,
    isCompared: values.compare === '1',
    from: edges[0],
    to,
    edges,
    earlierEdges: edges.map(earlier),
  };
}

/** Returns the index of the last edge that is not after the time; -1 before the first. */
export function stepAt(edges: readonly number[], seconds: number): number {
  let [first, end] = [0, edges.length];
  while (first < end) {
    const middle = (first + end) >> 1;
    if (edges[middle] <= seconds) first = middle + 1;
    else end = middle;
  }
  return first - 1;
}

export const hourSeconds = 3_600;
export const daySeconds = 24 * hourSeconds;

const floorHour = (seconds: number): number => Math.floor(seconds / hourSeconds) * hourSeconds;

export const endOfHour = (): number => floorHour(Date.now() / 1_000) + hourSeconds;

/** Start of the hour as the interface writes it. */
export function hourText(seconds: number): string {
  return new Date(floorHour(seconds) * 1_000).toISOString().replace('.000', '');
}
