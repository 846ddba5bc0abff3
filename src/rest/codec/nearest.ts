/** Suggestions for misspelt names. */

const maxDistance = 2;
const maxNameLength = 64;

/** The candidate within two edits of the name, the nearest first, then the first in order. */
export function nearestName(name: string, candidates: Iterable<string>): string | undefined {
  if (name.length > maxNameLength) return undefined;
  let nearest: string | undefined;
  let best = Math.min(maxDistance, name.length - 1) + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - name.length) >= best) continue;
    const distance = editDistance(name, candidate);
    if (distance < best) [nearest, best] = [candidate, distance];
  }
  return nearest;
}

/** Levenshtein distance, one row of the table at a time. */
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
