/** Measures rankings against graded judgments, as means over queries with a relevant item. */

export type Judged = {
  query: string;
  /** Grades by item ID; grades above 0 are relevant. */
  grades: ReadonlyMap<string, number>;
};

export type QueryMeasures = {
  query: string;
  /** Number of hits within the examined depth. */
  found: number;
  /** Counts unjudged items as irrelevant. */
  ndcg10: number;
  /** Removes unjudged items first. */
  ndcg10Judged: number;
  averagePrecision: number;
};

export type RankingMeasures = {
  /** Queries with a relevant item. */
  queries: number;
  ndcg10: number;
  ndcg10Judged: number;
  map: number;
  /** Queries without hits, out of all judged ones. */
  withoutResults: number;
  perQuery: QueryMeasures[];
};

export type Gain = (grade: number) => number;

/** Gain of a grade: 2^g - 1, as usual for graded judgments, or 1 for every grade above 0. */
export const gains = {
  exponential: (grade: number) => 2 ** Math.max(0, grade) - 1,
  binary: (grade: number) => (grade > 0 ? 1 : 0),
} satisfies Record<string, Gain>;

const depth = 10;

function discounted(gained: readonly number[]): number {
  return gained.slice(0, depth).reduce((sum, gain, rank) => sum + gain / Math.log2(rank + 2), 0);
}

function averagePrecision(ids: readonly string[], { grades }: Judged): number {
  const relevantCount = [...grades.values()].filter((grade) => grade > 0).length;
  let found = 0;
  const sum = ids.reduce((total, id, rank) => {
    if (!((grades.get(id) ?? 0) > 0)) return total;
    found += 1;
    return total + found / (rank + 1);
  }, 0);
  return sum / relevantCount;
}

function measureQuery(judged: Judged, ids: readonly string[], gain: Gain): QueryMeasures {
  const { query, grades } = judged;
  const gainOf = (id: string): number => gain(grades.get(id) ?? 0);
  const ideal = discounted([...grades.values()].map(gain).sort((a, b) => b - a));
  return {
    query,
    found: ids.length,
    ndcg10: discounted(ids.map(gainOf)) / ideal,
    ndcg10Judged: discounted(ids.filter((id) => grades.has(id)).map(gainOf)) / ideal,
    averagePrecision: averagePrecision(ids, judged),
  };
}

/** @param rank Returns the IDs of a query's hits, best first. */
export function measureRanking(
  judged: readonly Judged[],
  rank: (query: string) => string[],
  gain: Gain,
): RankingMeasures {
  const perQuery: QueryMeasures[] = [];
  let withoutResults = 0;
  for (const one of judged) {
    const ids = rank(one.query);
    if (ids.length === 0) withoutResults += 1;
    if ([...one.grades.values()].some((grade) => grade > 0)) perQuery.push(measureQuery(one, ids, gain));
  }
  const mean = (pick: (one: QueryMeasures) => number): number =>
    perQuery.reduce((sum, one) => sum + pick(one), 0) / perQuery.length;
  return {
    queries: perQuery.length,
    ndcg10: mean((one) => one.ndcg10),
    ndcg10Judged: mean((one) => one.ndcg10Judged),
    map: mean((one) => one.averagePrecision),
    withoutResults,
    perQuery,
  };
}
