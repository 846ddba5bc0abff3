/** Results of a benchmark as a table or as one JSON object. */

import type { Latencies } from './load.ts';

export type Result = Latencies & {
  name: string;
  title: string;
  eventCount?: number;
  /** Latencies of the echo at the same rate. */
  echo?: Latencies;
};

/** The first result is the echo, to which the others are compared. */
export function toJson([echo, ...results]: Result[]): string {
  const rows = results.map((result) => [
    result.name,
    {
      rps: round(result.requestsPerSecond),
      p50_ms: round(result.p50Ms),
      p99_ms: round(result.p99Ms),
      worst_p99_ms: round(result.worstP99Ms),
      ratio: ratioOf(result, echo),
      ...(result.echo && latencyRatios(result, result.echo)),
      ...(result.eventCount! > 1 && { events_per_second: eventsPerSecond(result) }),
    },
  ]);
  return JSON.stringify({ echo: { rps: round(echo.requestsPerSecond) }, ...Object.fromEntries(rows) });
}

export function toTable([echo, ...results]: Result[]): string {
  const heads = [
    '',
    'requests/s',
    'ratio',
    'p50 ms',
    'p99 ms',
    'worst',
    'echo p50',
    'echo p99',
    'worst',
    'events/s',
  ];
  const lines = [echo, ...results].map((result) => [
    result.title,
    Math.round(result.requestsPerSecond).toLocaleString('en'),
    ratioOf(result, echo).toFixed(3),
    result.p50Ms.toFixed(2),
    result.p99Ms.toFixed(2),
    result.worstP99Ms.toFixed(2),
    result.echo?.p50Ms.toFixed(2) ?? '',
    result.echo?.p99Ms.toFixed(2) ?? '',
    result.echo?.worstP99Ms.toFixed(2) ?? '',
    result.eventCount ? eventsPerSecond(result).toLocaleString('en') : '',
  ]);
  return alignTable(heads, lines);
}

/** Aligns columns, the first ones to the left. */
export function alignTable(heads: string[], lines: string[][], leftCount = 1): string {
  const widths = heads.map((head, i) => Math.max(head.length, ...lines.map((line) => line[i].length)));
  const align = (cell: string, i: number) =>
    i < leftCount ? cell.padEnd(widths[i]) : cell.padStart(widths[i]);
  return [heads, ...lines].map((line) => line.map(align).join('  ').trimEnd()).join('\n');
}

function latencyRatios({ p50Ms, p99Ms }: Latencies, echo: Latencies) {
  return {
    echo_p50_ms: round(echo.p50Ms),
    echo_p99_ms: round(echo.p99Ms),
    echo_worst_p99_ms: round(echo.worstP99Ms),
    p50_ratio: round(p50Ms / echo.p50Ms),
    p99_ratio: round(p99Ms / echo.p99Ms),
  };
}

function ratioOf(result: Result, echo: Result): number {
  return Math.round((result.requestsPerSecond / echo.requestsPerSecond) * 10_000) / 10_000;
}

function eventsPerSecond({ requestsPerSecond, eventCount = 0 }: Result): number {
  return Math.round(requestsPerSecond * eventCount);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
