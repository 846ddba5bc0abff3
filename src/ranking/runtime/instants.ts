/** Times as text: ISO 8601 with any of its offsets, which includes RFC 3339. */

import { instantOf } from './time-zones.ts';

const pattern =
  /^\d{4}-\d\d-\d\d(?:[Tt ](?:[01]\d|2[0-3]):\d\d(?::\d\d(?:[.,]\d+)?)?(?:[Zz]|[+-]\d\d(?::?\d\d)?))?$/;

const dateLength = 'yyyy-mm-dd'.length;
const dateTimeLength = 'yyyy-mm-ddThh:mm'.length;
const shortestMonth = 28;

/** Tells whether the text is a day: `2026-11-20`. */
export const isDay = (text: string): boolean => text.length === dateLength;

/**
 * Returns milliseconds since the epoch; NaN if the text is neither a day, which begins at midnight UTC, nor a time of a day
 * with its offset: `Z`, `+02`, `+0200` or `+02:00`.
 */
export function parseInstant(text: string): number {
  if (!pattern.test(text) || !dayExists(text)) return Number.NaN;
  const plain = text.toUpperCase().replace(' ', 'T').replace(',', '.');
  if (isDay(plain) || plain.endsWith('Z') || plain.at(-3) === ':') return Date.parse(plain);
  return Date.parse(plain.replace(/([+-]\d\d)(\d\d)?$/, (_, hours, minutes = '00') => `${hours}:${minutes}`));
}

/** Date.parse accepts 30 February as 2 March. */
function dayExists(text: string): boolean {
  const day = Number(text.slice(8, 10));
  if (day <= shortestMonth) return true;
  return day <= new Date(Date.UTC(Number(text.slice(0, 4)), Number(text.slice(5, 7)), 0)).getUTCDate();
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
const farthestWestMs = (23 * 60 + 59) * 60_000;

/** Formats as RFC 3339 in UTC; in the year 10000, with the westernmost offset. */
export function instantText(instantMs: number): string {
  if (instantMs < year10000Ms) return new Date(instantMs).toISOString();
  return new Date(instantMs - farthestWestMs).toISOString().replace('Z', '-23:59');
}
