/** Hourly metric values, and sums of them. */

import { createClient } from '@connectrpc/connect';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import type { GroupedMetricResult } from '../../../gen/es/personalisation/v1/metric_pb.js';
import { MetricService } from '../../../gen/es/personalisation/v1/metric_service_pb.js';
import { useConsole } from '../service/console-context.ts';
import type { Connection } from '../service/transport.ts';
import { createChart, partsOf } from './series.ts';
import { endOfHour, hourText, type View } from './view.ts';

export type Interval = { from: number; to: number };

type MetricQuestion = Interval & {
  metrics: string[];
  groupBy?: string[];
  where?: Record<string, string>;
  /** Milliseconds between refreshes. */
  refreshMs?: number;
};

const mostResults = 100_000;
/** Timers may fire slightly early. */
const marginMs = 1_000;

export function useMetricResults({ metrics, from, to, groupBy = [], where, refreshMs }: MetricQuestion) {
  const { environment, connection } = useConsole();
  /** Data of other metrics is no placeholder. */
  const placeholderData = (previous: Results | undefined) =>
    previous?.results.every(({ metric }) => metrics.includes(metric)) ? previous : undefined;
  const question = { environment: environment.name, metrics, groupBy, where };
  return useQuery({
    queryKey: ['metric results', question, hourText(from), hourText(to)],
    queryFn: () => readAll(connection, question, { from, to }),
    refetchInterval: refreshMs,
    placeholderData,
    enabled: metrics.length > 0,
  });
}

/** The chart of a view, beside the previous period if it is compared. */
export function useChart(view: View) {
  const { environment } = useConsole();
  const { metric, by, from, to, isCompared, earlierEdges } = view;
  const question = { metrics: partsOf(metric), groupBy: by ? [by] : [] };
  const now = useMetricResults({ ...question, from, to });
  const before = useMetricResults({
    ...question,
    metrics: isCompared ? question.metrics : [],
    from: earlierEdges[0],
    to: earlierEdges.at(-1)!,
  });
  const earlier = isCompared ? before.data?.results : undefined;
  const { data, error, refetch } = now;
  const chart = useMemo(
    () => data && createChart(view, data.results, earlier, environment.currency),
    [view, data, earlier, environment],
  );
  return { chart, error, refetch };
}

type Question = { environment: string } & Pick<MetricQuestion, 'metrics' | 'groupBy' | 'where'>;

type Results = { results: GroupedMetricResult[] };

/** Continues a truncated answer from its last hour, until the interval is complete. */
async function readAll(
  { transport }: Connection,
  question: Question,
  { from, to }: Interval,
): Promise<Results> {
  const client = createClient(MetricService, transport);
  const parts: GroupedMetricResult[][] = [];
  for (let start = from; ; ) {
    const startTime = { gte: hourText(start), lt: hourText(to) };
    const answer = await client.queryMetrics({ ...question, startTime, limit: mostResults });
    const { results, totalNrResults } = answer;
    const last = Number(results.at(-1)?.startTime);
    const isWhole = results.length >= totalNrResults || last <= start;
    parts.push(isWhole ? results : results.filter(({ startTime: hour }) => Number(hour) < last));
    if (isWhole) return { results: parts.flat() };
    start = last;
  }
}

/** End of the current hour; renders again when the hour changes. */
export function useEndOfHour(): number {
  const [end, setEnd] = useState(endOfHour);
  useEffect(() => {
    const wait = setTimeout(() => setEnd(endOfHour()), end * 1_000 - Date.now() + marginMs);
    return () => clearTimeout(wait);
  }, [end]);
  return end;
}

/** Sums per step from `from`; zero for a step without results. */
export function binned(
  results: readonly GroupedMetricResult[],
  metric: string,
  { from, to }: Interval,
  stepSeconds: number,
): number[] {
  const sums = new Array<number>(Math.ceil((to - from) / stepSeconds)).fill(0);
  for (const { metric: name, startTime, value } of results) {
    const index = Math.floor((Number(startTime) - from) / stepSeconds);
    if (name === metric && index >= 0 && index < sums.length) sums[index] += value;
  }
  return sums;
}

export const sumOf = (results: readonly GroupedMetricResult[], metric: string, interval: Interval): number =>
  binned(results, metric, interval, interval.to - interval.from)[0];
