/** What is seen on a chart, as a file. */

import type { Chart } from './series.ts';

/** A spreadsheet takes a text that begins so for a formula. */
const formula = /^[=+\-@\t\r]/;

function cell(text: string): string {
  const safe = formula.test(text) ? `'${text}` : text;
  return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** One row a step, in UTC, one column a line. */
export function csvOf({ times, series }: Chart): string {
  const head = ['time', ...series.map(({ label }) => cell(label))];
  const rows = times.map((time, place) => [
    new Date(time * 1_000).toISOString(),
    ...series.map(({ values }) => values[place] ?? ''),
  ]);
  return [head, ...rows].map((row) => row.join(',')).join('\r\n');
}

export function saveText(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
