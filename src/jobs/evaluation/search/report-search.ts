/** Formats measures of a search as JSON and as a table. */

import type { QueryMeasures, RankingMeasures } from './ranking-measures.ts';

export function summariseSearch(dataset: string, itemCount: number, measures: RankingMeasures) {
  return {
    dataset,
    items: itemCount,
    queries: measures.queries,
    without_results: measures.withoutResults,
    'ndcg@10': measures.ndcg10,
    'ndcg@10_judged': measures.ndcg10Judged,
    map: measures.map,
  };
}

export function perQueryRows({ perQuery }: RankingMeasures) {
  return perQuery.map(({ query, found, ndcg10, ndcg10Judged, averagePrecision }) => ({
    query,
    found,
    'ndcg@10': ndcg10,
    'ndcg@10_judged': ndcg10Judged,
    average_precision: averagePrecision,
  }));
}

/** @param withQueries Adds a line for each query, worst first. */
export function tabulateSearch(itemCount: number, measures: RankingMeasures, withQueries: boolean): string {
  const { queries, ndcg10, ndcg10Judged, map, withoutResults, perQuery } = measures;
  const worstFirst = perQuery.toSorted((a, b) => a.ndcg10 - b.ndcg10 || (a.query < b.query ? -1 : 1));
  return [
    `${queries} queries with a relevant item, ${itemCount} items`,
    '',
    row('nDCG@10', ndcg10),
    row('nDCG@10, judged items only', ndcg10Judged),
    row('MAP', map),
    `${'queries without results'.padEnd(28)}${String(withoutResults).padStart(8)}`,
    ...(withQueries ? ['', 'nDCG@10      AP   found  query', ...worstFirst.map(queryRow)] : []),
  ].join('\n');
}

function row(name: string, value: number): string {
  return `${name.padEnd(28)}${value.toFixed(4).padStart(8)}`;
}

function queryRow({ query, found, ndcg10, averagePrecision }: QueryMeasures): string {
  return `${ndcg10.toFixed(4).padStart(7)}  ${averagePrecision.toFixed(4)}  ${String(found).padStart(5)}  ${query}`;
}
