/** Converts the text of a cell into a value. Each conversion throws UnreadableValue. */

import { UnreadableValue } from './row.ts';

export type Conversion = (text: string) => unknown;

export const conversions: Readonly<Record<string, Conversion>> = {
  number: toNumber,
  decimal_comma: toNumberWithComma,
  boolean: toBoolean,
  date: toDate,
  unix_seconds: (text) => momentOf(toNumber(text) * 1_000, text),
};

const words = new Map([
  ...['true', 'yes', 'y', '1'].map((word) => [word, true] as const),
  ...['false', 'no', 'n', '0'].map((word) => [word, false] as const),
]);

const datePattern =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?) ?(Z|[+-]\d{2}(?::?\d{2})?))?$/i;

export function toNumber(text: string): number {
  const value = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
  if (!Number.isFinite(value)) throw new UnreadableValue(`${shown(text)} is not a number.`);
  return value;
}

/** Parses `1.234,50`; points are allowed only as separators of thousands. */
function toNumberWithComma(text: string): number {
  if (!/^[+-]?(\d{1,3}(\.\d{3})+|\d+)(,\d+)?$/.test(text))
    throw new UnreadableValue(`${shown(text)} is not a number such as 1.234,50.`);
  return toNumber(text.replaceAll('.', '').replace(',', '.'));
}

export function toBoolean(text: string): boolean {
  const value = words.get(text.toLowerCase());
  if (value === undefined) throw new UnreadableValue(`${shown(text)} is neither true nor false.`);
  return value;
}

/**
 * Parses RFC 3339 with offset (seconds and the offset's colon are optional), or a day, which begins
 * at midnight UTC.
 */
function toDate(text: string): string {
  const [, day, time, offset] = datePattern.exec(text) ?? [];
  if (day === undefined) {
    throw new UnreadableValue(
      `${shown(text)} is not a date such as 2026-11-20 or 2026-11-20T09:30:00+01:00.`,
    );
  }
  const midnight = momentOf(Date.parse(`${day}T00:00:00Z`), text);
  /** Date.parse accepts the 30th of February as the 2nd of March. */
  if (!midnight.startsWith(day)) throw new UnreadableValue(`${shown(text)} is not a valid date.`);
  if (time === undefined) return midnight;
  return momentOf(Date.parse(`${day}T${time}${normaliseOffset(offset)}`), text);
}

function normaliseOffset(offset: string): string {
  if (offset.length === 1) return 'Z';
  return `${offset.slice(0, 3)}:${offset.slice(3).replace(':', '') || '00'}`;
}

function momentOf(milliseconds: number, text: string): string {
  const moment = new Date(milliseconds);
  if (Number.isNaN(moment.getTime())) throw new UnreadableValue(`${shown(text)} is not a valid date.`);
  return moment.toISOString();
}

/** `FRUIT - SHELF STABLE` → `Fruit - Shelf Stable`. */
export function toTitleCase(text: string): string {
  return text
    .toLowerCase()
    .replace(/(^|[^\p{L}\p{N}'’])(\p{L})/gu, (_, before, letter) => before + letter.toUpperCase());
}

function shown(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
