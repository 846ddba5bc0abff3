/** The search operations: messages to searches, results to messages. */

import { create, type JsonObject } from '@bufbuild/protobuf';
import { timestampFromDate, timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { Logger } from 'pino';
import type { History } from '../../../gen/es/personalisation/v1/recommendation_pb.js';
import type { SearchRequest } from '../../../gen/es/personalisation/v1/search_pb.js';
import {
  CreateCompletionsResponseSchema,
  CreateSearchResponseSchema,
  GetCompletionsResponseSchema,
  GetSearchListResponseSchema,
  type ListSearchQueriesRequest,
  ListSearchQueriesResponseSchema,
  SearchQueryCountSchema,
  SearchService,
} from '../../../gen/es/personalisation/v1/search_service_pb.js';
import { type EnvironmentSettings, itemFields, type LimitSettings } from '../../deployment/deployment.ts';
import { readPatienceMs } from '../../deployment/patience.ts';
import { checkRegistered } from '../../deployment/registered-values.ts';
import type { Violation } from '../../errors.ts';
import type { ServedCall, ServedCalls } from '../../events/served-calls.ts';
import type { VisitorNetworks } from '../../events/visitor-networks.ts';
import type { ServingEnvironment } from '../../ranking/environment/serving-environment.ts';
import { createSparingWarning } from '../../ranking/runtime/sparing-warning.ts';
import { orUnavailable } from '../../ranking/runtime/within-time.ts';
import type { FieldFilter } from '../../ranking/search/search.ts';
import type {
  CompletionAnswer,
  FoundItem,
  FoundList,
  SearchAnswer,
  SearchSubject,
} from '../../ranking/search/serving/served-search.ts';
import type { Database } from '../../repository/database.ts';
import {
  listQueryCounts,
  type QueryKey,
  queryKeyOf,
  type StoredQueryCount,
} from '../../repository/search/search-queries.ts';
import { networkOf } from '../../security/limits/peers.ts';
import { permits } from '../../security/scopes.ts';
import type { Call } from '../chain/call.ts';
import { wantsMore } from '../chain/explanations.ts';
import { implement } from '../chain/implement.ts';
import { networkOfPublic, visitorOf } from '../chain/public-visitor.ts';
import { refuse } from '../chain/refuse.ts';
import { isShowable } from '../lists/kept-items.ts';
import type { ListStore, StoredSearchList } from '../lists/list-store.ts';
import { fitPage, readPage } from '../messages/pages.ts';
import { checkHistories } from '../messages/request-size.ts';
import { toHistories } from '../recommendations/recommendation-request.ts';
import {
  checkFields,
  fieldsOf,
  informationOf,
  type ShownFields,
  shownOf,
  unknownList,
  withGroupSize,
} from '../recommendations/shown-items.ts';
import type { QueryCounts } from './queries/query-counts.ts';
import { facetMessage, readRefinement } from './refinement.ts';
import type { SearchPipeline } from './search-pipeline.ts';

const searchDefaults = { limit: 4, listSize: 100, listCount: 4 };
const queryPages = { usual: 100, most: 1_000 };

export type SearchHandlersOptions = {
  db: Database;
  pipeline: SearchPipeline;
  queryCounts: Pick<QueryCounts, 'flush'>;
  listStore: ListStore;
  environments: ReadonlyMap<string, ServingEnvironment>;
  isRobot(userAgent: string | undefined): boolean;
  visitorNetworks: Pick<VisitorNetworks, 'admit'>;
  servedCalls: ServedCalls;
  limits: LimitSettings;
  logger: Logger;
  /** Milliseconds since the epoch. */
  clock: () => number;
};

export function createSearchHandlers(options: SearchHandlersOptions) {
  const { db, pipeline, queryCounts, listStore, environments, servedCalls, limits, logger, clock } = options;
  const { isRobot, visitorNetworks } = options;
  const warn = createSparingWarning(logger, 'A search or completion has a value that is not registered.');
  const checkPageType = ({ pageType, doNotStore }: Caller, settings: EnvironmentSettings) =>
    checkRegistered({ pageType, doNotStore }, settings, warn).map(({ detail }) => ({
      pointer: 'query:page_type',
      detail,
    }));
  const count = ({ doNotStore }: Who, served: ServedCall) => {
    if (!doNotStore) servedCalls.count(served);
  };
  const searcherOf = (environment: string, who: Who, call: Call) => {
    const [network, visitor] = [networkOfPublic(call), visitorOf(who)];
    if (network !== undefined && visitor !== undefined && !who.doNotStore)
      visitorNetworks.admit(environment, visitor, network);
    return toSearcher(who, call, {
      environment,
      isRobot: isRobot(call.userAgent),
      timeoutMs: environments.get(environment)!.settings.timeoutMs,
    });
  };

  return implement(SearchService, {
    async createSearch({ environment, request, explain, whyNot }, call) {
      const serving = environments.get(environment)!;
      const { asked, violations } = readSearch(request!, serving, limits);
      refuse([...checkRegistered(request!, serving.settings, warn), ...violations]);
      const answer = await pipeline.search({
        ...searcherOf(environment, request!, call),
        ...asked,
        explain: explain || whyNot.length > 0 || wantsMore(call, environment) ? { whyNot } : undefined,
      });
      const served = servedTo(environment, request!, answer, isRobot(call.userAgent));
      count(request!, { ...served, kind: 'search', isEmpty: !answer.isFound });
      const results = resultsMessage(answer, asked, shownOf(serving, asked.fields, call));
      return create(CreateSearchResponseSchema, { results, explanation: answer.explanation });
    },
    async getSearchList({ environment, listKey, offset, limit }, call) {
      const serving = environments.get(environment)!;
      const found = listStore.find(environment, listKey, serving.settings.listLifetimeMinutes * 60_000);
      const list = await orUnavailable(readPatienceMs(serving.settings), found);
      if (list?.kind !== 'search') throw unknownList(listKey);
      const range = { listKey, offset: offset!, limit: limit!, nowMs: clock() };
      return create(GetSearchListResponseSchema, {
        results: pageMessage(list, range, shownOf(serving, list.fields ?? [], call)),
      });
    },
    async getCompletions({ environment, q, ...who }, call) {
      const serving = environments.get(environment)!;
      refuse([
        ...checkPageType(who, serving.settings),
        ...checkFields(who.fields, serving.settings, 'query:fields'),
      ]);
      const request = { ...searcherOf(environment, who, call), q, fuzziness: 0, filters: [] };
      const answer = await pipeline.complete(request);
      count(who, { ...servedTo(environment, who, answer, isRobot(call.userAgent)), kind: 'completion' });
      const completion = completionMessage(answer, shownOf(serving, who.fields, call));
      return create(GetCompletionsResponseSchema, { completion, degraded: [...answer.degraded] });
    },
    async createCompletions({ environment, request }, call) {
      const serving = environments.get(environment)!;
      const { q, fuzziness, filterBy, fields } = request!;
      const { filters, violations } = readFilters(filterBy, serving.settings);
      refuse([
        ...violations,
        ...checkFields(fields, serving.settings),
        ...checkHistories(request!.histories, limits),
      ]);
      const searcher = searcherOf(environment, request!, call);
      const answer = await pipeline.complete({ ...searcher, q: q ?? '', fuzziness: fuzziness ?? 0, filters });
      const served = servedTo(environment, request!, answer, isRobot(call.userAgent));
      count(request!, { ...served, kind: 'completion' });
      return create(CreateCompletionsResponseSchema, {
        completion: completionMessage(answer, shownOf(serving, fields, call)),
        degraded: [...answer.degraded],
      });
    },
    async listSearchQueries(request, call) {
      await queryCounts.flush();
      return listQueries(db, request, call);
    },
  });
}

async function listQueries(
  db: Database,
  { environment, withoutResults, ...page }: ListSearchQueriesRequest,
  call: Call,
) {
  const found = await readPage<StoredQueryCount, QueryKey>(page, {
    list: (limit, after) => listQueryCounts(db, { environment, withoutResults, limit, after }),
    keyOf: (count) => queryKeyOf(count, withoutResults),
    kinds: ['number', 'number', 'string'],
    chosen: ['queries', environment, withoutResults],
    limits: queryPages,
  });
  const shown = { schema: SearchQueryCountSchema, messageOf: queryMessage, call };
  const { messages: queries, nextPageToken } = fitPage(found, shown);
  return create(ListSearchQueriesResponseSchema, { queries, nextPageToken });
}

type Who = {
  deviceId?: string;
  userId?: string;
  histories?: Record<string, History>;
  doNotStore?: boolean;
};

type Asking = Pick<SearchSubject, 'environment' | 'isRobot'> & { timeoutMs: number };

function toSearcher(who: Who, call: Call, { environment, isRobot, timeoutMs }: Asking): SearchSubject {
  const deadlineMs = performance.now() + timeoutMs;
  const isVouchedFor = call.caller && permits(call.caller.scopes, 'searches', environment);
  return {
    environment,
    deviceId: who.deviceId || undefined,
    userId: who.userId || undefined,
    histories: toHistories(who.histories ?? {}),
    isRobot,
    isVouchedFor,
    network: isVouchedFor ? undefined : networkOf(call.peer),
    doNotStore: who.doNotStore,
    deadlineMs: Math.min(deadlineMs, call.deadlineMs ?? deadlineMs),
  };
}

function queryMessage({ firstSearchedAt, lastSearchedAt, ...count }: StoredQueryCount) {
  return {
    ...count,
    firstSearchedAt: timestampFromDate(firstSearchedAt),
    lastSearchedAt: timestampFromDate(lastSearchedAt),
  };
}

type Caller = { deviceId?: string; pageType?: string; channel?: string; doNotStore?: boolean };

function servedTo(
  environment: string,
  { deviceId, pageType, channel }: Caller,
  { userGroup, version }: { userGroup: string; version: string },
  isRobot: boolean,
): Omit<ServedCall, 'kind'> {
  return { environment, isRobot, deviceId, userGroup, version, pageType, channel };
}

/** What a search message asks for, and what is wrong with it. */
export function readSearch(request: SearchRequest, serving: ServingEnvironment, limits: LimitSettings) {
  const { filters, violations } = readFilters(request.filterBy, serving.settings);
  const { refinement, violations: ofRefinement } = readRefinement(request, serving);
  const { q = '', autocorrect = true, groupBy, pageType, language } = request;
  return {
    asked: {
      ...extentOf(request),
      mostItems: limits.itemsPerRequest,
      q,
      autocorrect,
      filters,
      groupBy,
      refinement,
      pageType,
      language,
    },
    violations: [
      ...violations,
      ...checkGroups(groupBy, serving.settings),
      ...checkFields(request.fields, serving.settings),
      ...checkHistories(request.histories, limits),
      ...ofRefinement,
    ],
  };
}

/** Field to a value, or to several of which any may match. */
export function readFilters(
  filterBy: JsonObject | undefined,
  { filterFields }: EnvironmentSettings,
): { filters: FieldFilter[]; violations: Violation[] } {
  const filters: FieldFilter[] = [];
  const violations: Violation[] = [];
  for (const [field, given] of Object.entries(filterBy ?? {})) {
    const pointer = `/filter_by/${field.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const values = Array.isArray(given) ? given : [given];
    if (!filterFields.has(field))
      violations.push({ pointer, detail: 'Is not a filter field of the environment.' });
    else if (values.every(isScalar)) filters.push({ field, values });
    else violations.push({ pointer, detail: 'Must be a string, number or boolean, or an array of them.' });
  }
  return { filters, violations };
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function checkGroups(groupBy: string[], { properties }: EnvironmentSettings): Violation[] {
  return groupBy.flatMap((field, i) =>
    itemFields.has(field) || properties.get(field)?.returnable
      ? []
      : [{ pointer: `/group_by/${i}`, detail: 'Is neither a field of Item nor a returnable property.' }],
  );
}

type Shown = { limit: number; listCount: number };

type Asked = { limit?: number; listSize?: number; numLists?: number; fields: string[] };

/** How much is asked for, and what of it. */
function extentOf({ limit, listSize, numLists, fields }: Asked) {
  return {
    fields,
    limit: limit ?? searchDefaults.limit,
    listSize: listSize ?? searchDefaults.listSize,
    listCount: numLists ?? searchDefaults.listCount,
  };
}

export function resultsMessage(answer: SearchAnswer, { limit, listCount }: Shown, shown: ShownFields) {
  const { requestId, userGroup, version, autoSuggest, perfectMatch } = answer;
  return {
    lists: answer.lists.map((list) => listMessage(list, list.items.slice(0, limit), shown)),
    numLists: listCount,
    requestId,
    userGroup,
    version,
    autoSuggest,
    perfectMatch: perfectMatch && itemMessage(perfectMatch, shown),
    facets: answer.facets?.map(facetMessage),
    totalSize: answer.totalSize,
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
  const { catalog } = shown.serving;
  const itemIndex = catalog.indexOf(itemType, itemId);
  return {
    itemId,
    type: itemType,
    itemType,
    informationField: informationOf(item, shown) ?? '',
    title: (itemIndex === undefined ? undefined : catalog.titleAt(itemIndex)) ?? '',
    fields: fieldsOf(item, shown),
    groupSize: item.groupSize,
  };
}

type PageRange = { listKey: string; offset: number; limit: number; nowMs: number };

function pageMessage(
  list: StoredSearchList & { expiresAtMs: number },
  { listKey, offset, limit, nowMs }: PageRange,
  shown: ShownFields,
) {
  const { serving } = shown;
  const { listName, groupedBy, listCount, autoSuggest, requestId, userGroup, version, expiresAtMs } = list;
  const items = list.items.map(([itemId, itemType]) => ({ itemId, itemType }));
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
