/** Intervals of calendar days. */

import { dayMs, instantOf, localDayOf } from '../../../ranking/runtime/time-zones.ts';
import { refuse } from '../../chain/refuse.ts';

const hourMs = 3_600_000;
const usualDays = 28;
const mostDays = 401;

/** Days since 1970 in the environment's time zone, inclusive. */
export type Days = { from: number; to: number };

export function readDays(
  { firstDay, lastDay }: { firstDay?: string; lastDay?: string },
  timeZone: string,
  nowMs: number,
): Days {
  const to = readDay(lastDay, 'query:last_day') ?? localDayOf(nowMs, timeZone);
  const from = readDay(firstDay, 'query:first_day') ?? to - usualDays + 1;
  const pointer = 'query:first_day';
  if (from > to) refuse([{ pointer, detail: 'Must not be after last_day.' }]);
  if (to - from >= mostDays) refuse([{ pointer, detail: 'Must be at most 400 days before last_day.' }]);
  return { from, to };
}

function readDay(text: string | undefined, pointer: string): number | undefined {
  if (!text) return undefined;
  const ms = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms) || dayText(ms / dayMs) !== text)
    refuse([{ pointer, detail: 'Must be a day, such as 2026-11-20.' }]);
  return ms / dayMs;
}

export const dayText = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 10);

export const daysBefore = ({ from, to }: Days): Days => ({ from: from - (to - from + 1), to: from - 1 });

/** First hour of a day since 1970; the hour that contains midnight belongs to the day before. */
export const hourOfDay = (day: number, timeZone: string): number =>
  Math.ceil(instantOf(day * dayMs, timeZone) / hourMs);

/** First days of the periods: of each day, week from Monday, month, or of the whole. */
export function periodStarts({ from, to }: Days, step: string): number[] {
  const starts = [from];
  for (let day = from + 1; day <= to; day++) {
    const date = new Date(day * dayMs);
    if (
      step === 'day' ||
      (step === 'week' && date.getUTCDay() === 1) ||
      (step === 'month' && date.getUTCDate() === 1)
    )
      starts.push(day);
  }
  return starts;
}
