/** Errors and trailers as gRPC carries them. */

import { Metadata, type status } from '@grpc/grpc-js';
import type { DomainError } from '../errors.ts';
import { grpcCodeOf, toGrpcDetails } from '../handlers/chain/errors.ts';

export function trailersOf(requestId: string): Metadata {
  const metadata = new Metadata();
  metadata.set('x-request-id', requestId);
  return metadata;
}

export function toGrpcStatus(error: DomainError, requestId: string) {
  const metadata = trailersOf(requestId);
  metadata.set('grpc-status-details-bin', Buffer.from(toGrpcDetails(error, requestId)));
  return { code: grpcCodeOf(error.reason) as status, details: error.message, metadata };
}
