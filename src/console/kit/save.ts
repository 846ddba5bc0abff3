/** Files that a page makes for its reader. */

/** @param text May come in parts, when it is long. */
export function saveText(name: string, text: string | string[], type = 'text/csv'): void {
  const url = URL.createObjectURL(new Blob([text].flat(), { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
