/**
 * Normalises numbers of different countries: `1,5` is `1.5`; `1,000` and `1.000` are `1000`.
 *
 * A comma may also separate a list without spaces (`10,100,1000`), so it is part of a number only
 * where it can hardly be anything else.
 */
import { canonicalUnit } from './units.ts';

/** A comma before one or two digits. */
const decimalComma = /^(\d+),(\d{1,2})(?![\d,])/;
const thousandsDots = /^[1-9]\d{0,2}(?:\.\d{3})+(?![\d.])/;
/** A comma before three digits: thousands when they are round or a unit follows at once. */
const thousandsComma = /^([1-9]\d{0,2}),(\d{2}0$|\d{3}(?=\p{L}|"|''))(?!,)(.*)$/u;

/** `10,000 mAh` in parts: before and after the comma, and the rest of the run. */
export type Thousands = { parts: [string, string]; rest: string };

export function thousandsOf(run: string): Thousands | undefined {
  const [, before, after, rest] = thousandsComma.exec(run) ?? [];
  return after === undefined ? undefined : { parts: [before, after], rest };
}

/**
 * Normalises the numbers of a folded run, except thousands with a comma. Returns several runs where
 * commas separate a list.
 */
export function plainNumbers(run: string): string[] {
  if (!run.includes(',')) return [run.replace(thousandsDots, (number) => number.replaceAll('.', ''))];
  if (thousandsComma.test(run)) return [run];
  return run.replace(decimalComma, '$1.$2').split(',');
}

/** `1/2`, `1-1/2` and `1 1/2`, with the denominators of rulers only, as others are dates and ratios. */
const fraction = /(?<![\d.,/])(?:(\d{1,3})[ -])?(\d{1,2})\/(2|3|4|8|16|32|64)(?!\d|\/|\.\d)/g;

/** Replaces fractions by decimals of at most four places. */
export function plainFractions(folded: string): string {
  if (!folded.includes('/')) return folded;
  return folded.replace(fraction, (typed, whole = '0', above, below) =>
    Number(above) < Number(below) ? String(Number((Number(whole) + above / below).toFixed(4))) : typed,
  );
}

/**
 * Drops trailing zeros: `2.40` is `2.4`. For measures only: in versions and prices the zeros are
 * significant.
 */
export function plainDecimal(number: string): string {
  return number.includes('.') ? number.replace(/\.?0+$/, '') : number;
}

/** A decimal that begins with its point. */
const bareDecimal = /(?<![\p{L}\p{N}.])\.\d+(?=[ -]?(\p{L}+|"|''))/gu;

/** Writes `.5 l` as `0.5 l`; before anything but a unit the point may end a sentence. */
export function wholeDecimals(folded: string): string {
  if (!folded.includes('.')) return folded;
  return folded.replace(bareDecimal, (typed, unit) => (canonicalUnit(unit) ? `0${typed}` : typed));
}

/** Numbers from 2 on as words, by language. */
const numberWords = [
  'two three four five six seven eight nine ten eleven twelve',
  'zwei drei vier funf sechs sieben acht neun zehn elf zwolf',
  'deux trois quatre cinq six sept huit neuf dix onze douze',
  'dos tres cuatro cinco seis siete ocho nueve diez once doce',
  'twee drie vier vijf zes zeven acht negen tien elf twaalf',
  'tva tre fyra fem sex sju atta nio tio elva tolv',
].map((words) => words.split(' '));

/** Returns the digits of a number word, or the words of a number. */
export function otherNumbers(word: string): string[] {
  if (/^(?:[2-9]|1[0-2])$/.test(word)) return numberWords.map((words) => words[Number(word) - 2]);
  return numberWords.flatMap((words) => (words.includes(word) ? [String(words.indexOf(word) + 2)] : []));
}
