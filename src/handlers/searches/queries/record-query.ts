/** Records answered queries: for counts, and, where the deployment asks for it, for the subject. */
import type { ServingEnvironment } from '../../../ranking/environment/serving-environment.ts';
import type { History } from '../../../ranking/history.ts';
import { localDayOf } from '../../../ranking/runtime/time-zones.ts';
import type { SearchResult } from '../../../ranking/search/search.ts';
import { foldQuery } from '../../../ranking/search/serving/query-fingerprint.ts';
import type { SearchRequest } from '../../../ranking/search/serving/served-search.ts';
import { isSuggestible } from '../../../ranking/search/suggestions/suggestible.ts';
import type { Witness } from '../../../repository/search/visitor-mark.ts';
import type { QueryCounts } from './query-counts.ts';
import { subjectKeyOf, type TypedQueries } from './typed-queries.ts';

/** Results of a query, and the subject's history. */
export type AnsweredQuery = Pick<SearchResult, 'lists' | 'perfectMatch' | 'correctedQuery'> & {
  isFound: boolean;
  history?: History;
  nowMs: number;
};

export type RecordQuery = (
  request: SearchRequest,
  environment: ServingEnvironment,
  answered: AnsweredQuery,
) => void;

export type RecordQueryOptions = {
  queryCounts: Pick<QueryCounts, 'record'>;
  typedQueries: Pick<TypedQueries, 'record'>;
};

/**
 * Records nothing of robots and of requests with `do_not_store`. A corrected query, or one with
 * contact details, has no witness, so it never becomes popular.
 */
export function createRecordQuery({ queryCounts, typedQueries }: RecordQueryOptions): RecordQuery {
  return (request, environment, answered) => {
    if (request.isRobot || request.doNotStore) return;
    const { name, queryCompletions } = environment.settings;
    const { isFound, correctedQuery, history, nowMs } = answered;
    const query = { typed: request.q, folded: foldQuery(request.q) };
    const mayBePopular = queryCompletions?.popular && correctedQuery === undefined;
    const witness = mayBePopular ? witnessOf(request, { oldestMs: oldestMs(history), nowMs }) : undefined;
    const isWitnessed = witness !== undefined && isSuggestible(query, itemsOf(answered), environment);
    const day = localDayOf(nowMs, environment.catalog.timeZone);
    const search = { day, isFound, isCorrected: correctedQuery !== undefined };
    queryCounts.record(name, query, search, isWitnessed ? witness : undefined);
    if (queryCompletions?.recent && isFound) typedQueries.record(request, correctedQuery ?? request.q);
  };
}

function itemsOf({ lists, perfectMatch }: AnsweredQuery): number[] {
  const found = lists.flatMap(({ items }) => items.map(({ itemIndex }) => itemIndex));
  return perfectMatch === undefined ? found : [perfectMatch, ...found];
}

/** Entries are sorted, newest first. */
function oldestMs(history: History | undefined): number | undefined {
  const oldest = history?.entries.at(-1);
  return oldest && oldest.occurredAtSeconds * 1_000;
}

/** A device counts as known when its first event is at least this old. */
const leastAgeMs = 3_600_000;

/** Returns the visitor if it was seen long before. @param oldestMs time of its first event */
function witnessOf(
  request: SearchRequest,
  { oldestMs, nowMs }: { oldestMs: number | undefined; nowMs: number },
): Witness | undefined {
  const visitor = subjectKeyOf(request);
  if (visitor === undefined) return undefined;
  // The network is that of the client, which knows its visitors.
  if (request.isVouchedFor) return { visitor };
  const isKnown = oldestMs !== undefined && oldestMs <= nowMs - leastAgeMs;
  return isKnown ? { visitor, network: request.network ?? '' } : undefined;
}
