/** Similarity of two rankings of the same question. */

/** Returns the share of common items among the first `depth` of both; 1 if both are empty. */
export function overlapAt(a: readonly string[], b: readonly string[], depth: number): number {
  const [first, second] = [a.slice(0, depth), b.slice(0, depth)];
  const most = Math.max(first.length, second.length);
  const known = new Set(second);
  return most === 0 ? 1 : first.filter((id) => known.has(id)).length / most;
}

/**
 * Rank-biased overlap to the depth of the longer list, divided by its largest value there, 0 to 1 (Webber, Moffat and Zobel,
 * "A similarity measure for indefinite rankings", TOIS 2010).
 *
 * @param persistence 0 to 1: the weight of a rank relative to the one before
 */
export function rankBiasedOverlap(a: readonly string[], b: readonly string[], persistence = 0.9): number {
  const depth = Math.max(a.length, b.length);
  if (depth === 0) return 1;
  let [sum, most, weight] = [0, 0, 1];
  const [seenA, seenB] = [new Set<string>(), new Set<string>()];
  for (let rank = 1; rank <= depth; rank += 1, weight *= persistence) {
    if (rank <= a.length) seenA.add(a[rank - 1]);
    if (rank <= b.length) seenB.add(b[rank - 1]);
    sum += (weight * [...seenA].filter((id) => seenB.has(id)).length) / rank;
    most += weight;
  }
  return sum / most;
}
