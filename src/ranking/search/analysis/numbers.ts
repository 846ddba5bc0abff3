/**
 * Numbers as people of different countries write them: `1,5` is `1.5`; `1,000` and `1.000` are `1000`.
 *
 * A comma between digits may also stand in a list without spaces (`10,100,1000`), so it is read as part of a number only
 * where it can hardly be anything else.
 */
import { canonicalUnit } from './units.ts';

/** One comma: a decimal one before one or two digits. */
const decimalComma = /^(\d+),(\d{1,2})(?![\d,])/;
const thousandsDots = /^[1-9]\d{0,2}(?:\.\d{3})+(?![\d.])/;
/** One comma before three digits: thousands when they are round or a unit follows at once. */
const thousandsComma = /^([1-9]\d{0,2}),(\d{2}0$|\d{3}(?=\p{L}|"|''))(?!,)(.*)$/u;

/** `10,000 mAh` in parts: before and after the comma, and what follows at once. */
export type Thousands = { parts: [string, string]; rest: string };

export function thousandsOf(run: string): Thousands | undefined {
  const [, before, after, rest] = thousandsComma.exec(run) ?? [];
  return after === undefined ? undefined : { parts: [before, after], rest };
}

/** A run of a folded text with its numbers in one form, but for thousands with a comma; several where commas only list. */
export function plainNumbers(run: string): string[] {
  if (!run.includes(',')) return [run.replace(thousandsDots, (number) => number.replaceAll('.', ''))];
  if (thousandsComma.test(run)) return [run];
  return run.replace(decimalComma, '$1.$2').split(',');
}

/** `1/2`, `1-1/2` and `1 1/2`: denominators of rulers alone, as others are dates and ratios. */
const fraction = /(?<![\d.,/])(?:(\d{1,3})[ -])?(\d{1,2})\/(2|3|4|8|16|32|64)(?!\d|\/|\.\d)/g;

/** A folded text with its fractions as decimals, to at most four places. */
export function plainFractions(folded: string): string {
  if (!folded.includes('/')) return folded;
  return folded.replace(fraction, (typed, whole = '0', above, below) =>
    Number(above) < Number(below) ? String(Number((Number(whole) + above / below).toFixed(4))) : typed,
  );
}

/** `2.40` as `2.4` and `5.0` as `5`. Only for what is measured: of versions and prices the zeros are a part. */
export function plainDecimal(number: string): string {
  return number.includes('.') ? number.replace(/\.?0+$/, '') : number;
}

/** A decimal that begins with its point. */
const bareDecimal = /(?<![\p{L}\p{N}.])\.\d+(?=[ -]?(\p{L}+|"|''))/gu;

/** A folded text with `.5 l` as `0.5 l`; before anything but a unit the point may end a sentence. */
export function wholeDecimals(folded: string): string {
  if (!folded.includes('.')) return folded;
  return folded.replace(bareDecimal, (typed, unit) => (canonicalUnit(unit) ? `0${typed}` : typed));
}
