/** Numbers as shops write them: `1.299,00 €`, `$1,299.00`, `1 299,00`, `1'299.00`, `12.90 EUR`. */

import { refuseText } from './row.ts';

/** As JSON writes numbers. */
const plain = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

const longestNumber = 64;

type Mark = '.' | ',';

/** Digits, with or without groups of thousands. */
const patterns: Record<Mark, RegExp> = {
  '.': /^[+-]?([1-9]\d{0,2}(,\d{3})+|\d+)(\.\d*)?$/,
  ',': /^[+-]?([1-9]\d{0,2}(\.\d{3})+|\d+)(,\d*)?$/,
};

/** Digits of one group may be thousands or decimals. */
const ambiguous = /^[+-]?[1-9]\d{0,2}[.,]\d{3}$/;

const codes = new Set(Intl.supportedValuesOf('currency'));
const shortNames = /^(kr|zł|kč|ft|lei|лв|руб|р|us|ca|au|r)\.?$/i;

/** Indian groups of two digits, and money in countries with a decimal point. */
const indian = /^[+-]?\d{1,2}(?:,\d{2})+,\d{3}(?:\.\d*)?$/;
const withPoint = /^[-+]?\s*(?:us)?[$£¥₹]/i;

/** Reads both decimal marks. Refuses text that has two readings, such as `1,299`. */
export function toNumber(text: string): number {
  if (plain.test(text)) return finite(Number(text), text);
  const digits = digitsOf(text);
  if (withPoint.test(text)) return toNumberWith('.')(text);
  if (ambiguous.test(digits))
    refuseText(text, 'has two readings; convert it as decimal_comma or decimal_point');
  const mark = (['.', ','] as const).find((one) => patterns[one].test(digits));
  return mark === undefined ? refuseText(text, 'is not a number') : parse(digits, mark, text);
}

/** Reads numbers with one decimal mark; the other mark separates thousands. */
export function toNumberWith(mark: Mark): (text: string) => number {
  const example = mark === ',' ? '1.234,50' : '1,234.50';
  return (text) => {
    const digits = digitsOf(text);
    if (!patterns[mark].test(digits)) refuseText(text, `is not a number such as ${example}`);
    return parse(digits, mark, text);
  };
}

function parse(digits: string, mark: Mark, text: string): number {
  const groups = mark === '.' ? ',' : '.';
  return finite(Number(digits.replaceAll(groups, '').replace(mark, '.')), text);
}

function finite(value: number, text: string): number {
  if (Number.isNaN(value)) refuseText(text, 'is not a number');
  const isLong = Number.isInteger(value) && !Number.isSafeInteger(value) && !/e/i.test(text);
  return isLong || !Number.isFinite(value) ? refuseText(text, 'is too large for a number') : value;
}

/**
 * Removes the currency or a percent sign, spaces, apostrophes between thousands, and the dash of
 * `12,-`. Negative are also `(12.50)` and `12.50-`.
 */
function digitsOf(written: string): string {
  if (written.length > longestNumber) return written;
  const [, inBrackets, behind] = /^\((.*)\)$|^(.*\d)-$/s.exec(written) ?? [];
  if (inBrackets ?? behind) return `-${digitsOf((inBrackets ?? behind).trim())}`;
  const text = written.normalize('NFKC').replace(/\s*%$/, '');
  const [, before, middle, after] = /^((?:\p{L}+\.)?[^\d+.,-]*)(.*?)([^\d.,–—-]*)$/su.exec(text)!;
  const isMoney = [before, after].every((part) => isCurrency(part.trim()));
  if (!isMoney) return text;
  const digits = middle.replaceAll(/(?<=\d)['’\s](?=\d{3})/g, '').replace(/[,.][-–—]+$/, '');
  return indian.test(digits) ? digits.replaceAll(',', '') : digits;
}

function isCurrency(text: string): boolean {
  const name = text.replaceAll(/[\p{Sc}\s]/gu, '');
  return name === '' || codes.has(name.toUpperCase()) || shortNames.test(name);
}
