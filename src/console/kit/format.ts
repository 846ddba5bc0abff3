/** Numbers, shares and times in the reader's own language. */

import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';
import { languages as locale } from '../texts/language.ts';
import { type Text, t } from '../texts/texts.ts';

const numbers = (options: Intl.NumberFormatOptions) => new Intl.NumberFormat(locale, options);
const dates = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, options);

/** Formats by time zone; absent is the reader's. */
function zoned(options: Intl.DateTimeFormatOptions) {
  const formats = new Map<string | undefined, Intl.DateTimeFormat>();
  return (timeZone?: string): Intl.DateTimeFormat => {
    const format = formats.get(timeZone) ?? dates({ ...options, timeZone });
    formats.set(timeZone, format);
    return format;
  };
}

const compactFrom = 100_000;
const whole = numbers({ maximumFractionDigits: 0 });
const compact = numbers({ notation: 'compact', maximumFractionDigits: 1 });
const fraction = numbers({ maximumFractionDigits: 2 });
const digits = numbers({ maximumSignificantDigits: 3 });
const quality = numbers({ minimumFractionDigits: 3, maximumFractionDigits: 3 });
const percent = { style: 'percent', maximumFractionDigits: 1 } as const;
const share = numbers(percent);
const change = numbers({ ...percent, signDisplay: 'exceptZero' });

export const formatCount = (value: number): string =>
  Math.abs(value) < compactFrom ? whole.format(value) : compact.format(value);
export const formatNumber = (value: number): string =>
  Math.abs(value) < compactFrom ? fraction.format(value) : compact.format(value);
/** Mean per device: often close to zero, so with three significant digits. */
export const formatMean = (value: number): string =>
  Math.abs(value) < 1 ? digits.format(value) : formatNumber(value);
/** Number that identifies something, such as a line: all digits. */
export const formatPlace = (value: number): string => whole.format(value);
/** Quality of answers, 0 to 1. */
export const formatQuality = (value: number): string => quality.format(value);
export const formatShare = (value: number): string => share.format(value);
export const formatChange = (value: number): string => change.format(value);

const moneyFormats = new Map<string, Intl.NumberFormat>();

/** @param currency ISO 4217 code; empty for an amount without a currency. */
export function formatMoney(value: number, currency: string): string {
  const isCompact = Math.abs(value) >= compactFrom;
  const key = `${currency} ${isCompact}`;
  const format = moneyFormats.get(key) ?? moneyFormat(currency, isCompact);
  moneyFormats.set(key, format);
  return format.format(value);
}

const moneyFormat = (currency: string, isCompact: boolean): Intl.NumberFormat =>
  numbers({
    ...(currency ? { style: 'currency', currency } : { minimumFractionDigits: 2, maximumFractionDigits: 2 }),
    ...(isCompact
      ? { notation: 'compact', minimumFractionDigits: 0, maximumFractionDigits: 1 }
      : { trailingZeroDisplay: 'stripIfInteger' }),
  });

const moment = zoned({ dateStyle: 'medium', timeStyle: 'short' });
const day = dates({ dateStyle: 'medium' });
const clock = dates({ timeStyle: 'medium' });
const month = dates({ month: 'long', year: 'numeric', timeZone: 'UTC' });
const hourOfDay = zoned({ hour: '2-digit', minute: '2-digit' });
const dayOfYear = zoned({ day: 'numeric', month: 'short' });
const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });

/** Date of a message's timestamp. */
export const momentOf = (timestamp: Timestamp | undefined): Date | undefined =>
  timestamp && timestampDate(timestamp);

/** @param timeZone IANA name [the reader's]. */
export const formatMoment = (date: Date, timeZone?: string): string => moment(timeZone).format(date);
export const formatMonth = (date: Date): string => month.format(date);
export const formatClock = (date: Date): string => clock.format(date);
export const formatDay = (date: Date): string => day.format(date);

const longestInHoursSeconds = 2 * 86_400;

/** Labels of an axis, Unix seconds: days, or times of day within two days. */
export function formatAxis(moments: readonly number[], timeZone: string): string[] {
  const span = (moments.at(-1) ?? 0) - (moments[0] ?? 0);
  const format = (span <= longestInHoursSeconds ? hourOfDay : dayOfYear)(timeZone);
  return moments.map((seconds) => format.format(new Date(seconds * 1_000)));
}

/** e.g. `a, b and c`, or with `or`. */
export const formatList = (parts: readonly string[], type: 'conjunction' | 'disjunction'): string =>
  new Intl.ListFormat(locale, { type }).format(parts);

/** Nouns whose plural, with an added "s", is a text too. */
type Countable = { [One in Text]: `${One}s` extends Text ? One : never }[Text];

/** e.g. `1 rule`, `1,200 rules`. */
export function formatCounted(count: number, one: Countable): string;
export function formatCounted(count: number, one: Text, several: Text): string;
export function formatCounted(count: number, one: Text, several = `${one}s` as Text): string {
  return `${formatCount(count)} ${t(count === 1 ? one : several)}`;
}

const units: [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
];

/** e.g. `3 hours ago`. */
export function formatAgo(date: Date, now = Date.now()): string {
  const seconds = (date.getTime() - now) / 1_000;
  const [unit, length] = units.find(([, least]) => Math.abs(seconds) >= least) ?? units.at(-1)!;
  return relative.format(Math.round(seconds / length), unit);
}
