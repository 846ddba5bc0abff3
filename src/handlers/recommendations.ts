/** The recommendation operations: messages to requests, answers to messages. */

import { create, type JsonObject } from '@bufbuild/protobuf';
import type {
  HistoryItem,
  ListContentItem,
  RequestList,
  RecommendationRequest as RequestMessage,
} from '../../gen/es/personalisation/v1/recommendation_pb.js';
import {
  CreateRecommendationsResponseSchema,
  GetRecommendationListResponseSchema,
  RecommendationService,
} from '../../gen/es/personalisation/v1/recommendation_service_pb.js';
import { DomainError, type Violation } from '../errors.ts';
import type { CachedList, ListCache } from '../recommend/list-cache.ts';
import type { Pipeline } from '../recommend/pipeline.ts';
import type {
  HistoryInput,
  ListItem,
  ListRequest,
  Recommendation,
  RecommendationRequest,
  RecommendedList,
  VariableReader,
} from '../recommend/request.ts';
import type { ServingEnvironment } from '../recommend/serving-environment.ts';
import { toVariable } from '../recommend/variables.ts';
import type { Call } from './call.ts';
import { implement } from './implement.ts';
import { refuse } from './operations.ts';

const defaultTimeoutMs = 500;

export type RecommendationHandlersOptions = {
  pipeline: Pipeline;
  listCache: ListCache;
  environments: ReadonlyMap<string, ServingEnvironment>;
  isRobot(userAgent: string | undefined): boolean;
};

export function createRecommendationHandlers(options: RecommendationHandlersOptions) {
  const { pipeline, listCache, environments, isRobot } = options;

  return implement(RecommendationService, {
    async createRecommendations({ environment, request }, call) {
      refuse(checkLists(request!.lists));
      const answer = await pipeline.recommend(
        toRequest(environment, request!, call, isRobot(call.userAgent)),
      );
      return create(CreateRecommendationsResponseSchema, {
        recommendations: answerMessage(answer, environments.get(environment)!),
        outcomes: answer.lists.map(outcomeMessage),
      });
    },
    async getRecommendationList({ environment, listKey, offset, limit }) {
      const serving = environments.get(environment)!;
      const list = await listCache.find(environment, listKey, serving.settings.listLifetimeMinutes * 60_000);
      if (!list) throw unknownList(listKey);
      return create(GetRecommendationListResponseSchema, {
        recommendations: pageMessage(list, { listKey, offset: offset!, limit: limit! }, serving),
      });
    },
  });
}

function unknownList(listKey: string): DomainError {
  return new DomainError('LIST_UNKNOWN', 'There is no such list, or it has expired.', {
    metadata: { list_key: listKey },
  });
}

/** What one list says in two places must fit together. */
function checkLists(lists: RequestList[]): Violation[] {
  const names = new Set<string>();
  return lists.flatMap((list, i) => {
    const pointer = `/lists/${i}`;
    const violations = checkInjected(list, pointer);
    if (names.has(list.listName))
      violations.push({ pointer: `${pointer}/list_name`, detail: 'Stands twice in the request.' });
    names.add(list.listName);
    if (list.limit !== undefined && list.limit > list.listSize!) {
      violations.push({ pointer: `${pointer}/limit`, detail: 'Must not be above list_size.' });
    }
    return violations;
  });
}

function checkInjected({ listContent, listSize }: RequestList, listPointer: string): Violation[] {
  const ranks = new Set<number>();
  const ids = new Set<string>();
  return listContent.flatMap(({ itemId, itemType, rank }, i) => {
    const pointer = `${listPointer}/list_content/${i}`;
    const violations: Violation[] = [];
    if (rank! > listSize!)
      violations.push({ pointer: `${pointer}/rank`, detail: 'Must not be above list_size.' });
    if (ranks.has(rank!))
      violations.push({ pointer: `${pointer}/rank`, detail: 'Stands twice in list_content.' });
    const id = JSON.stringify([itemType ?? null, itemId]);
    if (ids.has(id))
      violations.push({ pointer: `${pointer}/item_id`, detail: 'Stands twice in list_content.' });
    ranks.add(rank!);
    ids.add(id);
    return violations;
  });
}

function toRequest(
  environment: string,
  message: RequestMessage,
  call: Call,
  isRobot: boolean,
): RecommendationRequest {
  const deadlineMs = performance.now() + (message.timeoutMs ?? defaultTimeoutMs);
  const readRequest = requestVariables(message);
  return {
    environment,
    deviceId: message.deviceId,
    userId: message.userId || undefined,
    pageType: message.pageType,
    channel: message.channel,
    contextItem: message.contextItem
      ? { itemId: message.contextItem, itemType: message.contextItemType || undefined }
      : undefined,
    histories: Object.values(message.histories).map(({ items }) => items.map(toHistoryInput)),
    lists: message.lists.map((list) => toListRequest(list, readRequest)),
    deadlineMs: Math.min(deadlineMs, call.deadlineMs ?? deadlineMs),
    isRobot,
    userGroup: message.userGroup || undefined,
    version: message.version || undefined,
  };
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
    variables: (name) => readList(name) ?? readRequest(name),
  };
}

/** Fields of the request that conditions may use, beside the caller's own. */
function requestVariables(message: RequestMessage): VariableReader {
  return (name) => {
    if (Object.hasOwn(requestFields, name)) return requestFields[name](message) || undefined;
    return ownVariable(message.variables, name);
  };
}

const requestFields: Record<string, (message: RequestMessage) => string | undefined> = {
  device_id: ({ deviceId }) => deviceId,
  user_id: ({ userId }) => userId,
  page_type: ({ pageType }) => pageType,
  channel: ({ channel }) => channel,
  context_item: ({ contextItem }) => contextItem,
  context_item_type: ({ contextItemType }) => contextItemType,
};

function listVariables(list: RequestList): VariableReader {
  return (name) => {
    if (Object.hasOwn(listFields, name)) return listFields[name](list);
    return ownVariable(list.variables, name);
  };
}

const listFields: Record<string, (list: RequestList) => string | number | undefined> = {
  configuration_id: ({ configurationId }) => configurationId,
  list_name: ({ listName }) => listName,
  list_size: ({ listSize }) => listSize,
  limit: ({ limit }) => limit,
};

function ownVariable(variables: JsonObject | undefined, name: string): ReturnType<VariableReader> {
  return variables && Object.hasOwn(variables, name) ? toVariable(variables[name]) : undefined;
}

function answerMessage(answer: Recommendation, serving: ServingEnvironment) {
  const { deviceId, userId, requestId, userGroup, version } = answer;
  const lists = answer.lists.map((list) => {
    const items = list.items.filter(({ rank }) => rank <= list.limit);
    return listMessage({ ...list, listSize: list.items.length, items }, serving);
  });
  return { deviceId, userId, requestId, userGroup, version, lists };
}

type ShownList = Pick<RecommendedList, 'configurationId' | 'listName' | 'listKey' | 'items'> & {
  listSize: number;
};

function listMessage(
  { configurationId, listName, listKey, listSize, items }: ShownList,
  serving: ServingEnvironment,
) {
  return {
    configurationId,
    listName,
    listKey,
    listSize,
    limit: items.length,
    items: items.map((item) => itemMessage(item, serving)),
  };
}

function itemMessage({ itemId, itemType, rank }: ListItem, serving: ServingEnvironment) {
  return { itemId, itemType, rank, informationField: informationOf(itemId, itemType, serving) };
}

/** Several values are joined by commas. */
function informationOf(
  itemId: string,
  itemType: string,
  { settings, catalog }: ServingEnvironment,
): string | undefined {
  if (settings.informationField === undefined) return undefined;
  const itemIndex = catalog.indexOf(itemType, itemId);
  if (itemIndex === undefined) return undefined;
  const values = catalog.column(settings.informationField)?.valuesAt(itemIndex) ?? [];
  return values.length > 0 ? values.join(', ') : undefined;
}

function outcomeMessage({ listName, configurationVersion, unmet }: RecommendedList) {
  return {
    listName,
    configurationVersion,
    unmetMinimums: unmet.map(({ constraintIndex, wanted, found }) => ({
      constraintIndex,
      wantedCount: wanted,
      foundCount: found,
    })),
  };
}

type PageRange = { listKey: string; offset: number; limit: number };

function pageMessage(list: CachedList, { listKey, offset, limit }: PageRange, serving: ServingEnvironment) {
  const { deviceId, userId, requestId, userGroup, version, configurationId, listName } = list;
  const all = list.items.map(([itemId, itemType], place) => ({
    itemId,
    itemType,
    rank: list.ranks?.[place] ?? place + 1,
  }));
  const page = all.filter(({ rank }) => rank >= offset && rank - offset < limit);
  const items = page.filter(({ itemId, itemType }) => isShowable(itemId, itemType, serving));
  const shown = { configurationId, listName, listKey, listSize: all.length, items };
  return { deviceId, userId, requestId, userGroup, version, lists: [listMessage(shown, serving)] };
}

/** Not disabled since; what the catalogue does not know was injected and is the caller's own. */
function isShowable(itemId: string, itemType: string, { catalog }: ServingEnvironment): boolean {
  const itemIndex = catalog.indexOf(itemType, itemId);
  return itemIndex === undefined || catalog.isEnabled(itemIndex);
}
