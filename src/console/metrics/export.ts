import { csvRow } from '../../formats/records/csv.ts';
import { t } from '../texts/texts.ts';
import { type Chart, type Parts, valuesOf } from './series.ts';

/**
 * CSV of a chart: one row per step, in UTC. Each series has a column of values, two with numerator
 * and denominator of a rate, and those of the previous period with difference and change in percent
 * if it is compared. A cell without a value is empty.
 */
export function csvOf({ times, rows, partLabels }: Pick<Chart, 'times' | 'rows' | 'partLabels'>): string {
  const columns = rows.flatMap(({ label, parts, earlier }): Column[] => {
    const now = figuresOf(label, parts, partLabels);
    if (!earlier) return now;
    const [value, before] = [valuesOf(parts), valuesOf(earlier)];
    const changes = value.map((one, step) => changeOf(one, before[step]));
    return [
      ...now,
      ...figuresOf(t('{label}, previous period', { label }), earlier, partLabels),
      [t('{label}, difference', { label }), changes.map((change) => change?.difference)],
      [t('{label}, change in %', { label }), changes.map((change) => change?.share && 100 * change.share)],
    ];
  });
  const head = [t('time'), ...columns.map(([label]) => label)];
  const lines = times.map((time, step) => [
    new Date(time * 1_000).toISOString(),
    ...columns.map(([, values]) => values[step]),
  ]);
  return [head, ...lines].map(csvRow).join('\r\n');
}

type Column = [label: string, values: readonly (number | null | undefined)[]];

const figuresOf = (label: string, parts: Parts, partLabels: readonly string[]): Column[] => [
  [label, valuesOf(parts)],
  ...partLabels.map((part, index): Column => [`${label}, ${part}`, parts[index]]),
];

export type Change = {
  difference: number;
  /** Relative to the previous value; undefined if that is 0. */
  share?: number;
};

/** Change from a previous value; undefined if one of them is unknown. Rounded to 12 digits. */
export function changeOf(now: number | null, before: number | null): Change | undefined {
  if (now === null || before === null) return undefined;
  const difference = rounded(now - before);
  return { difference, share: before === 0 ? undefined : rounded(difference / before) };
}

const rounded = (value: number): number => Number(value.toPrecision(12));
