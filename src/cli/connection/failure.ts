/** What went wrong, as text for people: the service's reason, its sentence, and each violation; never a stack. */

import type { Metadata } from '@grpc/grpc-js';
import { status as grpcStatus } from '@grpc/grpc-js';
import { BadRequest, ErrorInfo, Status } from '../../../gen/grpc/personalisation/rest/v1/status.ts';
import { failureSentence } from './failure-sentence.ts';

export type Failure = {
  /** Of error_reason.proto, without prefix; undefined when it is not the service that speaks. */
  reason?: string;
  message: string;
  violations: { pointer: string; detail: string }[];
  /** For how long nothing else will be answered; undefined when nobody says. */
  retryAfterSeconds?: number;
};

type GrpcError = Error & { code: number; details: string; metadata?: Metadata };

/** A failure that is known already, such as one over HTTP, read from its problem document. */
export class KnownFailure extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** Wrong credentials as a failure that says where they were read; everything else as it is. */
export function sayingSource(error: unknown, source: string): unknown {
  const failure = readFailure(error);
  if (failure.reason !== 'CLIENT_INVALID') return error;
  return new KnownFailure({ ...failure, message: `${failure.message} The credentials are from ${source}.` });
}

/** One sentence, and one more line for each violation that it does not say. */
export function describeFailure(error: unknown): string {
  const { reason, message, violations } = readFailure(error);
  const details = violations.map(({ pointer, detail }) => `${pointer || '(whole)'}: ${detail}`);
  const lines = details.filter((detail) => detail !== message).map((detail) => `  ${detail}`);
  return [reason ? `${reason}: ${message}` : message, ...lines].join('\n');
}

function readFailure(error: unknown): Failure {
  if (error instanceof KnownFailure) return error.failure;
  if (isGrpcError(error)) return readGrpc(error);
  return { message: failureSentence(error), violations: [] };
}

function isGrpcError(error: unknown): error is GrpcError {
  return error instanceof Error && typeof (error as GrpcError).code === 'number' && 'details' in error;
}

function readGrpc({ code, details, metadata }: GrpcError): Failure {
  const [bytes] = metadata?.get('grpc-status-details-bin') ?? [];
  if (!Buffer.isBuffer(bytes)) {
    const message = code === grpcStatus.UNAVAILABLE ? describeLoss(details) : details;
    return { message, violations: [] };
  }
  const status = Status.decode(bytes);
  const find = (name: string) =>
    status.details.find(({ type_url }) => type_url.endsWith(`/google.rpc.${name}`));
  const info = find('ErrorInfo');
  const badRequest = find('BadRequest');
  const violations = badRequest ? BadRequest.decode(badRequest.value).field_violations : [];
  return {
    reason: info && ErrorInfo.decode(info.value).reason,
    message: details,
    violations: violations.map(({ field, description }) => ({ pointer: field, detail: description })),
  };
}

/** What grpc-js says around the cause is for nobody. */
function describeLoss(details: string): string {
  const cause = details.replace(/^.*Last error: (Error: )?/s, '').replace(/\.?\s*Resolution note:\s*$/, '');
  return `The service cannot be reached: ${cause.replace(/\.$/, '')}.`;
}
