/**
 * Rows for a function of the database, as one text: the values of each row in turn, divided by characters that Unicode keeps out
 * of texts (https://www.unicode.org/faq/private_use.html#nonchar1). Read by functions/rows.ts.
 */
import { storable } from './storable.ts';

// Control characters would save a twentieth of the first thread's time (one byte a letter). But nodes
// of two versions would then read different forms under one function name, and lose events.
const valueMark = '\ufdd0';
const nullMark = '\ufdd1';

/** Null when there are no rows. Undefined becomes null; a list of numbers an array. */
export function encodeValues<Row extends object>(
  rows: readonly Row[],
  names: readonly (keyof Row)[],
): string | null {
  if (rows.length === 0) return null;
  const values: unknown[] = [];
  for (const row of rows) for (const name of names) values.push(row[name]);
  return encodeList(values);
}

/** The same of the values themselves, row by row; they are overwritten by their texts. */
export function encodeList(values: unknown[]): string {
  for (let place = 0; place < values.length; place++) values[place] = encodeValue(values[place]);
  return values.join(valueMark);
}

function encodeValue(value: unknown): string {
  if (value === undefined) return nullMark;
  if (typeof value === 'string') return storable(value);
  return Array.isArray(value) ? `{${value.join(',')}}` : String(value);
}
