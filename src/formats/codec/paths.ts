/**
 * Category paths: names from general to specific, joined with `/`. A slash inside a name of a list
 * becomes `∕` (U+2215), so that it does not look like a level.
 */

const separator = '/';
const slashInName = '∕';

/** Returns the path with names trimmed and empty names dropped. */
export function normalisePath(path: string): string {
  return path.includes(separator) ? joinNames(path.split(separator)) : path.trim();
}

export function joinPath(names: readonly string[]): string {
  return joinNames(names.map((name) => name.replaceAll(separator, slashInName)));
}

function joinNames(names: readonly string[]): string {
  return names
    .map((name) => name.trim())
    .filter((name) => name !== '')
    .join(separator);
}
