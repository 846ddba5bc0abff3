/** Recommendation operations: converts messages into requests and answers into messages. */

import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { Logger } from 'pino';
import {
  RecommendationRequestSchema,
  type RecommendationRequest as RequestMessage,
} from '../../../gen/es/personalisation/v1/recommendation_pb.js';
import { RecommendationService } from '../../../gen/es/personalisation/v1/recommendation_service_pb.js';
import type { EnvironmentSettings, LimitSettings } from '../../deployment/deployment.ts';
import { readPatienceMs } from '../../deployment/patience.ts';
import { checkRegistries } from '../../deployment/registered-values.ts';
import { DomainError } from '../../errors.ts';
import type { Agents } from '../../events/agents.ts';
import type { RequestRecorder } from '../../events/request-recorder.ts';
import type { ServedCall, ServedCalls } from '../../events/served-calls.ts';
import { decodeJson, encodeJson } from '../../formats/codec.ts';
import type { ServingEnvironment } from '../../ranking/environment/serving-environment.ts';
import type {
  Recommendation,
  RecommendationRequest,
  RecommendedList,
} from '../../ranking/lists/recommendation-request.ts';
import type { ActiveConfigurations } from '../../ranking/rules/active-configuration.ts';
import { findMisfits } from '../../ranking/rules/misfits.ts';
import type { Configuration } from '../../ranking/rules/types.ts';
import { memoizeByObject } from '../../ranking/runtime/cache.ts';
import { createSparingWarning } from '../../ranking/runtime/sparing-warning.ts';
import { orUnavailable } from '../../ranking/runtime/within-time.ts';
import { segmentsText } from '../../repository/metrics/metric-dimensions.ts';
import type { Call } from '../chain/call.ts';
import { mayExplain, wantsMore } from '../chain/explanations.ts';
import { implement } from '../chain/implement.ts';
import { refuse } from '../chain/refuse.ts';
import { isShowable, itemsOf } from '../lists/kept-items.ts';
import type { ListStore, StoredList, StoredRequest } from '../lists/list-store.ts';
import { withConsent } from '../messages/consent.ts';
import type { ApplyPreview } from '../messages/preview.ts';
import { exploredRecord } from './explored-record.ts';
import { listLifetimeMs } from './gather-ingredients.ts';
import type { RecommendationPipeline } from './recommendation-pipeline.ts';
import { checkRequest, toRequest } from './recommendation-request.ts';
import {
  fieldsOf,
  informationOf,
  type ShownFields,
  shownOf,
  unknownList,
  withGroupSize,
} from './shown-items.ts';

export type RecommendationHandlersOptions = {
  pipeline: RecommendationPipeline;
  configurations: Pick<ActiveConfigurations, 'find'>;
  listStore: ListStore;
  environments: ReadonlyMap<string, ServingEnvironment>;
  limits: LimitSettings;
  recorder: RequestRecorder;
  agents: Pick<Agents, 'judge'>;
  servedCalls: ServedCalls;
  applyPreview: ApplyPreview;
  logger: Logger;
  clock: () => number;
};

export function createRecommendationHandlers(options: RecommendationHandlersOptions) {
  const { pipeline, listStore, environments, recorder, agents, servedCalls, limits, logger, clock } = options;
  const { configurations, applyPreview } = options;
  const warn = createSparingWarning(logger, 'A recommendation request has a value that is not registered.');

  return implement(RecommendationService, {
    async createRecommendations({ environment, request: given, explain, whyNot }, call) {
      const serving = environments.get(environment)!;
      const { settings } = serving;
      const { request, drafts, preview } = await applyPreview(withConsent(given!, settings, call), settings);
      refuse([...checkRequest(request, settings, limits), ...checkRegistries(request, settings, warn)]);
      const json = encodeJson(RecommendationRequestSchema, request);
      const body = JSON.stringify(json);
      const { agent, isRobot } = agents.judge(settings, call.userAgent);
      const answer = await pipeline.recommend({
        ...toRequest(settings, request, call, isRobot, keptBody(body)),
        drafts,
        explain: explain || whyNot.length > 0 || wantsMore(call, environment) ? { whyNot } : undefined,
      });
      call.stages = answer.stages;
      const outcomeOf = mayExplain(call, environment) ? outcomeMessage : reticentOutcome;
      if (!request.doNotStore) {
        recorder.record(environment, () => json, exploredRecord(answer, clock()));
        servedCalls.count({
          ...servedCall(settings, request, answer, isRobot),
          exposures: answer.exposures,
        });
      }
      return {
        recommendations: {
          ...answerMessage(answer, shownOf(serving, request.fields, call)),
          ...{ agent, preview, experiments: [...answer.assignments] },
        },
        outcomes: answer.lists.map((list) => outcomeOf(list, settings, configurations.find)),
        explanations: answer.lists.flatMap(explanationMessage),
        degraded: [...answer.degraded],
      };
    },
    async explainRecommendations({ environment, requestId, whyNot }, call) {
      const explained = await pipeline.explainAfterwards({
        environment,
        requestId,
        whyNot,
        revive: (stored) => reviveRequest(environments.get(environment)!, stored, call),
      });
      if (!explained) throw unknownAnswer(requestId);
      const { settings } = environments.get(environment)!;
      return {
        isExact: explained.isExact,
        outcomes: explained.lists.map((list) => outcomeMessage(list, settings, configurations.find)),
        explanations: explained.lists.flatMap(explanationMessage),
      };
    },
    async getRecommendationList({ environment, listKey, offset, limit }, call) {
      const serving = environments.get(environment)!;
      const endMs = performance.now() + readPatienceMs(serving.settings);
      const inTime = <T>(work: Promise<T>) => orUnavailable(endMs - performance.now(), work);
      const found = await inTime(listStore.find(environment, listKey, listLifetimeMs(serving.settings)));
      if (found?.kind !== 'recommendations') throw unknownList(listKey);
      const revive = (stored: StoredRequest) => reviveRequest(serving, stored, call);
      const ranks = { firstRank: offset!, lastRank: offset! + limit! - 1 };
      const filled = await inTime(pipeline.fillList({ environment, list: found, ...ranks, revive }));
      const list = { ...filled, expiresAtMs: found.expiresAtMs };
      const range = { listKey, offset: offset!, limit: limit!, nowMs: clock() };
      return { recommendations: pageMessage(list, range, shownOf(serving, list.fields ?? [], call)) };
    },
  });
}

function reviveRequest(
  { settings }: ServingEnvironment,
  { body, isRobot }: StoredRequest,
  call: Call,
): RecommendationRequest {
  const { message } = decodeJson(RecommendationRequestSchema, JSON.parse(body));
  return toRequest(settings, message, call, isRobot);
}

/** Characters of a remembered request: enough for a thousand history entries. */
const mostKept = 131_072;

const keptBody = (body: string): string | undefined => (body.length <= mostKept ? body : undefined);

function unknownAnswer(requestId: string): DomainError {
  return new DomainError('LIST_UNKNOWN', 'There is no such answer, or its lists have expired.', {
    metadata: { request_id: requestId },
  });
}

export function servedCall(
  { name: environment, metricSegments }: Pick<EnvironmentSettings, 'name' | 'metricSegments'>,
  { pageType, channel, variables }: Pick<RequestMessage, 'pageType' | 'channel' | 'variables'>,
  { deviceId, userGroup, version, lists }: Recommendation,
  isRobot: boolean,
): ServedCall {
  return {
    kind: 'recommendations',
    environment,
    isRobot,
    deviceId,
    userGroup,
    version,
    pageType,
    channel,
    segments: segmentsText(metricSegments, variables),
    lists: lists.map(({ listName, configurationId, items, newestAtMs, firstScore }) => ({
      listName,
      configurationId,
      isEmpty: items.length === 0,
      ...{ newestAtMs, firstScore },
    })),
  };
}

export function answerMessage(answer: Recommendation, shown: ShownFields) {
  const lists = answer.lists.map((list) => {
    const items = list.items.filter(({ rank }) => rank <= list.limit);
    return listMessage({ ...list, listSize: list.items.length, items }, shown);
  });
  return { ...answer, lists };
}

type ShownList = Pick<
  RecommendedList,
  'configurationId' | 'listName' | 'listKey' | 'items' | 'expiresAtMs'
> & { listSize: number };

export function listMessage({ items, expiresAtMs, ...list }: ShownList, shown: ShownFields) {
  return {
    ...list,
    limit: items.length,
    items: items.map((item) => ({
      ...item,
      informationField: informationOf(item, shown),
      fields: fieldsOf(item, shown),
    })),
    expiresAt: expiresAtMs === undefined ? undefined : timestampFromMs(expiresAtMs),
  };
}

type Outcome = Pick<
  RecommendedList,
  'configurationId' | 'listName' | 'configurationVersion' | 'unmet' | 'steps' | 'explanation'
>;

const misfitsOf = memoizeByObject((properties: EnvironmentSettings['properties']) =>
  memoizeByObject((rules: Configuration) => findMisfits(rules, properties)),
);

/** @param find Finds the configuration that a list was made with. */
export function outcomeMessage(
  { configurationId, listName, configurationVersion, unmet, steps }: Outcome,
  { name, properties }: EnvironmentSettings,
  find: ActiveConfigurations['find'],
) {
  const active = find(configurationId, name);
  const isCurrent = active?.version === configurationVersion;
  return {
    inapplicableRules: isCurrent ? misfitsOf(properties)(active.rules) : [],
    listName,
    configurationVersion,
    steps,
    unmetMinimums: unmet.map(({ wanted, found, ...others }) => ({
      ...others,
      wantedCount: wanted,
      foundCount: found,
    })),
  };
}

function reticentOutcome(...given: Parameters<typeof outcomeMessage>) {
  const { unmetMinimums, ...outcome } = outcomeMessage(...given);
  return { ...outcome, unmetMinimums: unmetMinimums.map((unmet) => ({ ...unmet, reason: '' })) };
}

export function explanationMessage({ listName, explanation }: Outcome) {
  if (!explanation) return [];
  const rules = explanation.rules.map(({ matched, used, cut, dropped }, constraintIndex) => ({
    constraintIndex,
    matchedCount: matched,
    usedCount: used,
    cutCount: cut,
    dropped,
  }));
  return [{ ...explanation, listName, rules }];
}

type PageRange = { listKey: string; offset: number; limit: number; nowMs: number };

function pageMessage(
  list: StoredList & { expiresAtMs: number },
  { listKey, offset, limit, nowMs }: PageRange,
  shown: ShownFields,
) {
  const { serving } = shown;
  const all = itemsOf(list);
  const items = all
    .filter(({ rank }) => rank >= offset && rank - offset < limit)
    .filter((item) => isShowable(item, serving, nowMs))
    .map((item) => withGroupSize(item, serving, nowMs));
  const { configurationId, listName, expiresAtMs } = list;
  const page = { configurationId, listName, listKey, listSize: all.length, items, expiresAtMs };
  return { ...list, lists: [listMessage(page, shown)] };
}
