/** Dates in common forms, as RFC 3339 in UTC. A time without offset is one of the given time zone. */

import { instantOf } from '../../../ranking/runtime/time-zones.ts';
import { refuseText } from './row.ts';

type Part = 'year' | 'month' | 'day';

const time = String.raw`(?:(?:T|,? +)(\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?) ?(Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?)?`;
const fullYear = String.raw`(\d{4})`;
const one = String.raw`(\d{1,2})`;

/** Form and the order of its parts. */
const forms: [form: RegExp, order: readonly Part[]][] = [
  [new RegExp(`^${fullYear}[-/.]${one}[-/.]${one}${time}$`, 'i'), ['year', 'month', 'day']],
  [new RegExp(`^(\\d{4})(\\d{2})(\\d{2})${time}$`, 'i'), ['year', 'month', 'day']],
  [new RegExp(`^${one}\\. ?${one}\\. ?${fullYear}${time}$`, 'i'), ['day', 'month', 'year']],
];

/** `Sun, 01 Nov 2026 10:00:00 +0100` (RFC 822). */
const rfc822 =
  /^(?:[a-z]{3,9},? )?(\d{1,2})[ -]([a-z]{3})[a-z]*[ -](\d{4}|\d{2})(?: (\d{1,2}:\d{2}(?::\d{2})?) ?(Z|UTC?|GMT|[ECMP][SD]T|[+-]\d{4})?)?$/i;
const monthNames = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');

/** Offsets of the names that RFC 822 defines. */
const zones: Readonly<Record<string, string>> = {
  EST: '-05:00',
  EDT: '-04:00',
  CST: '-06:00',
  CDT: '-05:00',
  MST: '-07:00',
  MDT: '-06:00',
  PST: '-08:00',
  PDT: '-07:00',
};

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
  const [, day, name, year, ...rest] = rfc822.exec(text) ?? [];
  const month = name === undefined ? -1 : monthNames.indexOf(name.toLowerCase());
  const fourDigits = year?.length === 2 ? `${Number(year) < 70 ? 20 : 19}${year}` : year;
  if (month >= 0)
    return momentFrom([day, String(month + 1), fourDigits], ['day', 'month', 'year'], rest, {
      text,
      timeZone,
    });
  const hint = /^\d{1,2}\/\d{1,2}\/\d{4}/.test(text) ? 'day_month_year or month_day_year' : undefined;
  if (hint) refuseText(text, `has two readings; convert it as ${hint}`);
  return refuseText(text, 'is not a date such as 2026-11-20 or 2026-11-20T09:30:00+01:00');
}

/** Parses dates such as `11/20/2026 9:30`, with a fixed order. */
export function toDateOf(order: readonly Part[]): typeof toDate {
  const form = new RegExp(`^${one}[-/.]${one}[-/.]${fullYear}${time}$`, 'i');
  return (text, timeZone) => {
    const match = form.exec(text) ?? refuseText(text, `is not a date of ${order.join(', ')}`);
    return momentFrom(match.slice(1, 4), order, match.slice(4), { text, timeZone });
  };
}

export function toUnixTime(text: string): string {
  const seconds = /^[+-]?\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(seconds)) refuseText(text, 'is not a number of seconds');
  return momentOf(seconds * 1_000, text);
}

function momentFrom(
  numbers: readonly string[],
  order: readonly Part[],
  [clock = '0:00', offset]: readonly (string | undefined)[],
  { text, timeZone }: { text: string; timeZone: string },
): string {
  const [year, month, day] = (['year', 'month', 'day'] as const).map((part) =>
    numbers[order.indexOf(part)].padStart(2, '0'),
  );
  const date = `${year}-${month}-${day}`;
  /** Date.parse accepts the 30th of February as the 2nd of March. */
  if (!momentOf(Date.parse(`${date}T00:00:00Z`), text).startsWith(date))
    refuseText(text, 'is not a valid date');
  const hour = clock.replace(/^(?=\d:)/, '0');
  const milliseconds = Date.parse(`${date}T${hour}${offset ? offsetOf(offset) : 'Z'}`);
  return momentOf(offset ? milliseconds : instantOf(milliseconds, timeZone), text);
}

function offsetOf(offset: string): string {
  if (/^[+-]/.test(offset)) return `${offset.slice(0, 3)}:${offset.slice(3).replace(':', '') || '00'}`;
  return zones[offset.toUpperCase()] ?? 'Z';
}

const [earliest, latest] = [Date.parse('0001-01-01T00:00:00Z'), Date.parse('9999-12-31T23:59:59.999Z')];

function momentOf(milliseconds: number, text: string): string {
  if (!(milliseconds >= earliest && milliseconds <= latest)) refuseText(text, 'is not a valid date');
  return new Date(milliseconds).toISOString();
}
