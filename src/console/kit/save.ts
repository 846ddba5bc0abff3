/** Files that a page makes for its reader. */

/** A spreadsheet takes a text that begins so for a formula. */
const formula = /^[=+\-@\t\r]/;

export function csvCell(text: string): string {
  const safe = formula.test(text) ? `'${text}` : text;
  return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** @param text May come in parts, when it is long. */
export function saveText(name: string, text: string | string[], type = 'text/csv'): void {
  const url = URL.createObjectURL(new Blob([text].flat(), { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
