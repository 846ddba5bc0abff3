/** Suggests the name that a caller probably meant, for error messages. */

const longestName = 64;

/** Edits of a typing error; more make another word. */
const slipDistance = 2;

/**
 * Returns the closest name within `maxDistance` edits, the first of equals; undefined if none is
 * close.
 */
export function nearestName(
  wanted: string,
  names: Iterable<string>,
  maxDistance = Math.min(slipDistance, wanted.length - 1),
): string | undefined {
  if (wanted.length > longestName) return undefined;
  let nearest: string | undefined;
  let best = maxDistance + 1;
  for (const name of names) {
    if (Math.abs(name.length - wanted.length) >= best) continue;
    const distance = editDistance(wanted, name);
    if (distance < best) [nearest, best] = [name, distance];
  }
  return nearest;
}

/** Levenshtein distance, computed row by row. */
function editDistance(a: string, b: string): number {
  const row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    let diagonal = row[0];
    row[0] = i;
    for (let j = 1; j <= b.length; j++) {
      const substituted = diagonal + (a[i - 1] === b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = Math.min(substituted, row[j] + 1, row[j - 1] + 1);
    }
  }
  return row[b.length];
}
