/** Reads recorded requests. */

import { RecommendationRequestSchema } from '../../../gen/es/personalisation/v1/recommendation_pb.js';
import { decodeJson } from '../../formats/codec.ts';
import type { ServingEnvironment } from '../../ranking/environment/serving-environment.ts';
import type { RecommendationRequest } from '../../ranking/lists/recommendation-request.ts';
import type { Call } from '../chain/call.ts';
import { toRequest } from '../recommendations/recommendation-request.ts';

/** Skips requests recorded under an older contract that are no longer valid. */
export function readRequest({ settings }: ServingEnvironment, body: unknown): RecommendationRequest[] {
  const { message, violations } = decodeJson(RecommendationRequestSchema, body);
  return violations.length > 0 ? [] : [toRequest(settings, message, call, false)];
}

/** The service itself, without a caller. */
const call: Call = { transport: 'grpc', requestId: 'simulation', peer: '' };
