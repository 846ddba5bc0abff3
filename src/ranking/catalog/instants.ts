import { instantOf } from '../runtime/time-zones.ts';

/** RFC 3339 with an offset, or a date, which means midnight UTC. */
const instantPattern = /^\d{4}-\d{2}-\d{2}([Tt ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?([Zz]|[+-]\d{2}:\d{2}))?$/;

/** Returns milliseconds since the epoch, or NaN when the text is no instant. */
export function parseInstant(text: string): number {
  if (!instantPattern.test(text) || !dayExists(text)) return Number.NaN;
  return Date.parse(text.toUpperCase().replace(' ', 'T'));
}

const dateLength = 'yyyy-mm-dd'.length;

/** Returns whether an instant is written as a date. */
export const isDate = (text: string): boolean => text.length === dateLength;

/** Does the same as `parseInstant`, with dates as midnight in a time zone. */
export function parseLocal(text: string, timeZone: string): number {
  const instantMs = parseInstant(text);
  return isDate(text) ? instantOf(instantMs, timeZone) : instantMs;
}

const year10000Ms = Date.UTC(10_000, 0);
const farthestWestMs = (23 * 60 + 59) * 60_000;

/** Formats as RFC 3339 in UTC; in the year 10000, with the westernmost offset. */
export function instantText(instantMs: number): string {
  if (instantMs < year10000Ms) return new Date(instantMs).toISOString();
  return new Date(instantMs - farthestWestMs).toISOString().replace('Z', '-23:59');
}

/** Tells whether the day exists; Date.parse accepts 30 February as 2 March. */
export function dayExists(text: string): boolean {
  const day = Number(text.slice(8, 10));
  if (day <= shortestMonth) return true;
  const [year, month] = [Number(text.slice(0, 4)), Number(text.slice(5, 7))];
  return day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}

const shortestMonth = 28;
