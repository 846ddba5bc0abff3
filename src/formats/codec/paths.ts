/** Category paths: names from general to specific, joined with `/`. */

const separator = '/';

/** Returns the path with names trimmed and empty names dropped. */
export function normalisePath(path: string): string {
  return path.includes(separator) ? joinPath([path]) : path.trim();
}

export function joinPath(names: readonly string[]): string {
  return names
    .flatMap((name) => name.split(separator))
    .map((name) => name.trim())
    .filter((name) => name !== '')
    .join(separator);
}
