/** What is seen on a chart, as a file. */

import { csvRow } from '../../formats/records/csv.ts';

type Chart = { times: readonly number[]; series: readonly Line[] };

/** As many values as times; null leaves a cell empty. */
type Line = { label: string; values: readonly (number | null)[] };

/** One row a step, in UTC, one column a line. */
export function csvOf({ times, series }: Chart): string {
  const head = ['time', ...series.map(({ label }) => label)];
  const rows = times.map((time, place) => [
    new Date(time * 1_000).toISOString(),
    ...series.map(({ values }) => values[place]),
  ]);
  return [head, ...rows].map(csvRow).join('\r\n');
}
