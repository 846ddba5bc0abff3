/** What is remembered of a query that was answered: that it was asked, and, where the deployment wants it, by whom. */

import type { ServingEnvironment } from '../../environment/serving-environment.ts';
import type { SearchRequest } from '../../search-request.ts';
import type { QueryCounts } from '../feedback/query-counts.ts';
import { foldQuery } from '../feedback/query-fingerprint.ts';
import { askerOf, type TypedQueries } from './typed-queries.ts';

export type RecordQuery = (
  request: SearchRequest,
  environment: ServingEnvironment,
  found: { isFound: boolean; correctedQuery?: string },
) => void;

export type RecordQueryOptions = {
  queryCounts: Pick<QueryCounts, 'record'>;
  typedQueries: Pick<TypedQueries, 'record'>;
};

/** Robots, and requests that nothing may be kept of, leave nothing. What was corrected has no askers: it shall not be popular. */
export function createRecordQuery({ queryCounts, typedQueries }: RecordQueryOptions): RecordQuery {
  return (request, { settings: { name, queryCompletions } }, { isFound, correctedQuery }) => {
    if (request.isRobot || request.doNotStore) return;
    const query = { typed: request.q, folded: foldQuery(request.q) };
    const mayBePopular = queryCompletions?.popular && correctedQuery === undefined;
    const asker = mayBePopular ? askerOf(request) : undefined;
    queryCounts.record(name, query, isFound, asker);
    if (queryCompletions?.recent && isFound) typedQueries.record(request, correctedQuery ?? request.q);
  };
}
