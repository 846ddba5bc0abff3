/** Faults of an answer: an internal error, or a form that the interface does not describe. */

import { findAnswerFault } from '../support/answer-check.ts';
import type { FuzzRequest } from './requests.ts';
import type { Reply } from './send.ts';

/** A documented refusal of an unsupported request. */
const notImplemented = 501;

/** A stream both ways over HTTP/1.1. */
const versionNotSupported = 505;

/** The caller's deadline has passed. */
const deadlineExceeded = 504;

/** UNKNOWN, INTERNAL, UNAVAILABLE, DATA_LOSS. */
const grpcFaults = ['2', '13', '14', '15'];
const connectFaults = ['unknown', 'internal', 'unavailable', 'data_loss'];

/** Undefined without a fault. */
export function verdictOf({ transport, wire }: FuzzRequest, reply: Reply): string | undefined {
  const { status, headers, body, isCut } = reply;
  if (status === 0) return 'the connection ended without an answer';
  if (status === deadlineExceeded && 'connect-timeout-ms' in wire.headers) return undefined;
  if (status >= 500 && status !== notImplemented && status !== versionNotSupported) return `status ${status}`;
  const isConnect = headers['content-type']?.startsWith('application/connect');
  if (isConnect && !isCut) return connectFault(body);
  if (transport === 'grpc' || headers['content-type']?.startsWith('application/grpc')) {
    const code = headers['grpc-status'] ?? grpcStatusOf(body);
    return code !== undefined && grpcFaults.includes(code)
      ? `grpc-status ${code} ${headers['grpc-message']}`
      : undefined;
  }
  if (transport !== 'http' || isCut) return undefined;
  return findAnswerFault(wire, { status, contentType: headers['content-type'] ?? '', body: body.toString() });
}

/** 429 over HTTP and Connect; over gRPC RESOURCE_EXHAUSTED, which too large a message gets as well. */
export function isTurnedAway({ status, headers, body }: Reply): boolean {
  if (status === 429) return true;
  if (!headers['content-type']?.startsWith('application/grpc')) return false;
  const message = headers['grpc-message'] ?? body.toString('latin1');
  return (headers['grpc-status'] ?? grpcStatusOf(body)) === '8' && !/larger(%20| )than/.test(message);
}

/** gRPC-Web sends its trailers as the last frame of the body. */
const grpcStatusOf = (body: Buffer) => /grpc-status:\s*(\d+)/.exec(body.toString('latin1'))?.[1];

/** The last frame of a stream has its error. */
function connectFault(body: Buffer): string | undefined {
  const code = /"code":\s*"(\w+)"/.exec(body.toString('latin1'))?.[1];
  return code !== undefined && connectFaults.includes(code) ? `connect code ${code}` : undefined;
}
