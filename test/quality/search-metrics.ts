/** The measures of ranked lists against graded judgments, means over the queries that have a relevant document. */

export type Judged = { query: string; grades: ReadonlyMap<string, number> };

export type RankingMetrics = {
  queries: number;
  /** Unjudged documents count as not relevant. */
  ndcg10: number;
  /** Unjudged documents are taken out of the list first. */
  ndcg10Judged: number;
  /** Mean average precision; relevant is every grade above 0. */
  map: number;
};

export type Gain = (grade: number) => number;

/** 2^g - 1: what graded web and product judgments are measured with. */
export const exponentialGain: Gain = (grade) => 2 ** Math.max(0, grade) - 1;

/** 1 for every grade above 0. */
export const binaryGain: Gain = (grade) => (grade > 0 ? 1 : 0);

const depth = 10;

function discounted(gains: readonly number[]): number {
  return gains.slice(0, depth).reduce((sum, gain, rank) => sum + gain / Math.log2(rank + 2), 0);
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

/** @param rank ids of a query's hits, best first */
export function measureRanking(
  judged: readonly Judged[],
  rank: (query: string) => string[],
  gain: Gain,
): RankingMetrics {
  const sums = { ndcg10: 0, ndcg10Judged: 0, map: 0 };
  const answerable = judged.filter(({ grades }) => [...grades.values()].some((grade) => grade > 0));
  for (const one of answerable) {
    const gainOf = (id: string): number => gain(one.grades.get(id) ?? 0);
    const ids = rank(one.query);
    const ideal = discounted([...one.grades.values()].map(gain).sort((a, b) => b - a));
    sums.ndcg10 += discounted(ids.map(gainOf)) / ideal;
    sums.ndcg10Judged += discounted(ids.filter((id) => one.grades.has(id)).map(gainOf)) / ideal;
    sums.map += averagePrecision(ids, one);
  }
  const queries = answerable.length;
  return {
    queries,
    ndcg10: sums.ndcg10 / queries,
    ndcg10Judged: sums.ndcg10Judged / queries,
    map: sums.map / queries,
  };
}
