/** Ids side by side in an address, with commas between them; they may have commas of their own. */

export const writeList = (ids: readonly string[]): string =>
  ids.map((id) => id.replaceAll('%', '%25').replaceAll(',', '%2C')).join(',');

export const readList = (written: string): string[] =>
  written
    .split(',')
    .filter(Boolean)
    .map((id) => id.replaceAll('%2C', ',').replaceAll('%25', '%'));
