/** Checks batch requests and stores them as JSON without personal IDs. */

import { create, type JsonValue } from '@bufbuild/protobuf';
import { type BatchRequest, BatchRequestSchema } from '../../../gen/es/personalisation/v1/batch_pb.js';
import { RecommendationRequestSchema } from '../../../gen/es/personalisation/v1/recommendation_pb.js';
import { type EnvironmentSettings, isPlaceholder } from '../../deployment/deployment.ts';
import { checkBatchLists } from '../../deployment/request-lists.ts';
import type { Violation } from '../../errors.ts';
import { decodeJson, encodeJson } from '../../formats/codec.ts';
import type { BatchPlan } from '../../jobs/batches/answer-subjects.ts';
import type { SubjectSource } from '../../jobs/batches/gather-subjects.ts';
import { anonymousDevice } from '../../ranking/subject.ts';
import { toRequest } from '../recommendations/recommendation-request.ts';

const sources = ['user_ids', 'device_ids', 'audience_id', 'active_within_days'];

export function checkBatch(
  request: BatchRequest,
  { placeholderIds }: Pick<EnvironmentSettings, 'placeholderIds'>,
): Violation[] {
  const { userIds, deviceIds, audienceId, activeWithinDays, lists } = request;
  const given = [
    userIds.length > 0,
    deviceIds.length > 0,
    Boolean(audienceId),
    activeWithinDays !== undefined,
  ];
  const violations = checkBatchLists(lists);
  const names = sources.filter((_, place) => given[place]);
  if (names.length !== 1) {
    const detail = `Must have one of ${sources.join(', ')}${names.length > 1 ? `, not ${names.join(' and ')}` : ''}.`;
    violations.push({ pointer: names.length > 1 ? `/${names[1]}` : '', detail });
  }
  const isAnonymous = (id: string) => isPlaceholder(placeholderIds, id);
  const isDevice = (id: string) => id !== anonymousDevice && !isAnonymous(id);
  return [
    ...violations,
    ...checkIds(userIds, '/user_ids', isAnonymous),
    ...checkIds(deviceIds, '/device_ids', (id) => !isDevice(id)),
  ];
}

function checkIds(
  ids: readonly string[],
  pointer: string,
  isAnonymous: (id: string) => boolean,
): Violation[] {
  const place = ids.findIndex(isAnonymous);
  return place < 0 ? [] : [{ pointer: `${pointer}/${place}`, detail: 'Must identify a user or device.' }];
}

/** Returns distinct subjects in the request's order; undefined if the database selects them. */
export function peopleOf({ userIds, deviceIds }: BatchRequest): string[] | undefined {
  if (userIds.length > 0) return Array.from(new Set(userIds), (id) => `u:${id}`);
  if (deviceIds.length > 0) return Array.from(new Set(deviceIds), (id) => `d:${id}`);
  return undefined;
}

export function keptRequest(request: BatchRequest): JsonValue {
  const kept: BatchRequest = { ...request, userIds: [], deviceIds: [] };
  return encodeJson(BatchRequestSchema, kept);
}

export function readKept(request: unknown): BatchRequest {
  return decodeJson(BatchRequestSchema, request as JsonValue).message;
}

/** Batches ignore robots and have no timeout. */
export function readPlan(
  environment: Pick<EnvironmentSettings, 'name' | 'fallbacks' | 'placeholderIds'>,
  kept: unknown,
): BatchPlan {
  const request = readKept(kept);
  const { pageType, channel, contextItem, contextItemType, lists, fields, variables } = request;
  const common = { pageType, channel, contextItem, contextItemType, lists, fields, variables };
  const message = create(RecommendationRequestSchema, common);
  const settings = { ...environment, timeoutMs: Number.POSITIVE_INFINITY };
  return {
    environment: environment.name,
    configurationIds: lists.map(({ configurationId }) => configurationId),
    source: sourceOf(request),
    requestOf: ({ userId, deviceId = '' }) =>
      toRequest(settings, { ...message, userId, deviceId }, {}, false),
  };
}

function sourceOf({ audienceId, activeWithinDays }: BatchRequest): SubjectSource | undefined {
  if (audienceId) return { audienceId };
  return activeWithinDays === undefined ? undefined : { activeWithinDays };
}
