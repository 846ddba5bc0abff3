/** Dates in common forms, as RFC 3339 in UTC. A time without offset is one of the given time zone. */

import { instantOf } from '../../../ranking/runtime/time-zones.ts';
import { refuseText } from './row.ts';

type Part = 'year' | 'month' | 'day';

const clock = String.raw`(\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(?: ?([AP])M)?`;
const time = String.raw`(?:(?:T|,? +)${clock} ?(Z|UTC?|GMT|[ECMP][SD]T|[+-]\d{2}(?::?\d{2})?)?)?`;
const fullYear = String.raw`(\d{4})`;
const one = String.raw`(\d{1,2})`;

const forms: [form: RegExp, order: readonly Part[]][] = [
  [new RegExp(`^${fullYear}[-/.]${one}[-/.]${one}${time}$`, 'i'), ['year', 'month', 'day']],
  [new RegExp(`^(\\d{4})(\\d{2})(\\d{2})${time}$`, 'i'), ['year', 'month', 'day']],
  [new RegExp(`^${one}\\. ?${one}\\. ?(\\d{4}|\\d{2})${time}$`, 'i'), ['day', 'month', 'year']],
];

/** `Sun, 01 Nov 2026 10:00:00 +0100` (RFC 822), `1. November 2026`. */
const dayAndName = /^(?:[a-z]{2,9},? )?(\d{1,2})\.?[ -](\p{L}{3})\p{L}*\.?[ -](\d{4}|\d{2})(?=\D|$)/iu;
/** `November 1st, 2026`. */
const nameAndDay = /^(?:[a-z]{3,9},? )?(\p{L}{3})\p{L}*\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})(?=\D|$)/iu;
/** Beginnings of names in several languages. */
const monthNames =
  'jan ene|feb fév|mar mär mrt|apr avr abr|may mai mei maj|jun|jul|aug aoû ago|sep|oct okt|nov|dec dez des déc dic'
    .split('|')
    .map((names) => names.split(' '));
/** `20/11/2026`: the day, if one of both numbers is no month. */
const eitherOrder = new RegExp(`^${one}[-/]${one}[-/]${fullYear}${time}$`, 'i');

/** Seconds, milliseconds and microseconds since 2001, or seconds since 1973. */
const unixTime = /^(\d{9,10}|\d{13}|\d{16})(\.\d+)?$/;

/** `20261101T100000Z`, with or without the letters. */
const compact = /^(\d{4})(\d{2})(\d{2})T?(\d{2})(\d{2})(\d{2})(Z?)$/i;

/**
 * Parses RFC 3339 and its forms with a blank or without an offset, `dd.mm.yyyy`, RFC 822, and Unix
 * time in seconds, milliseconds or microseconds by its digits. A day begins at its midnight.
 */
export function toDate(text: string, timeZone: string): string {
  if (unixTime.test(text)) {
    const digitCount = text.split('.', 1)[0].length;
    const factor = digitCount <= 10 ? 1_000 : digitCount === 13 ? 1 : 0.001;
    return momentOf(Number(text) * factor, text);
  }
  if (compact.test(text)) return toDate(text.replace(compact, '$1-$2-$3T$4:$5:$6$7'), timeZone);
  for (const [form, order] of forms) {
    const match = form.exec(text);
    if (match) return momentFrom(match.slice(1, 4), order, match.slice(4), { text, timeZone });
  }
  const [, first, second] = eitherOrder.exec(text) ?? [];
  if (Number(first) > 12) return dayMonthYear(text, timeZone);
  if (Number(second) > 12) return monthDayYear(text, timeZone);
  if (first) refuseText(text, 'has two readings; convert it as day_month_year or month_day_year');
  const named = text.replace(nameAndDay, '$2 $1 $3').replace(dayAndName, (written, day, name, year) => {
    const month = monthNames.findIndex((names) => names.includes(name.toLowerCase()));
    return month < 0 ? written : `${day}.${month + 1}.${year}`;
  });
  if (named !== text) return toDate(named, timeZone);
  return refuseText(text, 'is not a date such as 2026-11-20 or 2026-11-20T09:30:00+01:00');
}

/** Parses dates such as `11/20/2026 9:30`, with a fixed order. */
function toDateOf(order: readonly Part[]): typeof toDate {
  const form = new RegExp(`^${one}[-/.]${one}[-/.]${fullYear}${time}$`, 'i');
  return (text, timeZone) => {
    const match = form.exec(text) ?? refuseText(text, `is not a date of ${order.join(', ')}`);
    return momentFrom(match.slice(1, 4), order, match.slice(4), { text, timeZone });
  };
}

export const dayMonthYear = toDateOf(['day', 'month', 'year']);
export const monthDayYear = toDateOf(['month', 'day', 'year']);

export function toUnixTime(text: string): string {
  const seconds = /^[+-]?\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(seconds)) refuseText(text, 'is not a number of seconds');
  return momentOf(seconds * 1_000, text);
}

function momentFrom(
  numbers: readonly string[],
  order: readonly Part[],
  [clock = '0:00', half, offset]: readonly (string | undefined)[],
  { text, timeZone }: { text: string; timeZone: string },
): string {
  const [written, month, day] = (['year', 'month', 'day'] as const).map((part) =>
    numbers[order.indexOf(part)].padStart(2, '0'),
  );
  const year = written.length === 2 ? `${Number(written) < 70 ? 20 : 19}${written}` : written;
  const date = `${year}-${month}-${day}`;
  /** Date.parse accepts the 30th of February as the 2nd of March. */
  if (!momentOf(Date.parse(`${date}T00:00:00Z`), text).startsWith(date))
    refuseText(text, 'is not a valid date');
  const [hours, ...minutes] = clock.split(':');
  const hour = half ? (Number(hours) % 12) + (/p/i.test(half) ? 12 : 0) : hours;
  const milliseconds = Date.parse(
    `${date}T${[String(hour).padStart(2, '0'), ...minutes].join(':')}${offset ? offsetOf(offset) : 'Z'}`,
  );
  return momentOf(offset ? milliseconds : instantOf(milliseconds, timeZone), text);
}

/** RFC 822 names American zones: EST is 5 hours behind, PDT is 7. */
function offsetOf(offset: string): string {
  if (/^[+-]/.test(offset)) return `${offset.slice(0, 3)}:${offset.slice(3).replace(':', '') || '00'}`;
  const [zone, half] = offset.toUpperCase();
  const hours = half === 'S' || half === 'D' ? 'ECMP'.indexOf(zone) + (half === 'S' ? 5 : 4) : 0;
  return hours > 0 ? `-0${hours}:00` : 'Z';
}

const [earliest, latest] = [Date.parse('0001-01-01T00:00:00Z'), Date.parse('9999-12-31T23:59:59.999Z')];

function momentOf(milliseconds: number, text: string): string {
  if (!(milliseconds >= earliest && milliseconds <= latest)) refuseText(text, 'is not a valid date');
  return new Date(milliseconds).toISOString();
}
