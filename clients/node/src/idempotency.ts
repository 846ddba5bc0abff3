/**
 * Decides which calls may be repeated: reads, methods with `idempotency_level = IDEMPOTENT`, and
 * events that each have an ID. Other calls are sent once and report their failure.
 */

import type { DescMessage, DescMethod, MessageShape } from '@bufbuild/protobuf';
import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt';
import {
  type CreateEventsRequest,
  EventService,
} from '../../../gen/es/personalisation/v1/event_service_pb.js';

/** Names of methods that read. */
const reading = /^(Get|List|Count|Query|Read|Compare|Diff|Explain|Lint|Preview|Try)[A-Z]/;

export function isIdempotent(method: DescMethod, message: MessageShape<DescMessage>): boolean {
  if (method.methodKind !== 'unary') return false;
  if (method === EventService.method.createEvents) return eventsHaveIds(message as CreateEventsRequest);
  const isDeclared = method.idempotency === MethodOptions_IdempotencyLevel.IDEMPOTENT;
  return reading.test(method.name) || (isDeclared && !expectsVersion(message));
}

/** A conditional write fails the second time although the first succeeded. */
function expectsVersion(message: MessageShape<DescMessage>): boolean {
  return (message as { expectedRevision?: number }).expectedRevision !== undefined;
}

function eventsHaveIds({ batch }: CreateEventsRequest): boolean {
  return batch?.events.every(({ eventId }) => eventId !== undefined && eventId !== '') ?? false;
}
