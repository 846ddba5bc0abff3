/** Converts the text of a cell into a value. */

import { toDate, toDateOf, toUnixTime } from './dates.ts';
import { toNumber, toNumberWith } from './numbers.ts';
import { refuseText } from './row.ts';

/** Undefined for text that stands for no value. @throws UnreadableValue */
export type Conversion = (text: string, timeZone: string) => unknown;

/** Other words than those of `cellOf`, which are no value of a number, date or list. */
const noValue = /^(?:none|nan|nil|na|undefined|k\.? ?a\.?)$/i;

const ofValues =
  (convert: Conversion): Conversion =>
  (text, timeZone) =>
    noValue.test(text) ? undefined : convert(text, timeZone);

export const conversions = {
  number: ofValues(toNumber),
  decimal_comma: ofValues(toNumberWith(',')),
  decimal_point: ofValues(toNumberWith('.')),
  boolean: ofValues(toBoolean),
  date: ofValues(toDate),
  day_month_year: ofValues(toDateOf(['day', 'month', 'year'])),
  month_day_year: ofValues(toDateOf(['month', 'day', 'year'])),
  unix_seconds: ofValues(toUnixTime),
} satisfies Record<string, Conversion>;

const words = (text: string) => text.split(' ');

const yes = words(
  'true yes y on ja j oui si sí sim wahr vrai x instock available active enabled published limitedavailability auflager lieferbar verfügbar',
);
const no = words(
  'false no n off nein nee non não falsch faux outofstock soldout notavailable unavailable inactive disabled draft discontinued ausverkauft nichtlieferbar nichtverfügbar',
);
const booleans = new Map([
  ...yes.map((word) => [word, true] as const),
  ...no.map((word) => [word, false] as const),
]);

/** Accepts words such as `in stock`, terms of schema.org, and a stock count: above 0 is true. */
function toBoolean(text: string): boolean {
  const word = text
    .toLowerCase()
    .replace(/^https?:\/\/schema\.org\//, '')
    .replaceAll(/[\s_-]/g, '');
  const value = booleans.get(word);
  if (value !== undefined) return value;
  if (/^[+-]?\d+([.,]\d+)?$/.test(text)) return Number(text.replace(',', '.')) > 0;
  return refuseText(text, 'is neither true nor false');
}

/** `FRUIT - SHELF STABLE` → `Fruit - Shelf Stable`. */
export function toTitleCase(text: string): string {
  return text
    .toLowerCase()
    .replace(/(^|[^\p{L}\p{N}'’])(\p{L})/gu, (_, before, letter) => before + letter.toUpperCase());
}
