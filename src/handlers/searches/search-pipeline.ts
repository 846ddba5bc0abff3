/**
 * From a search to its lists: identify → history → taste → index → keep → answer, and the same for completions.
 *
 * The visitor's taste is what the recommendation models make of their history; it reorders within a tier of relevance only.
 * When the history does not come in time, nobody's taste is used.
 */

import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { HistoryReader } from '../../events/histories/history-reader.ts';
import { createRecentHistories } from '../../events/histories/recent-histories.ts';
import type { ServingEnvironment } from '../../ranking/environment/serving-environment.ts';
import type { History } from '../../ranking/history.ts';
import { newAnswerId } from '../../ranking/lists/answer-id.ts';
import { type Identity, identify } from '../../ranking/lists/person/identify.ts';
import { createNextInGroup } from '../../ranking/lists/person/next-in-group.ts';
import { describePerson, type Person } from '../../ranking/lists/person/person.ts';
import type { HistoryLack } from '../../ranking/lists/recommendation-request.ts';
import { createScorer } from '../../ranking/models/blend.ts';
import type { Recent } from '../../ranking/models/query.ts';
import type { Forgetting } from '../../ranking/runtime/forgetting.ts';
import { withinTime } from '../../ranking/runtime/within-time.ts';
import type { ItemWorth } from '../../ranking/search/query/hits.ts';
import type {
  SearchRequest as IndexRequest,
  SearchResult,
} from '../../ranking/search/query/search-request.ts';
import { explainSearch } from '../../ranking/search/serving/explain-search.ts';
import { fingerprintOf, foldQuery, requestIdOf } from '../../ranking/search/serving/query-fingerprint.ts';
import type {
  CompletionAnswer,
  CompletionRequest,
  FoundItem,
  FoundList,
  SearchAnswer,
  SearchRequest,
  SearchSubject,
} from '../../ranking/search/serving/served-search.ts';
import type { SteeredFacts, SteerSearch } from '../../ranking/search/serving/steered-search.ts';
import { listKeyOf, newListSecret } from '../lists/list-key.ts';
import type { ListStore, StoredSearchList } from '../lists/list-store.ts';
import { createTimelyNames } from '../lists/timely-names.ts';
import type { CompletionIds } from './completion-ids.ts';
import type { QueryCompletions } from './queries/query-completions.ts';
import type { RecordQuery } from './queries/record-query.ts';
import type { SearchFeedback } from './replica/click-replica.ts';

/** Items whose taste is known; the best of them is 1. */
const tastedItems = 1_000;

export type SearchPipeline = {
  search(request: SearchRequest): Promise<SearchAnswer>;
  complete(request: CompletionRequest): Promise<CompletionAnswer>;
};

export type SearchPipelineOptions = {
  environments: ReadonlyMap<string, ServingEnvironment>;
  readHistory: HistoryReader;
  listStore: ListStore;
  feedback: Pick<SearchFeedback, 'worthOf'>;
  completionIds: Pick<CompletionIds, 'next'>;
  steer: SteerSearch;
  recordQuery: RecordQuery;
  completeQuery: QueryCompletions;
  /** Milliseconds since the epoch. */
  clock: () => number;
  logger: Logger;
  /** Runs a named part of the work, for traces. */
  step?: <T>(name: string, work: () => T) => T;
  forgetting?: Forgetting;
};

export function createSearchPipeline(options: SearchPipelineOptions): SearchPipeline {
  const {
    environments,
    listStore,
    readHistory,
    feedback,
    completionIds,
    steer,
    recordQuery,
    completeQuery,
    clock,
    step = (_, work) => work(),
    forgetting,
  } = options;
  const tasteOf = createTaste();
  const newListRow = createTimelyNames({ lists: listStore, draw: () => randomUUID() });
  const readRecent = createRecentHistories(readHistory, () => performance.now(), forgetting);
  const readLatest = (searcher: SearchSubject) => readHistory(searcher, false);

  const prepare = async (
    searcher: SearchSubject,
    read: (searcher: SearchSubject) => Promise<History | undefined>,
  ) => {
    const environment = environments.get(searcher.environment)!;
    const identity = identify({ ...searcher, deviceId: searcher.deviceId ?? '' }, environment.settings);
    const isPersonal = identity.lists === 'recommended';
    const history = isPersonal ? await read(searcher) : undefined;
    const nowMs = clock();
    const person = isPersonal ? personOf(searcher, history, environment, nowMs) : nobody;
    const taste = tasteOf(person.recents, environment, identity.version);
    const nextInGroup = nextFor(person, environment, nowMs);
    return { environment, identity, nowMs, taste, nextInGroup, history };
  };
  return {
    async search(request) {
      const prepared = await prepare(request, readLatest);
      const { environment, identity, nowMs, history } = prepared;
      const { catalog, settings } = environment;
      const asked = askedOf(request, prepared, feedback);
      /** As in audiences, a device is the last user seen with it. */
      const asking = { ...request, userId: request.userId ?? history?.owner };
      const { result, facts } = step('search', () => steer(asking, environment, asked));
      const answer: SearchAnswer = {
        ...answerOf(request, result, {
          environment,
          identity,
          nowMs,
          nameRow: () => newListRow(request.environment),
        }),
        ...shownBeside(facts),
        explanation:
          request.explain &&
          explainSearch({ ...request.explain, environment, asked, result, facts, limit: request.limit }),
      };
      recordQuery(request, environment, { ...result, isFound: answer.isFound, history, nowMs });
      if (catalog.itemCount === 0 || request.doNotStore) return answer;
      const expiresAtMs = await keep(options, request, answer, settings.listLifetimeMinutes * 60_000);
      return { ...answer, lists: answer.lists.map((list) => ({ ...list, expiresAtMs })) };
    },
    async complete(request) {
      const degraded = new Set<HistoryLack>();
      const asking = { ...request, onLack: (lack: HistoryLack) => void degraded.add(lack) };
      const completing = completeQuery(asking, environments.get(request.environment)!);
      const { environment, identity, nowMs, taste, nextInGroup } = await prepare(asking, readRecent);
      const { q, fuzziness, filters } = request;
      const hits = environment.searchIndex.complete({
        q,
        fuzziness,
        filters,
        taste,
        nextInGroup,
        nowMs,
        limit: environment.settings.completionsLimit,
      });
      return {
        requestId: completionIds.next(),
        userGroup: identity.userGroup,
        version: identity.version,
        items: hits.map(({ itemIndex }) => nameOf(itemIndex, environment, nowMs)),
        queries: await completing,
        degraded: [...degraded],
      };
    },
  };
}

/** Until when they are kept. Results that come too late to be kept are answered all the same. */
async function keep(
  { listStore, logger }: SearchPipelineOptions,
  request: SearchRequest,
  answer: SearchAnswer,
  lifetimeMs: number,
): Promise<number | undefined> {
  const lists = new Map(answer.lists.map((list) => [list.listKey, cachedList(answer, list, request)]));
  const stored = listStore.store(request.environment, lists, lifetimeMs);
  return withinTime(request.deadlineMs - performance.now(), stored, (failure) =>
    logger.warn(
      { answer_id: answer.requestId, err: failure },
      'Results were not kept in time; they cannot be paged.',
    ),
  );
}

type Prepared = { environment: ServingEnvironment } & Pick<IndexRequest, 'nowMs' | 'taste' | 'nextInGroup'>;

/** What the index is asked. */
function askedOf(
  request: SearchRequest,
  { environment: { models }, nowMs, taste, nextInGroup }: Prepared,
  feedback: SearchPipelineOptions['feedback'],
): IndexRequest {
  const { q, autocorrect, filters, groupBy, refinement, listSize, listCount } = request;
  return {
    ...{ q, nowMs, autocorrect, filters, groupBy, refinement, listSize, listCount },
    prior: models.popularityOf,
    taste,
    nextInGroup,
    clicksOf: (query) => feedback.worthOf(request.environment, query, nowMs),
  };
}

type Named = {
  environment: ServingEnvironment;
  identity: Identity;
  nowMs: number;
  /** Of a list that is kept. */
  nameRow(): string;
};

function answerOf(
  request: SearchRequest,
  { lists, isFound, correctedQuery, perfectMatch, refined }: SearchResult,
  { environment, identity, nowMs, nameRow }: Named,
): Omit<SearchAnswer, 'promotedContent'> {
  const secret = newListSecret();
  const name = (itemIndex: number) => nameOf(itemIndex, environment, nowMs);
  return {
    requestId: searchId(foldQuery(correctedQuery ?? request.q)),
    userGroup: identity.userGroup,
    version: identity.version,
    lists: withinItems(lists, request.mostItems).map(({ name: listName, values, items }) => ({
      listKey: request.doNotStore ? '' : listKeyOf(nameRow(), secret),
      listName: listName || 'results',
      groupedBy: values.map(({ value }) => String(value)),
      items: items.map(({ itemIndex }) => name(itemIndex)),
    })),
    isFound: isFound || lists.length > 0 || perfectMatch !== undefined,
    autoSuggest: correctedQuery,
    perfectMatch: perfectMatch === undefined ? undefined : name(perfectMatch),
    facets: refined?.facets,
    totalSize: refined?.totalSize,
  };
}

/** The lists in their order, until they hold `most` items together. */
function withinItems(lists: SearchResult['lists'], most: number): SearchResult['lists'] {
  const bounded: SearchResult['lists'] = [];
  let room = most;
  for (const list of lists) {
    if (room === 0) break;
    bounded.push(list.items.length <= room ? list : { ...list, items: list.items.slice(0, room) });
    room -= Math.min(room, list.items.length);
  }
  return bounded;
}

/** What configurations show beside the results; the first redirect counts. */
function shownBeside(facts: SteeredFacts | undefined): Pick<SearchAnswer, 'redirect' | 'promotedContent'> {
  const said = facts?.steers.map(({ configuration: { search } }) => search) ?? [];
  return {
    redirect: said.find(({ redirect }) => redirect !== undefined)?.redirect,
    promotedContent: said.flatMap(({ promotedContent }) => promotedContent),
  };
}

/** Says which query it was, so that clicks on its results count for it. */
function searchId(folded: string): string {
  return folded === '' ? newAnswerId() : requestIdOf(fingerprintOf(folded));
}

function nameOf(itemIndex: number, { catalog }: ServingEnvironment, nowMs: number): FoundItem {
  return {
    itemId: catalog.itemIdAt(itemIndex),
    itemType: catalog.itemTypeAt(itemIndex),
    groupSize: catalog.groupSizeAt(itemIndex, nowMs),
  };
}

function cachedList(answer: SearchAnswer, list: FoundList, request: SearchRequest): StoredSearchList {
  return {
    kind: 'search',
    listName: list.listName,
    groupedBy: list.groupedBy,
    listCount: request.listCount,
    autoSuggest: answer.autoSuggest,
    requestId: answer.requestId,
    userGroup: answer.userGroup,
    version: answer.version,
    items: list.items.map(({ itemId, itemType }) => [itemId, itemType]),
    fields: request.fields?.length ? request.fields : undefined,
  };
}

type SearchingPerson = Pick<Person, 'recents' | 'reached'>;

/** Of whom nothing is asked. */
const nobody: SearchingPerson = { recents: [], reached: new Map() };

function personOf(
  searcher: SearchSubject,
  history: History | undefined,
  { catalog, models, settings }: ServingEnvironment,
  nowMs: number,
): SearchingPerson {
  return describePerson(history?.entries ?? [], searcher.histories, {
    catalog,
    models,
    itemTypes: settings.itemTypes,
    eventWeights: settings.eventWeights,
    nowSeconds: nowMs / 1000,
    consumed: history?.consumed,
  });
}

/** Undefined where no item has a group. */
function nextFor({ reached }: SearchingPerson, { catalog }: ServingEnvironment, nowMs: number) {
  if (catalog.groups.count === 0) return undefined;
  return createNextInGroup({ catalog, reached, mayCome: (itemIndex) => catalog.servable(itemIndex, nowMs) })
    .of;
}

/** How much the models expect the searcher to like an item, 0 to 1; undefined when nothing is known of them. */
function createTaste() {
  const scorer = createScorer({ itemCount: 0 });
  return (recents: Recent[], { models }: ServingEnvironment, version: string): ItemWorth | undefined => {
    if (recents.length === 0) return undefined;
    scorer.begin(models.blendFor(version), { recents, limit: tastedItems });
    if (scorer.readTo(1) === 0) return undefined;
    const best = scorer.scores[0];
    return best > 0 ? (itemIndex) => Math.max(0, scorer.scoreAt(itemIndex)) / best : undefined;
  };
}
