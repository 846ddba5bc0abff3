/** What is seen on a chart, as a file. */

import { csvCell } from '../kit/save.ts';
import type { Chart } from './series.ts';

/** One row a step, in UTC, one column a line. */
export function csvOf({ times, series }: Chart): string {
  const head = ['time', ...series.map(({ label }) => csvCell(label))];
  const rows = times.map((time, place) => [
    new Date(time * 1_000).toISOString(),
    ...series.map(({ values }) => values[place] ?? ''),
  ]);
  return [head, ...rows].map((row) => row.join(',')).join('\r\n');
}
