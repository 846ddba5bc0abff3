/**
 * Answers searches and completions: identify → history → taste → index → store → answer.
 *
 * Taste is what the recommendation models make of the subject's history; it reorders within a tier
 * of relevance only. A history that is late is left out.
 */
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { HistoryReader } from '../../events/histories/history-reader.ts';
import type { ServingEnvironment } from '../../ranking/environment/serving-environment.ts';
import { type Identity, identify } from '../../ranking/lists/person/identify.ts';
import {
  type ServedExperiment,
  type Treatment,
  treat,
  untreated,
} from '../../ranking/lists/person/treatment.ts';
import type { HistoryLack } from '../../ranking/lists/recommendation-request.ts';
import type { Forgetting } from '../../ranking/runtime/forgetting.ts';
import { withinTime } from '../../ranking/runtime/within-time.ts';
import type { SearchRequest as IndexRequest } from '../../ranking/search/search.ts';
import { explainSearch } from '../../ranking/search/serving/explain-search.ts';
import { createFrozenPages, searchKeyOf } from '../../ranking/search/serving/frozen-pages.ts';
import { answerOf, nameOf, shownBeside } from '../../ranking/search/serving/search-answer.ts';
import type {
  CompletionAnswer,
  CompletionRequest,
  FoundItem,
  FoundList,
  SearchAnswer,
  SearchRequest,
  SearchSubject,
} from '../../ranking/search/serving/served-search.ts';
import type { SteerSearch } from '../../ranking/search/serving/steered-search.ts';
import {
  createTaste,
  nextFor,
  personOf,
  personWithoutHistory,
} from '../../ranking/search/serving/subject-taste.ts';
import { listKeyOf, listRowOf, newListSecret } from '../lists/list-key.ts';
import type { ListStore, StoredSearchList } from '../lists/list-store.ts';
import { createTimelyNames } from '../lists/timely-names.ts';
import type { CompletionIds } from './completion-ids.ts';
import { rivalOf, type SearchRival, steerBoth } from './interleaved-search.ts';
import type { QueryCompletions } from './queries/query-completions.ts';
import type { RecordQuery } from './queries/record-query.ts';
import type { SearchFeedback } from './replica/click-replica.ts';

type Treated = Pick<Treatment, 'assignments' | 'exposures'>;

export type SearchPipeline = {
  search(request: SearchRequest): Promise<SearchAnswer & Treated>;
  complete(request: CompletionRequest): Promise<CompletionAnswer>;
};

export type SearchPipelineOptions = {
  environments: ReadonlyMap<string, ServingEnvironment>;
  readHistory: HistoryReader;
  /** Returns the experiments that an environment serves [none]. */
  experimentsOf?(environment: string): readonly ServedExperiment[];
  listStore: ListStore;
  feedback: Pick<SearchFeedback, 'worthOf'>;
  completionIds: Pick<CompletionIds, 'next'>;
  steer: SteerSearch;
  recordQuery: RecordQuery;
  completeQuery: QueryCompletions;
  clock: () => number;
  logger: Logger;
  /** Runs a named part of the work, for traces. */
  step?: <T>(name: string, work: () => T) => T;
  forgetting?: Forgetting;
};

export function createSearchPipeline(options: SearchPipelineOptions): SearchPipeline {
  const { environments, listStore, forgetting } = options;
  const { feedback, completionIds, steer, recordQuery, completeQuery, step = (_, work) => work() } = options;
  const freeze = createFrozenPages(forgetting);
  const newListRow = createTimelyNames({ lists: listStore, draw: () => randomUUID() });

  const prepare = createPreparation(options);

  return {
    async search(request) {
      const prepared = await prepare(request, (identity) => treatSearch(request, identity, options));
      const { environment, identity, nowMs, history, treated, lessOf } = prepared;
      const { configurations: drafts, assignments, exposures } = treated;
      const asked = await askedOf(request, prepared, feedback);
      /** As in audiences, a device counts as the last user seen with it. */
      const subject = {
        ...request,
        drafts: request.drafts ?? drafts,
        lessOf,
        userId: request.userId ?? history?.owner,
      };
      const kept = await findOrder(options, request, environment);
      const rival = rivalOf(request, treated);
      const find = rival ? steerBoth(steer, rival, request) : steer;
      const { result, facts, before } = step('search', () =>
        freeze(request, asked, environment.catalog, (page) => find(subject, environment, page), kept),
      );
      const { explain, limit } = request;
      const answer: SearchAnswer & Treated = {
        ...{ assignments, exposures },
        ...answerOf(request, result, {
          ...{ environment, identity, nowMs, teamNames: rival?.names },
          nextListKey: listKeysFor(request, rival ? undefined : newListRow),
        }),
        ...shownBeside(facts),
        explanation: explain && explainSearch({ ...explain, environment, asked, result, facts, limit }),
      };
      recordQuery(request, environment, { ...result, isFound: answer.isFound, history, nowMs });
      if (environment.catalog.itemCount === 0 || request.doNotStore) return answer;
      const earlier = before && Array.from(before, (itemIndex) => nameOf(itemIndex, environment, nowMs));
      return storeLists(listStore, environment, { request, answer, earlier, rival });
    },
    async complete(request) {
      const degraded = new Set<HistoryLack>();
      const noted = { ...request, onLack: (lack: HistoryLack) => void degraded.add(lack) };
      const completing = completeQuery(noted, environments.get(request.environment)!);
      const { environment, identity, nowMs, taste, nextInGroup } = await prepare(noted, () => untreated);
      const { q, fuzziness, filters } = request;
      const asked = { q, fuzziness, filters, limit: environment.settings.completionsLimit };
      const hits = environment.searchIndex.complete({ ...asked, taste, nextInGroup, nowMs });
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

/** Lists that are not stored have no keys. @param newRow Absent for a draft, whose list clicks find by its request. */
function listKeysFor(
  { environment, doNotStore }: SearchRequest,
  newRow: ((environment: string) => string) | undefined,
): (requestId: string) => string {
  const secret = newListSecret();
  const rowOf = (requestId: string) => newRow?.(environment) ?? listRowOf(requestId, 0);
  return (requestId) => (doNotStore ? '' : listKeyOf(rowOf(requestId), secret));
}

function createPreparation({ environments, readHistory, clock }: SearchPipelineOptions) {
  const tasteOf = createTaste();
  return async (subject: SearchSubject, treatment: (identity: Identity) => Treatment) => {
    const environment = environments.get(subject.environment)!;
    const assigned = identify({ ...subject, deviceId: subject.deviceId ?? '' }, environment.settings);
    const treated = treatment(assigned);
    const identity = { ...assigned, factors: treated.factors };
    const isPersonal = identity.lists === 'recommended';
    const history = isPersonal ? await readHistory(subject, false) : undefined;
    const nowMs = clock();
    const person = isPersonal ? personOf(subject, history, environment, nowMs) : personWithoutHistory;
    const taste = tasteOf(person.recents, environment, identity);
    const nextInGroup = nextFor(person, environment, nowMs);
    const { lessOf } = person.feedback;
    return { environment, identity, treated, nowMs, taste, history, nextInGroup, lessOf };
  };
}

/** A draft under trial takes part in no experiment. */
function treatSearch(
  request: SearchRequest,
  identity: Identity,
  { environments, experimentsOf }: SearchPipelineOptions,
): Treatment {
  if (request.drafts) return untreated;
  const { environment, isRobot, deviceId = '', pageType, channel, language } = request;
  const variables = new Map([
    ['page_type', pageType],
    ['channel', channel],
    ['language', language],
  ]);
  return treat(experimentsOf?.(environment) ?? [], {
    subject: { deviceId, isRobot },
    identity,
    settings: environments.get(environment)!.settings,
    concerns: ({ interleaved, steersSearches, weighsModels }) =>
      interleaved ? steersSearches && !weighsModels : steersSearches || weighsModels,
    read: (name) => variables.get(name),
  });
}

/** Returns the order of the list that the request continues, if it is of the same search. */
async function findOrder(
  { listStore, logger }: SearchPipelineOptions,
  request: SearchRequest,
  { catalog, settings }: ServingEnvironment,
): Promise<Int32Array | undefined> {
  if (!request.listKey) return undefined;
  const reading = listStore.find(request.environment, request.listKey, settings.listLifetimeMinutes * 60_000);
  const patienceMs = (request.deadlineMs - performance.now()) / 2;
  const list = await withinTime(patienceMs, reading, (failure) =>
    logger.warn({ err: failure }, 'The list of a search was not read in time. Its order is not continued.'),
  );
  if (list?.kind !== 'search' || !list.before || list.search !== searchKeyOf(request)) return undefined;
  const indexes = [...list.before, ...list.items].map(([itemId, itemType]) =>
    catalog.indexOf(itemType, itemId),
  );
  return Int32Array.from(indexes.filter((itemIndex) => itemIndex !== undefined));
}

type Answered = { request: SearchRequest; answer: SearchAnswer & Treated } & {
  earlier?: FoundItem[];
  rival?: SearchRival;
};

type PreparedSearch = { environment: ServingEnvironment } & Pick<
  IndexRequest,
  'nowMs' | 'taste' | 'nextInGroup'
>;

async function askedOf(
  request: SearchRequest,
  { environment: { models, vectors }, nowMs, taste, nextInGroup }: PreparedSearch,
  feedback: SearchPipelineOptions['feedback'],
): Promise<IndexRequest> {
  const { q, autocorrect, priceField, filters, groupBy, refinement, listSize, listCount } = request;
  const { queryVector } = request;
  return {
    ...{ q, nowMs, autocorrect, priceField, filters, groupBy, refinement, listSize, listCount },
    prior: models.popularityOf,
    taste,
    nextInGroup,
    findSimilar: queryVector && (await vectors.scan(queryVector)),
    clicksOf: (query) => feedback.worthOf(request.environment, query, nowMs),
  };
}

/** Returns the answer with the time until which its lists are kept. */
function storeLists(
  listStore: ListStore,
  { settings: { listLifetimeMinutes } }: ServingEnvironment,
  answered: Answered,
): SearchAnswer & Treated {
  const { request, answer } = answered;
  const lists = new Map(answer.lists.map((list) => [list.listKey, cachedList(list, answered)]));
  const expiresAtMs = listStore.store(request.environment, lists, listLifetimeMinutes * 60_000);
  return { ...answer, lists: answer.lists.map((list) => ({ ...list, expiresAtMs })) };
}

function cachedList(list: FoundList, { request, answer, earlier, rival }: Answered): StoredSearchList {
  return {
    kind: 'search',
    listName: list.listName,
    groupedBy: list.groupedBy,
    listCount: request.listCount,
    autoSuggest: answer.autoSuggest,
    requestId: answer.requestId,
    userGroup: answer.userGroup,
    version: answer.version,
    items: list.items.map(storedName),
    search: earlier && searchKeyOf(request),
    before: earlier?.map(storedName),
    fields: request.fields?.length ? request.fields : undefined,
    ...(rival && {
      deviceId: request.deviceId,
      teams: { experimentId: rival.experimentId, ofItems: list.items.map(({ team = '' }) => team) },
    }),
  };
}

const storedName = ({ itemId, itemType }: FoundItem): [itemId: string, itemType: string] => [
  itemId,
  itemType,
];
