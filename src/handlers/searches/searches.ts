/** Operations of SearchService. */

import type { Logger } from 'pino';
import type { History } from '../../../gen/es/personalisation/v1/recommendation_pb.js';
import {
  SearchQueryCountSchema,
  SearchService,
} from '../../../gen/es/personalisation/v1/search_service_pb.js';
import type { EnvironmentSettings, LimitSettings } from '../../deployment/deployment.ts';
import { readPatienceMs } from '../../deployment/patience.ts';
import { checkRegistered } from '../../deployment/registered-values.ts';
import type { Violation } from '../../errors.ts';
import type { Agents } from '../../events/agents.ts';
import type { ServedCall, ServedCalls } from '../../events/served-calls.ts';
import type { VisitorNetworks } from '../../events/visitor-networks.ts';
import type { ServingEnvironment } from '../../ranking/environment/serving-environment.ts';
import { createSparingWarning } from '../../ranking/runtime/sparing-warning.ts';
import { orUnavailable } from '../../ranking/runtime/within-time.ts';
import type { CompletionRequest, SearchSubject } from '../../ranking/search/serving/served-search.ts';
import type { Database } from '../../repository/database.ts';
import { segmentsText } from '../../repository/metrics/metric-dimensions.ts';
import { listQueryCounts, queryKeyOf } from '../../repository/search/search-queries.ts';
import { networkOf } from '../../security/limits/peers.ts';
import { permits } from '../../security/scopes.ts';
import type { Call } from '../chain/call.ts';
import { wantsMore } from '../chain/explanations.ts';
import { implement } from '../chain/implement.ts';
import { networkOfPublic, visitorOf } from '../chain/public-visitor.ts';
import { refuse } from '../chain/refuse.ts';
import type { ListStore } from '../lists/list-store.ts';
import { withConsent } from '../messages/consent.ts';
import { readMessages } from '../messages/pages.ts';
import type { ApplyPreview } from '../messages/preview.ts';
import { checkHistories } from '../messages/request-size.ts';
import { readSubjectIds } from '../messages/subject-ids.ts';
import { toHistories } from '../recommendations/recommendation-request.ts';
import { checkFields, shownOf, unknownList } from '../recommendations/shown-items.ts';
import type { QueryCounts } from './queries/query-counts.ts';
import { readFilters, readSearch } from './read-search.ts';
import { completionMessage, pageMessage, queryMessage, resultsMessage } from './search-messages.ts';
import type { SearchPipeline } from './search-pipeline.ts';

const queryPages = { usual: 100, most: 1_000 };

export type SearchHandlersOptions = {
  db: Database;
  pipeline: SearchPipeline;
  queryCounts: Pick<QueryCounts, 'flush'>;
  listStore: ListStore;
  environments: ReadonlyMap<string, ServingEnvironment>;
  agents: Pick<Agents, 'judge'>;
  visitorNetworks: Pick<VisitorNetworks, 'admit'>;
  servedCalls: ServedCalls;
  applyPreview: ApplyPreview;
  limits: LimitSettings;
  logger: Logger;
  clock: () => number;
};

export function createSearchHandlers(options: SearchHandlersOptions) {
  const { db, pipeline, queryCounts, listStore, environments, servedCalls, limits, logger, clock } = options;
  const warn = createSparingWarning(logger, 'A search or completion has a value that is not registered.');
  const searcherOf = createSearcherReading(options);
  const complete = createCompleting(options);

  return implement(SearchService, {
    async createSearch({ environment, request: given, explain, whyNot }, call) {
      const serving = environments.get(environment)!;
      const { request, drafts, preview } = await options.applyPreview(given!, serving.settings);
      const { asked, violations } = readSearch(request, serving, limits);
      refuse([...checkRegistered(request, serving.settings, warn), ...violations]);
      const searcher = searcherOf(environment, request, call);
      const answer = await pipeline.search({
        ...searcher,
        ...{ ...asked, drafts },
        explain: explain || whyNot.length > 0 || wantsMore(call, environment) ? { whyNot } : undefined,
      });
      const segments = segmentsText(serving.settings.metricSegments, request.segments);
      const served = { ...servedTo(searcher, request, answer), segments };
      const outcome = { exposures: answer.exposures, isEmpty: !answer.isFound };
      if (!searcher.doNotStore) servedCalls.count({ ...served, ...outcome, kind: 'search' });
      const results = resultsMessage(answer, asked, shownOf(serving, asked.fields, call));
      const beside = { agent: searcher.agent, preview, experiments: [...answer.assignments] };
      return { results: { ...results, ...beside }, explanation: answer.explanation };
    },
    async getSearchList({ environment, listKey, offset, limit }, call) {
      const serving = environments.get(environment)!;
      const found = listStore.find(environment, listKey, serving.settings.listLifetimeMinutes * 60_000);
      const list = await orUnavailable(readPatienceMs(serving.settings), found);
      if (list?.kind !== 'search') throw unknownList(listKey);
      const range = { listKey, offset: offset!, limit: limit!, nowMs: clock() };
      return { results: pageMessage(list, range, shownOf(serving, list.fields ?? [], call)) };
    },
    async getCompletions({ environment, q, ...subject }, call) {
      const serving = environments.get(environment)!;
      refuse([
        ...checkPageType(subject, serving.settings, warn),
        ...checkFields(subject.fields, serving.settings, 'query:fields'),
      ]);
      return complete(serving, subject, { q, fuzziness: 0, filters: [] }, call);
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
      return complete(serving, request!, { q: q ?? '', fuzziness: fuzziness ?? 0, filters }, call);
    },
    async listSearchQueries({ environment, withoutResults, ...page }, call) {
      await queryCounts.flush();
      return readMessages('queries', page, call, {
        kinds: ['number', 'number', 'string'],
        list: (limit, after) => listQueryCounts(db, { environment, withoutResults, limit, after }),
        keyOf: (count) => [...queryKeyOf(count, withoutResults)],
        chosen: ['queries', environment, withoutResults],
        limits: queryPages,
        schema: SearchQueryCountSchema,
        messageOf: queryMessage,
      });
    },
  });
}

/** Returns a function that completes a text for a subject. */
function createCompleting(options: SearchHandlersOptions) {
  const { pipeline, servedCalls } = options;
  const searcherOf = createSearcherReading(options);
  return async (
    serving: ServingEnvironment,
    subject: SubjectFields & { fields: readonly string[] },
    asked: Pick<CompletionRequest, 'q' | 'fuzziness' | 'filters'>,
    call: Call,
  ) => {
    const searcher = searcherOf(serving.settings.name, subject, call);
    const answer = await pipeline.complete({ ...searcher, ...asked });
    const served = servedTo(searcher, subject, answer);
    if (!searcher.doNotStore) servedCalls.count({ ...served, kind: 'completion' });
    const completion = completionMessage(answer, shownOf(serving, subject.fields, call));
    return { completion, degraded: [...answer.degraded] };
  };
}

function checkPageType(
  { pageType, doNotStore }: Caller,
  settings: EnvironmentSettings,
  warn: (facts: object) => void,
): Violation[] {
  const found = checkRegistered({ pageType, doNotStore }, settings, warn);
  return found.map(({ detail }) => ({ pointer: 'query:page_type', detail }));
}

type SearcherReading = Pick<SearchHandlersOptions, 'environments' | 'agents' | 'visitorNetworks'>;

/** Returns the subject of a search, and records the visitor's network. */
function createSearcherReading({ environments, agents, visitorNetworks }: SearcherReading) {
  return (environment: string, given: SubjectFields, call: Call) => {
    const { settings } = environments.get(environment)!;
    const consented = withConsent(given, settings, call);
    const subject = { ...consented, ...readSubjectIds(consented, settings) };
    const [network, visitor] = [networkOfPublic(call), visitorOf(subject)];
    if (network !== undefined && visitor !== undefined && !subject.doNotStore)
      visitorNetworks.admit(environment, visitor, network);
    const { agent, isRobot } = agents.judge(settings, call.userAgent);
    return { ...toSearcher(subject, call, { environment, isRobot, timeoutMs: settings.timeoutMs }), agent };
  };
}

type SubjectFields = {
  pageType?: string;
  consent?: string;
  profiling?: string;
  deviceId?: string;
  userId?: string;
  histories?: Record<string, History>;
  doNotStore?: boolean;
};

type SubjectContext = Pick<SearchSubject, 'environment' | 'isRobot'> & { timeoutMs: number };

function toSearcher(
  subject: SubjectFields,
  call: Call,
  { environment, isRobot, timeoutMs }: SubjectContext,
): SearchSubject {
  const deadlineMs = performance.now() + timeoutMs;
  const isVouchedFor = call.caller && permits(call.caller.scopes, 'searches', environment, 'read');
  return {
    environment,
    deviceId: subject.deviceId || undefined,
    userId: subject.userId,
    histories: toHistories(subject.histories ?? {}),
    isRobot,
    isVouchedFor,
    network: isVouchedFor ? undefined : networkOf(call.peer),
    doNotStore: subject.doNotStore,
    deadlineMs: Math.min(deadlineMs, call.deadlineMs ?? deadlineMs),
  };
}

type Caller = { pageType?: string; channel?: string; doNotStore?: boolean };

function servedTo(
  { environment, deviceId, isRobot }: SearchSubject,
  { pageType, channel }: Caller,
  { userGroup, version }: { userGroup: string; version: string },
): Omit<ServedCall, 'kind'> {
  return { environment, isRobot, deviceId, userGroup, version, pageType, channel };
}
