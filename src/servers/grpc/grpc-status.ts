/** Maps errors and answer headers to gRPC statuses and trailers. */

import { Metadata, type status } from '@grpc/grpc-js';
import type { DomainError } from '../../errors.ts';
import type { Call } from '../../handlers/chain/call.ts';
import { grpcCodeOf, toGrpcDetails, toRpcMessage } from '../../handlers/chain/errors.ts';
import type { Operation } from '../../handlers/chain/operation.ts';
import { answerHeaders } from '../gateway/http-answer.ts';

export function trailersOf(call: Call): Metadata {
  const metadata = new Metadata();
  metadata.set('x-request-id', call.requestId);
  for (const [name, value] of Object.entries(answerHeaders(call))) metadata.set(name, value);
  return metadata;
}

export function toGrpcStatus(error: DomainError, call: Call, { method }: Operation) {
  const metadata = trailersOf(call);
  metadata.set(
    'grpc-status-details-bin',
    Buffer.from(toGrpcDetails(error, { method, requestId: call.requestId })),
  );
  return { code: grpcCodeOf(error.reason) as status, details: toRpcMessage(error), metadata };
}
