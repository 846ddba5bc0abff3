/** The view in the address. */

import { daySeconds, endOfHour, hourSeconds } from './queries.ts';

export type ViewKey = 'metric' | 'by' | 'range' | 'step' | 'compare' | 'from' | 'to';

export type View = {
  metric: string;
  by: string;
  range: string;
  step: string;
  stepSeconds: number;
  isCompared: boolean;
  /** Unix seconds, at the start of a step. */
  from: number;
  to: number;
};

export const ranges: Record<string, { label: string; days: number; step: string }> = {
  '24h': { label: 'Last 24 hours', days: 1, step: 'hour' },
  '7d': { label: 'Last 7 days', days: 7, step: 'hour' },
  '28d': { label: 'Last 28 days', days: 28, step: 'day' },
  '90d': { label: 'Last 90 days', days: 90, step: 'day' },
  '365d': { label: 'Last year', days: 365, step: 'week' },
};

const steps: Record<string, number> = { hour: hourSeconds, day: daySeconds, week: 7 * daySeconds };

const usualRange = '28d';

export function readView(values: Partial<Record<ViewKey, string>>): View {
  const range = ranges[values.range ?? ''] ? values.range! : usualRange;
  const isZoomed = Number(values.from) > 0 && Number(values.to) > Number(values.from);
  const to = isZoomed ? Number(values.to) : endOfHour();
  const span = isZoomed ? to - Number(values.from) : ranges[range].days * daySeconds;
  const chosen = steps[values.step ?? ''] ? values.step! : ranges[range].step;
  /** A zoomed view needs finer steps. */
  const step = isZoomed && !values.step && span < 14 * daySeconds ? 'hour' : chosen;
  const stepSeconds = steps[step];
  /** Whole steps only, because a partial one would look like a drop; the range itself if it is shorter than a step. */
  const whole = Math.round(span / stepSeconds) * stepSeconds;
  return {
    metric: values.metric || 'events',
    by: values.by ?? '',
    range,
    step,
    stepSeconds,
    isCompared: values.compare === '1',
    from: to - (whole || span),
    to,
  };
}
