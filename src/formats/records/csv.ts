/**
 * Writes CSV (RFC 4180) that is safe to open in a spreadsheet.
 *
 * A spreadsheet detects a formula by the first character of a cell, so such a text gets an
 * apostrophe in front. Semicolons and tabs may separate cells too, so the text after them is
 * treated alike. Numbers are written as they are.
 */

/** Start of a formula; full-width and small forms are read as ASCII. */
const formulaStart = /(^|[;\t])((?:(?!\t)[\s"\u200b\ufeff])*)(?=[=+\-@＝＋－＠﹦﹢﹣﹫])/g;

/** Some spreadsheets drop control characters before a formula. */
const controlStart = /^(?=[\t\r\n])/;

/** Returns one cell: empty for null and undefined, JSON for objects. */
export function csvCell(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean')
    return String(value);
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  const safe = text.replace(formulaStart, "$1'$2").replace(controlStart, "'");
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Returns one record without its line end. */
export function csvRow(values: readonly unknown[]): string {
  return values.map(csvCell).join(',');
}
