/**
 * Writes CSV (RFC 4180) that a spreadsheet opens without running what callers sent.
 *
 * A spreadsheet takes a cell for a formula by its first character, so a text that begins like one gets an apostrophe in front.
 * Where the list separator is a semicolon or a tab, the spreadsheet cuts our cells there, so what follows one begins a cell,
 * too. Numbers are written as they are.
 */

/** Where a cell begins as a formula; full-width and small forms are read as the ASCII ones. */
const formulaStart = /(^|[;\t])((?:(?!\t)[\s"\u200b\ufeff])*)(?=[=+\-@＝＋－＠﹦﹢﹣﹫])/g;

/** Control characters before a formula are dropped by some spreadsheets. */
const controlStart = /^(?=[\t\r\n])/;

/** Returns one cell; empty for null and undefined. An object is written as JSON. */
export function csvCell(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean')
    return String(value);
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  const safe = text.replace(formulaStart, "$1'$2").replace(controlStart, "'");
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Returns one record, without the end of its line. */
export function csvRow(values: readonly unknown[]): string {
  return values.map(csvCell).join(',');
}
