/** The name a caller probably meant, for error messages. */

const longestName = 64;

/**
 * The closest of the names, or undefined when none is within `maxDistance` edits [two, or a third of the length].
 * Ties go to the first.
 */
export function nearestName(
  wanted: string,
  names: Iterable<string>,
  maxDistance = Math.max(2, Math.floor(wanted.length / 3)),
): string | undefined {
  if (wanted.length > longestName) return undefined;
  let best: string | undefined;
  let bestDistance = maxDistance + 1;
  for (const name of names) {
    if (Math.abs(name.length - wanted.length) >= bestDistance) continue;
    const distance = editDistance(wanted.toLowerCase(), name.toLowerCase());
    if (distance < bestDistance) {
      best = name;
      bestDistance = distance;
    }
  }
  return best;
}

/** Levenshtein distance, one row at a time. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substitution, row[j] + 1, next[j - 1] + 1));
    }
    row = next;
  }
  return row[b.length];
}
