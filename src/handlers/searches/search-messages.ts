/** Messages of search results, completions and counted queries. */
import type { JsonObject } from '@bufbuild/protobuf';
import { timestampFromDate, timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { Facet } from '../../ranking/search/search.ts';
import type {
  CompletionAnswer,
  FoundItem,
  FoundList,
  SearchAnswer,
} from '../../ranking/search/serving/served-search.ts';
import type { StoredQueryCount } from '../../repository/search/search-queries.ts';
import { isShowable } from '../lists/kept-items.ts';
import type { StoredSearchList } from '../lists/list-store.ts';
import { valueMessage } from '../messages/values.ts';
import {
  fieldsOf,
  informationOf,
  type ShownFields,
  titleOf,
  withGroupSize,
} from '../recommendations/shown-items.ts';

/** @param extent items of the first page of each list, and the number of lists that was asked for */
export function resultsMessage(
  answer: SearchAnswer,
  { limit, listCount }: { limit: number; listCount: number },
  shown: ShownFields,
) {
  const { requestId, userGroup, version, autoSuggest, perfectMatch } = answer;
  return {
    ...{ requestId, userGroup, version, autoSuggest },
    lists: answer.lists.map((list) => listMessage(list, list.items.slice(0, limit), shown)),
    numLists: listCount,
    perfectMatch: perfectMatch && itemMessage(perfectMatch, shown),
    facets: answer.facets?.map(facetMessage),
    totalSize: answer.totalSize,
    interpretedFilters: answer.interpreted ? [interpretedMessage(answer.interpreted)] : [],
    redirect: answer.redirect,
    promotedContent: answer.promotedContent as JsonObject[],
  };
}

function listMessage(list: FoundList, listed: FoundItem[], shown: ShownFields) {
  const { listKey, listName, groupedBy, items, expiresAtMs } = list;
  const page = listed.map((item) => itemMessage(item, shown));
  return {
    ...{ listKey, listName, listSize: items.length, limit: page.length, groupedBy, items: page },
    expiresAt: expiresAtMs === undefined ? undefined : timestampFromMs(expiresAtMs),
  };
}

function itemMessage(item: FoundItem, shown: ShownFields) {
  const { itemId, itemType } = item;
  return {
    itemId,
    type: itemType,
    itemType,
    informationField: informationOf(item, shown) ?? '',
    title: titleOf(item, shown.serving),
    fields: fieldsOf(item, shown),
    groupSize: item.groupSize,
    team: item.team,
  };
}

type PageRange = { listKey: string; offset: number; limit: number; nowMs: number };

export function pageMessage(
  list: StoredSearchList & { expiresAtMs: number },
  { listKey, offset, limit, nowMs }: PageRange,
  shown: ShownFields,
) {
  const { serving } = shown;
  const { listName, groupedBy, listCount, autoSuggest, requestId, userGroup, version, expiresAtMs } = list;
  const items = list.items.map(([itemId, itemType], place) => ({
    ...{ itemId, itemType, team: list.teams?.ofItems[place] || undefined },
  }));
  const page = items.slice(offset - 1, offset - 1 + limit);
  const listed = page
    .filter((item) => isShowable(item, serving, nowMs))
    .map((item) => withGroupSize(item, serving, nowMs));
  const lists = [listMessage({ listKey, listName, groupedBy, items, expiresAtMs }, listed, shown)];
  return { lists, numLists: listCount, requestId, userGroup, version, autoSuggest };
}

export function completionMessage(
  { requestId, userGroup, version, items, queries }: CompletionAnswer,
  shown: ShownFields,
) {
  const completions = items.map((item) => itemMessage(item, shown));
  return { completions, requestId: BigInt(requestId), userGroup, version, queries: [...queries] };
}

export function queryMessage({ firstSearchedAt, lastSearchedAt, typed, ...count }: StoredQueryCount) {
  return {
    ...count,
    typedQuery: typed ?? '',
    firstSearchedAt: timestampFromDate(firstSearchedAt),
    lastSearchedAt: timestampFromDate(lastSearchedAt),
  };
}

/** Inclusive bounds are stored as the next number above. */
function interpretedMessage({ field, minimum, maximum, text }: NonNullable<SearchAnswer['interpreted']>) {
  return { key: field, minimum, maximum: maximum && Number(maximum.toFixed(2)), text };
}

function facetMessage({ key, values, minimum: min, maximum: max }: Facet) {
  return {
    key,
    min,
    max,
    values: values.map(({ value, ...rest }) => ({ ...rest, value: valueMessage(value) })),
  };
}
