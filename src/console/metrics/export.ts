import { csvRow } from '../../formats/records/csv.ts';

type Chart = {
  times: readonly number[];
  series: readonly { label: string; values: readonly (number | null)[] }[];
};

/** CSV of a chart: one row per step, in UTC, and one column per series; null leaves a cell empty. */
export function csvOf({ times, series }: Chart): string {
  const head = ['time', ...series.map(({ label }) => label)];
  const rows = times.map((time, index) => [
    new Date(time * 1_000).toISOString(),
    ...series.map(({ values }) => values[index]),
  ]);
  return [head, ...rows].map(csvRow).join('\r\n');
}
