/**
 * The documented HTTP interface: match → path and query → admit → enter → body → handle → encode.
 *
 * Callers are admitted before the body is read. Each failure becomes a problem document in `fail`, which logs it once.
 */

import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Message } from '@bufbuild/protobuf';

import type { Route } from '../../../gen/rest/routes.ts';
import { DomainError, type Violation } from '../../errors.ts';
import { checkAnswerSize } from '../../handlers/chain/answer-size.ts';
import { type Call, type Observation, type Observer, unobserved } from '../../handlers/chain/call.ts';
import { toDomainError } from '../../handlers/chain/errors.ts';
import type { Operation, Operations } from '../../handlers/chain/operation.ts';
import { createTurns, type Turns } from '../../ranking/runtime/slices.ts';
import {
  beginWork,
  type CallLifetime,
  createCallLifetime,
  endAnswer,
  endWork,
  turnOf,
} from '../call-lifetime.ts';
import type { FailureLog } from '../failure-log.ts';
import { maxMessageBytes } from '../message-size.ts';
import { callerOf, type Peers } from '../peer-address.ts';
import { trackUnread, type UnreadAnswers } from '../unread-answers.ts';
import { bindForm, bindNoBody, bindParameters } from './binding.ts';
import { createEndpoints, type Endpoint } from './endpoint.ts';
import {
  answerHeaders,
  describeProblem,
  joinHeaders,
  quotaHeaders,
  send,
  sendUnchanged,
} from './http-answer.ts';
import { ClientGone, hasBody, readText } from './http-body.ts';
import { bindJson, eventsOperation } from './http-cloud-events.ts';
import { type Cors, createCors } from './http-cors.ts';
import { bindIfMatch, etagOf, isUnchanged } from './http-etag.ts';
import { sendStream } from './http-lines.ts';
import { bindEventStream, bodyFormOf } from './http-media.ts';
import { answerTo, prefersExtensions } from './http-prefer.ts';
import { createRouter, type Match, type Router } from './router.ts';

export type GatewayOptions = {
  operations: Operations;
  routes: readonly Route[];
  /** e.g. `/api`; empty or `/` for none. */
  basePath: string;
  /** e.g. `https://shop.example`; `*` for any. */
  corsOrigins: readonly string[];
  limits: {
    /** From the admission of the caller to the last byte of the body. */
    bodyTimeoutMs: number;
    /** Upper bound of the operations' own limits. */
    maxBodyBytes: number;
    answerBytes: number;
  };
  logFailure: FailureLog;
  observer?: Observer;
  newRequestId: () => string;
  peers: Peers;
  /** Fair queue of the answering thread, shared by all transports [its own]. */
  turns?: Turns;
  unread: UnreadAnswers;
};

export type Gateway = (request: IncomingMessage, response: ServerResponse) => void;

type Target = Endpoint & { operation: Operation; successStatus: number };

type Context = GatewayOptions & { router: Router<Target>; cors: Cors; turns: Turns };

type Exchange = {
  request: IncomingMessage;
  response: ServerResponse;
  requestId: string;
  observation: Observation;
  lifetime: CallLifetime;
  /** Undefined until the path is matched. */
  target: Target | undefined;
  call: Call | undefined;
};

/** @throws Error when a route does not fit its operation, or two routes conflict. */
export function createGateway(options: GatewayOptions): Gateway {
  const targets = createEndpoints(options.routes, (name) => options.operations.get(name)?.method).map(
    (endpoint): Target => {
      const operation = options.operations.get(endpoint.route.operation)!;
      return { ...endpoint, operation, successStatus: operation.options.outcomes[0]?.status ?? 200 };
    },
  );
  const context: Context = {
    turns: createTurns(),
    ...options,
    router: createRouter(targets, options.basePath),
    cors: createCors(options.corsOrigins),
  };
  const { observer = unobserved } = options;
  return (request, response) => {
    const requestId = options.newRequestId();
    const traceparent = request.headers.traceparent?.toString();
    const observation = observer.begin({ transport: 'http', requestId, traceparent });
    const lifetime = createCallLifetime();
    const begun = { request, response, requestId, observation, lifetime };
    const exchange: Exchange = { ...begun, target: undefined, call: undefined };
    response.once('close', () => endAnswer(lifetime));
    beginWork(lifetime);
    observation
      .run(() => serve(context, exchange))
      .then(
        () => {
          endWork(lifetime);
          observation.end(operationOf(exchange));
        },
        (error) => {
          endWork(lifetime);
          observation.end(operationOf(exchange), fail(context, exchange, error));
        },
      );
  };
}

async function serve(context: Context, exchange: Exchange): Promise<void> {
  const { request } = exchange;
  const url = request.url!;
  const split = url.indexOf('?');
  const path = split < 0 ? url : url.slice(0, split);
  const match = context.router.match(request.method!, path);
  if (match.kind === 'method' && request.method === 'OPTIONS')
    return answerOptions(context, exchange, match.allowed);
  const target = targetOf(match);
  exchange.target = target;
  const query = split < 0 ? '' : url.slice(split + 1);
  const { message, writeKey, fault } = bindParameters(target, parametersOf(match), query);
  const call = describeCall(context, { ...exchange, target }, writeKey);
  exchange.call = call;
  exchange.lifetime.call = call;
  context.unread.check(call.peer);
  await target.operation.admit(call);
  target.operation.enter(call, (message as Message & { environment?: string }).environment);
  if (fault !== undefined) throw fault;
  bindIfMatch(target.operation, request.headers, message);
  bindEventStream(target.operation, request.headers, message);
  const body = await receiveBody(context, { ...exchange, target, call });
  await context.turns.run(turnOf(call, body?.text.length ?? 0), () =>
    answer(context, { ...exchange, target, call }, message, body),
  );
}

type MatchedExchange = Exchange & { target: Target; call: Call };

/** Handles a request with its complete body, and sends the answer. */
async function answer(
  context: Context,
  { request, response, requestId, target, call }: MatchedExchange,
  message: Message,
  body: ReceivedBody | undefined,
): Promise<void> {
  const violations = readBody(target, message, body);
  if (violations !== undefined && violations.length > 0) call.violations = violations;
  const headers = {
    'x-request-id': requestId,
    ...quotaHeaders(call),
    ...context.cors.headersOf(request),
  };
  if (target.operation.kind === 'stream')
    return sendStream(target, target.operation, { message, call, request, response, headers });
  const handled = await target.operation.handle(message, call);
  if (response.destroyed) return;
  Object.assign(headers, answerHeaders(call));
  const etag = etagOf(target.operation, handled);
  if (isUnchanged(request, etag)) return sendUnchanged(response, { etag: etag!, ...headers });
  const { body: shown, headers: preference } = answerTo(target, handled, call);
  const text = JSON.stringify(shown);
  const byteCount = Buffer.byteLength(text);
  checkAnswerSize(call, byteCount);
  trackUnread(context.unread, { call, byteCount, response });
  send(response, target.successStatus, text, {
    'content-type': 'application/json',
    ...(etag && { etag }),
    ...joinHeaders(preference, headers),
  });
}

function describeCall(
  { peers, limits }: Context,
  { request, requestId, observation, lifetime, target }: Exchange & { target: Target },
  writeKey: string | undefined,
): Call {
  return {
    transport: 'http',
    requestId,
    ...callerOf(peers, request),
    writeKey,
    signal: lifetime.controller.signal,
    answerBytes: limits.answerBytes,
    prefersExtensions: prefersExtensions(target.operation, request.headers),
    observation,
  };
}

type ReceivedBody = { form: ReturnType<typeof bodyFormOf>; text: string; headers: IncomingHttpHeaders };

async function receiveBody(
  { limits }: Context,
  { request, target: { route, operation }, call }: MatchedExchange,
): Promise<ReceivedBody | undefined> {
  if (route.body === '' || !hasBody(request)) return undefined;
  /** Pages send events by beacons as they are left. */
  const accepts = { form: route.form, text: operation.name === eventsOperation };
  const form = bodyFormOf(request.headers['content-type'], accepts);
  const text = await readText(request, {
    maxBytes: Math.min(maxMessageBytes(operation, call), limits.maxBodyBytes),
    timeoutMs: limits.bodyTimeoutMs,
  });
  return { form, text, headers: request.headers };
}

/** Decodes the body into the message. Returns the violations of elements that the handler reports one by one. */
function readBody(target: Target, message: Message, body: ReceivedBody | undefined): Violation[] | undefined {
  if (target.route.body === '') return undefined;
  if (body === undefined || body.text === '') {
    bindNoBody(target);
    return undefined;
  }
  const { form, text, headers } = body;
  if (form === 'form') return bindForm(target, message, text);
  return bindJson(target, message, { text, headers });
}

function targetOf(match: Match<Target>): Target {
  switch (match.kind) {
    case 'found':
      return match.target;
    case 'method':
      throw new DomainError('METHOD_NOT_ALLOWED', `This path supports ${match.allowed.join(', ')}.`, {
        metadata: { allow: [...match.allowed, 'OPTIONS'].join(', ') },
      });
    case 'malformed':
      throw new DomainError('PARAMETER_INVALID', 'The path has a malformed escape.', {
        violations: [{ pointer: 'path:', detail: 'Encode each segment as UTF-8 with %XX.' }],
      });
    default:
      throw new DomainError('ROUTE_UNKNOWN', 'No operation has this path.');
  }
}

function parametersOf(match: Match<Target>): Record<string, string> {
  return match.kind === 'found' ? match.parameters : {};
}

function answerOptions(
  context: Context,
  { request, response, requestId }: Exchange,
  allowed: string[],
): void {
  response.writeHead(204, {
    allow: [...allowed, 'OPTIONS'].join(', '),
    'x-request-id': requestId,
    ...context.cors.preflightOf(request, allowed),
  });
  response.end();
}

/** Answers with the problem, logs it, and returns its reason. */
function fail(context: Context, exchange: Exchange, thrown: unknown): string {
  const { request, response, requestId, target } = exchange;
  if (thrown instanceof ClientGone) {
    response.destroy();
    return 'CLIENT_GONE';
  }
  const error = toDomainError(thrown, exchange.call?.signal);
  const { problem, headers } = describeProblem(error, {
    basePath: context.basePath,
    requestId,
    operation: target?.operation,
  });
  const operation = operationOf(exchange);
  context.logFailure(error, { operation, call: { requestId, transport: 'http' } });
  /** A partial answer must not look complete. */
  if (response.headersSent) response.destroy();
  if (response.destroyed) return error.reason;
  send(response, problem.status, JSON.stringify(problem), {
    ...headers,
    ...quotaHeaders(exchange.call),
    ...context.cors.headersOf(request),
  });
  return error.reason;
}

/** `none` for an unknown path. */
function operationOf({ target }: Exchange): string {
  return target?.operation.name ?? 'none';
}
