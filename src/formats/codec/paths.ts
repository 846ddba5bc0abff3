/** Category paths: names from general to specific, joined with `/`. */

const separator = '/';

/** The normal form of a path: names trimmed, empty ones dropped. */
export function normalisePath(path: string): string {
  return path.includes(separator) ? joinPath([path]) : path.trim();
}

/** The path of a list of names. */
export function joinPath(names: readonly string[]): string {
  return names
    .flatMap((name) => name.split(separator))
    .map((name) => name.trim())
    .filter((name) => name !== '')
    .join(separator);
}
