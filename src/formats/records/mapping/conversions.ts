/** Converts the text of a cell into a value. */

import { dayMonthYear, monthDayYear, toDate, toUnixTime } from './dates.ts';
import { toNumber, toNumberWith } from './numbers.ts';
import { refuseText } from './row.ts';

/** Undefined for text that stands for no value. @throws UnreadableValue */
export type Conversion = (text: string, timeZone: string) => unknown;

/** Other words than those of `cellOf`, and the zero date of MySQL. */
const noValue = /^(?:none|nan|nil|na|undefined|k\.? ?a\.?|0000-00-00.*)$/i;

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
  day_month_year: ofValues(dayMonthYear),
  month_day_year: ofValues(monthDayYear),
  unix_seconds: ofValues(toUnixTime),
} satisfies Record<string, Conversion>;

const words = (text: string) => text.split(' ');

const yes = words(
  'true t yes y on ja j oui si sí sim да tak wahr vrai x ✓ ✔ instock available active enabled published limited lowstock limitedavailability preorder backorder onbackorder instoreonly onlineonly auflager lieferbar verfügbar opvoorraad leverbaar enstock disponible disponibile ilager pålager varastossa',
);
const no = words(
  'false f no n off nein nee non não нет nie falsch faux ✗ ✘ outofstock soldout notavailable unavailable inactive disabled draft discontinued ausverkauft nichtauflager nichtlieferbar nichtverfügbar nietopvoorraad uitverkocht rupturedestock épuisé agotado esaurito slut slutsåld udsolgt utsolgt loppu',
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
  const [, count] = /^[<>≥~]? ?([+-]?\d+(?:[.,]\d+)?)\+?$/.exec(text) ?? [];
  if (count !== undefined) return Number(count.replace(',', '.')) > 0;
  return refuseText(text, 'is neither true nor false');
}

/** `FRUIT - SHELF STABLE` → `Fruit - Shelf Stable`. */
export function toTitleCase(text: string): string {
  return text
    .toLowerCase()
    .replace(/(^|[^\p{L}\p{N}'’])(\p{L})/gu, (_, before, letter) => before + letter.toUpperCase());
}
