/** Numbers, shares and times as the reader's own language writes them. */

import { languages as locale } from './language.ts';

const whole = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 });
const compact = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 });
const fraction = new Intl.NumberFormat(locale, { maximumFractionDigits: 2 });
const digits = new Intl.NumberFormat(locale, { maximumSignificantDigits: 3 });
const quality = new Intl.NumberFormat(locale, { minimumFractionDigits: 3, maximumFractionDigits: 3 });
const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 });
const signedPercent = new Intl.NumberFormat(locale, {
  style: 'percent',
  maximumFractionDigits: 1,
  signDisplay: 'exceptZero',
});
const moment = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });
const clock = new Intl.DateTimeFormat(locale, { timeStyle: 'medium' });
const month = new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric' });
const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });

export const formatCount = (value: number): string =>
  Math.abs(value) < 100_000 ? whole.format(value) : compact.format(value);
export const formatNumber = (value: number): string =>
  Math.abs(value) < 100_000 ? fraction.format(value) : compact.format(value);
/** What a device did in the mean, often next to nothing: the first digits that count. */
export const formatMean = (value: number): string =>
  Math.abs(value) < 1 ? digits.format(value) : formatNumber(value);
/** A number that something is looked up by: all of its digits. */
export const formatPlace = (value: number): string => whole.format(value);
/** An amount of money, in a currency where one is known: with its pence where it has any. */
export const formatMoney = (value: number, currency: string): string =>
  moneyIn(currency, Math.abs(value) >= 100_000).format(value);

const moneyFormats = new Map<string, Intl.NumberFormat>();

function moneyIn(currency: string, isCompact: boolean): Intl.NumberFormat {
  const key = `${currency} ${isCompact}`;
  const known = moneyFormats.get(key);
  if (known) return known;
  const format = new Intl.NumberFormat(locale, {
    ...(currency ? { style: 'currency', currency } : { minimumFractionDigits: 2, maximumFractionDigits: 2 }),
    ...(isCompact
      ? { notation: 'compact', minimumFractionDigits: 0, maximumFractionDigits: 1 }
      : { trailingZeroDisplay: 'stripIfInteger' }),
  });
  moneyFormats.set(key, format);
  return format;
}

/** Of answers, 0 to 1: differences are small. */
export const formatQuality = (value: number): string => quality.format(value);
export const formatShare = (value: number): string => percent.format(value);
export const formatChange = (value: number): string => signedPercent.format(value);
export const formatMoment = (date: Date): string => moment.format(date);
export const formatMonth = (date: Date): string => month.format(date);
/** The time of day with its seconds. */
export const formatClock = (date: Date): string => clock.format(date);
export const formatDay = (date: Date): string => day.format(date);

const hourOfDay = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' });
const dayOfYear = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' });
const longestInHoursSeconds = 2 * 86_400;

/** Moments along an axis, Unix seconds: days, or times of day when they are close to each other. */
export function formatAxis(moments: readonly number[]): string[] {
  const span = (moments.at(-1) ?? 0) - (moments[0] ?? 0);
  const format = span <= longestInHoursSeconds ? hourOfDay : dayOfYear;
  return moments.map((seconds) => format.format(new Date(seconds * 1_000)));
}

/** e.g. `1 rule`, `1,200 rules`. */
export const formatCounted = (count: number, one: string, several = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : several}`;

const steps: [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** e.g. `3 hours ago`. */
export function formatAgo(date: Date, now = Date.now()): string {
  const seconds = (date.getTime() - now) / 1_000;
  const step = steps.find(([, length]) => Math.abs(seconds) >= length);
  return step
    ? relative.format(Math.round(seconds / step[1]), step[0])
    : relative.format(Math.round(seconds), 'second');
}
