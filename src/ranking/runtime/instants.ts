/** Times as text: ISO 8601 with any of its offsets, which includes RFC 3339. */

import { instantOf } from './time-zones.ts';

const pattern =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?(?:[Zz]|([+-]\d\d)(?::?(\d\d))?))?$/;

const dateLength = 'yyyy-mm-dd'.length;
const dateTimeLength = 'yyyy-mm-ddThh:mm'.length;
const minuteMs = 60_000;

/** Tells whether the text is a day: `2026-11-20`. */
export const isDay = (text: string): boolean => text.length === dateLength;

/**
 * Returns milliseconds since the epoch; NaN if the text is neither a day, which begins at midnight UTC, nor a time of a day
 * with its offset: `Z`, `+02`, `+0200` or `+02:00`.
 */
export function parseInstant(text: string): number {
  const match = pattern.exec(text);
  if (match === null) return Number.NaN;
  const [, year, month, day, hour = 0, minute = 0, second = 0, fraction = '', east = '+00', more = 0] = match;
  const date = new Date(0).setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  const areValid =
    new Date(date).getUTCMonth() === Number(month) - 1 &&
    new Date(date).getUTCDate() === Number(day) &&
    Number(hour) < 24 &&
    Math.max(Number(minute), Number(second), Number(more)) < 60 &&
    Math.abs(Number(east)) < 24;
  if (!areValid) return Number.NaN;
  const offset = Number(east) * 60 + (east.startsWith('-') ? -1 : 1) * Number(more);
  const clock = (Number(hour) * 60 + Number(minute) - offset) * minuteMs + Number(second) * 1_000;
  return date + clock + Math.trunc(Number(`0.${fraction}`) * 1_000);
}

/** As `parseInstant`, with days from midnight in a time zone. */
export function parseLocal(text: string, timeZone: string): number {
  const instantMs = parseInstant(text);
  return isDay(text) ? instantOf(instantMs, timeZone) : instantMs;
}

/** As `parseInstant`, for times with their seconds alone. */
export function parseFullMoment(text: string): number | undefined {
  const instantMs = text[dateTimeLength] === ':' ? parseInstant(text) : Number.NaN;
  return Number.isNaN(instantMs) ? undefined : instantMs;
}

const year10000Ms = Date.UTC(10_000, 0);
const farthestWestMs = (23 * 60 + 59) * minuteMs;

/** Formats as RFC 3339 in UTC; in the year 10000, with the westernmost offset. */
export function instantText(instantMs: number): string {
  if (instantMs < year10000Ms) return new Date(instantMs).toISOString();
  return new Date(instantMs - farthestWestMs).toISOString().replace('Z', '-23:59');
}
