/**
 * Rows for a function of the database, as one text: columns of values, divided by characters that Unicode keeps out of texts
 * (https://www.unicode.org/faq/private_use.html#nonchar1). Read by migrations/counting/columns.ts.
 */
import { storable } from './storable.ts';

const valueMark = '\ufdd0';
const nullMark = '\ufdd1';
const columnMark = '\ufdd2';

/** Null when there are no rows. Undefined becomes null; a list of numbers an array. */
export function encodeColumns<Row extends object>(
  rows: readonly Row[],
  names: readonly (keyof Row)[],
): string | null {
  if (rows.length === 0) return null;
  return names.map((name) => encodeColumn(rows, name)).join(columnMark);
}

function encodeColumn<Row extends object>(rows: readonly Row[], name: keyof Row): string {
  let isEmpty = true;
  const values = rows.map((row) => {
    const value = row[name];
    if (value === undefined) return nullMark;
    isEmpty = false;
    if (typeof value === 'string') return storable(value);
    return Array.isArray(value) ? `{${value.join(',')}}` : String(value);
  });
  return isEmpty ? nullMark : values.join(valueMark);
}
