/** Writes answers, also to clients that are still sending their request. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DomainError } from '../../errors.ts';
import type { Call } from '../../handlers/chain/call.ts';
import { type Problem, toProblem } from '../../handlers/chain/errors.ts';
import type { Operation } from '../../handlers/chain/operation.ts';
import { hasBody } from './http-body.ts';

/** A refused body up to this length is skipped, and the connection remains open. */
const skippedBytes = 64 * 1024;

/** Time and bytes that a refused client may still send before its connection is closed. */
const lingerMs = 2_000;
const lingerBytes = 16 * 1024 * 1024;

/** Seconds until a retry of a call that an overloaded or starting service refused. */
const retryAfterSeconds = '1';

export type Headers = Record<string, string>;

/** Returns the `RateLimit` headers; none for a caller without a rate limit. */
export function quotaHeaders(call: Pick<Call, 'quota'> | undefined): Headers {
  if (!call?.quota) return {};
  const { limit, remaining, resetSeconds } = call.quota;
  return {
    'ratelimit-limit': String(limit),
    'ratelimit-remaining': String(remaining),
    'ratelimit-reset': String(resetSeconds),
  };
}

/** Joins headers, including those of `Vary`. */
export function joinHeaders(some: Headers, others: Headers): Headers {
  const vary = [some.vary, others.vary].filter((name) => name !== undefined).join(', ');
  return { ...some, ...others, ...(vary !== '' && { vary }) };
}

/** Returns the rate limit and the duration of the call's stages (W3C Server Timing). */
export function answerHeaders(call: Pick<Call, 'quota' | 'stages'>): Headers {
  if (!call.stages) return quotaHeaders(call);
  const stages = call.stages.map(({ name, durationMs }) => `${name};dur=${durationMs.toFixed(1)}`);
  return { ...quotaHeaders(call), 'server-timing': stages.join(', ') };
}

/** Sends a body with the headers that all answers have. */
export function send(response: ServerResponse, status: number, body: string, headers: Headers): void {
  const { req: request } = response;
  const isSending = !request.complete && hasBody(request) && !isSkippable(request);
  const isLate = status === 408;
  response.writeHead(status, {
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...((isSending || isLate) && { connection: 'close' }),
    ...headers,
  });
  if (isSending && !isLate) sendWhileReading(request, response, body);
  else response.end(body);
}

/** Answers that the caller's copy is current. */
export function sendUnchanged(response: ServerResponse, headers: Headers): void {
  response.writeHead(304, { 'cache-control': 'no-store', ...headers });
  response.end();
}

function isSkippable({ headers }: IncomingMessage): boolean {
  return Number(headers['content-length']) <= skippedBytes;
}

export function describeProblem(
  error: DomainError,
  { operation, ...place }: { basePath: string; requestId: string; operation?: Operation },
): { problem: Problem; headers: Headers } {
  const problem = toProblem(error, { ...place, options: operation?.options });
  const headers: Headers = { 'content-type': 'application/problem+json', 'x-request-id': place.requestId };
  if (problem.status === 401)
    headers['www-authenticate'] = error.reason === 'CLIENT_INVALID' ? 'Basic' : 'Bearer';
  const { allow, accept, accept_encoding: encodings } = error.metadata;
  if (error.reason === 'METHOD_NOT_ALLOWED') headers.allow = allow;
  if (error.reason === 'MEDIA_TYPE_UNSUPPORTED')
    Object.assign(headers, accept && { accept }, encodings && { 'accept-encoding': encodings });
  if (problem.status === 429 || problem.status === 503)
    headers['retry-after'] = error.metadata.retry_after_seconds ?? retryAfterSeconds;
  return { problem, headers };
}

/**
 * Discards the rest of an answered request's body, which would block the next request of the connection. Closes the
 * connection when that takes too long.
 */
export function skipRest(request: IncomingMessage): void {
  if (!hasBody(request) || request.readableEnded) return;
  const cut = () => void request.socket.destroy();
  const timer = setTimeout(cut, lingerMs);
  timer.unref();
  let byteCount = 0;
  /** Uses `read`, since a body does not flow after an iteration. */
  const skip = () => {
    for (let chunk = request.read(); chunk !== null; chunk = request.read()) byteCount += chunk.length;
    if (byteCount > lingerBytes) cut();
  };
  request.on('readable', skip);
  request.once('end', () => clearTimeout(timer)).once('close', () => clearTimeout(timer));
  skip();
}

/** Answers at once and closes the connection later: closing while the client sends would reset it and lose the answer. */
function sendWhileReading(request: IncomingMessage, response: ServerResponse, body: string): void {
  response.write(body);
  let byteCount = 0;
  const timer = setTimeout(() => finish(), lingerMs);
  const finish = () => {
    clearTimeout(timer);
    if (!response.writableEnded) response.end();
  };
  request.on('data', (chunk: Buffer) => {
    byteCount += chunk.length;
    if (byteCount > lingerBytes) finish();
  });
  request.on('end', finish).on('close', finish).on('error', finish);
}
