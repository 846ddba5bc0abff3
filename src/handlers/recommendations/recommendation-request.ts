/** Converts a recommendation message into the pipeline's request. */

import type { JsonObject } from '@bufbuild/protobuf';
import type {
  History,
  HistoryItem,
  ListContentItem,
  RequestList,
  RecommendationRequest as RequestMessage,
} from '../../../gen/es/personalisation/v1/recommendation_pb.js';
import {
  declaredProperties,
  type EnvironmentSettings,
  type LimitSettings,
  type Purpose,
} from '../../deployment/deployment.ts';
import { checkLists, checkVariables } from '../../deployment/request-lists.ts';
import type { Violation } from '../../errors.ts';
import type {
  HistoryInput,
  ListRequest,
  RecommendationRequest,
  VariableReader,
} from '../../ranking/lists/recommendation-request.ts';
import { toVariable } from '../../ranking/lists/variables.ts';
import type { Scalar } from '../../ranking/rules/types.ts';
import type { Call } from '../chain/call.ts';
import { checkHistories, checkListSizes } from '../messages/request-size.ts';
import { readSubjectIds } from '../messages/subject-ids.ts';
import { checkVectorQuery, toVectorQuery } from '../messages/vector-query.ts';
import { checkFields } from './shown-items.ts';

/** Returns what exceeds limits or does not fit the declared item types. */
export function checkRequest(
  { lists, histories, variables, fields, queryVector }: RequestMessage,
  settings: EnvironmentSettings,
  limits: LimitSettings,
): Violation[] {
  return [
    ...checkLists(lists),
    ...checkListSizes(lists, limits),
    ...checkHistories(histories, limits),
    ...checkVariables({ lists, variables }, limits.variableBytes),
    ...checkFields(fields, settings),
    ...checkVectorQuery(queryVector, settings),
  ];
}

/** @param body JSON of the request, to explain it later. */
export function toRequest(
  settings: Pick<EnvironmentSettings, 'name' | 'timeoutMs' | 'fallbacks' | 'placeholderIds'>,
  message: RequestMessage,
  call: Pick<Call, 'deadlineMs' | 'signal' | 'callerKey'>,
  isRobot: boolean,
  body?: string,
): RecommendationRequest {
  const { name, timeoutMs, fallbacks } = settings;
  const deadlineMs = performance.now() + (message.timeoutMs ?? timeoutMs);
  const readRequest = requestVariables(message);
  return {
    environment: name,
    ...readSubjectIds(message, settings),
    pageType: message.pageType,
    channel: message.channel,
    contextItem: message.contextItem
      ? { itemId: message.contextItem, itemType: message.contextItemType || undefined }
      : undefined,
    queryVector: toVectorQuery(message.queryVector),
    histories: toHistories(message.histories),
    properties: propertiesOf(readRequest, declaredProperties(fallbacks.segments)),
    lists: message.lists.map((list) => toListRequest(list, readRequest)),
    body,
    deadlineMs: Math.min(deadlineMs, call.deadlineMs ?? deadlineMs),
    signal: call.signal,
    callerKey: call.callerKey,
    isRobot,
    doNotStore: message.doNotStore,
    isUniform: message.profiling === 'none',
    fields: message.fields,
    userGroup: message.userGroup || undefined,
    version: message.version || undefined,
  };
}

/** Returns the caller's histories in the caller's order. */
export function toHistories(histories: Record<string, History>): HistoryInput[][] {
  return Object.values(histories).map(({ items }) => items.map(toHistoryInput));
}

function toHistoryInput({ id, itemType, reconsumable, timestamp }: HistoryItem): HistoryInput {
  return {
    id,
    itemType: itemType || undefined,
    reconsumable: reconsumable ?? false,
    timestampSeconds: timestamp === undefined ? undefined : Number(timestamp),
  };
}

function toListRequest(list: RequestList, readRequest: VariableReader): ListRequest {
  const readList = listVariables(list);
  return {
    configurationId: list.configurationId,
    listName: list.listName,
    listSize: list.listSize!,
    limit: list.limit ?? list.listSize!,
    injected: list.listContent.map(({ itemId, itemType, rank }: ListContentItem) => ({
      itemId,
      itemType: itemType || undefined,
      rank: rank!,
    })),
    allowDuplicates: list.allowDuplicates ?? false,
    purpose: list.purpose as Purpose | undefined,
    variables: (name) => readList(name) ?? readRequest(name),
  };
}

function propertiesOf(read: VariableReader, names: readonly string[]): Record<string, string> | undefined {
  if (names.length === 0) return undefined;
  const given = names.map((name) => [name, read(name)] as const);
  const texts = given.filter(([, value]) => value !== undefined && !Array.isArray(value));
  return Object.fromEntries(texts.map(([name, value]) => [name, String(value)]));
}

/** Reads fields of the request, then the caller's own variables. */
function requestVariables(message: RequestMessage): VariableReader {
  return (name) => {
    if (Object.hasOwn(requestFields, name)) return requestFields[name](message) || undefined;
    return ownVariable(message.variables, name);
  };
}

const requestFields: Record<string, (message: RequestMessage) => string | number | undefined> = {
  device_id: ({ deviceId }) => deviceId,
  user_id: ({ userId }) => userId,
  page_type: ({ pageType }) => pageType,
  channel: ({ channel }) => channel,
  context_item: ({ contextItem }) => contextItem,
  context_item_type: ({ contextItemType }) => contextItemType,
  timeout_ms: ({ timeoutMs }) => timeoutMs,
  user_group: ({ userGroup }) => userGroup,
  version: ({ version }) => version,
};

function listVariables(list: RequestList): VariableReader {
  return (name) => {
    if (Object.hasOwn(listFields, name)) return listFields[name](list);
    return ownVariable(list.variables, name);
  };
}

const listFields: Record<string, (list: RequestList) => Scalar | undefined> = {
  configuration_id: ({ configurationId }) => configurationId,
  list_name: ({ listName }) => listName,
  list_size: ({ listSize }) => listSize,
  limit: ({ limit }) => limit,
  allow_duplicates: ({ allowDuplicates }) => allowDuplicates,
  purpose: ({ purpose }) => purpose,
};

function ownVariable(variables: JsonObject | undefined, name: string): ReturnType<VariableReader> {
  return variables && Object.hasOwn(variables, name) ? toVariable(variables[name]) : undefined;
}
