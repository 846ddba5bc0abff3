/** How well scores separate some people from others. */

export type Measures = {
  /** Chance that one of the wanted scores above one of the others; equal scores count half. */
  auc: number;
  /** How many times more of the wanted are among the best tenth than by chance. */
  liftInTopDecile: number;
};

/** Absent scores are 0. People in any order; it breaks no ties. */
export function measure(
  scores: ReadonlyMap<string, number>,
  people: Iterable<string>,
  wanted: ReadonlySet<string>,
): Measures {
  const ranked = Array.from(people, (person) => ({
    score: scores.get(person) ?? 0,
    isWanted: wanted.has(person),
  }));
  ranked.sort((a, b) => b.score - a.score);
  const wantedCount = ranked.filter(({ isWanted }) => isWanted).length;
  const decile = Math.ceil(ranked.length / 10);
  let above = 0;
  let inDecile = 0;
  let othersBefore = 0;
  for (let start = 0; start < ranked.length; ) {
    let end = start;
    while (end < ranked.length && ranked[end].score === ranked[start].score) end += 1;
    const tied = ranked.slice(start, end);
    const wantedHere = tied.filter(({ isWanted }) => isWanted).length;
    const othersHere = tied.length - wantedHere;
    const othersAfter = ranked.length - wantedCount - othersBefore - othersHere;
    above += wantedHere * (othersAfter + othersHere / 2);
    inDecile += (wantedHere * Math.max(0, Math.min(end, decile) - start)) / tied.length;
    othersBefore += othersHere;
    start = end;
  }
  return {
    auc: above / (wantedCount * (ranked.length - wantedCount)),
    liftInTopDecile: inDecile / decile / (wantedCount / ranked.length),
  };
}

export const mean = (numbers: readonly number[]): number =>
  numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
