/** Connect, gRPC-Web and gRPC on the HTTP port, for browsers and Connect clients. */

import type { IncomingMessage } from 'node:http';
import { type Message, toBinary } from '@bufbuild/protobuf';
import {
  Code,
  ConnectError,
  type ConnectRouter,
  cors,
  createContextValues,
  type HandlerContext,
} from '@connectrpc/connect';
import { compressionBrotli, compressionGzip, connectNodeAdapter } from '@connectrpc/connect-node';
import { checkAnswerSize } from '../../handlers/chain/answer-size.ts';
import { type Begun, type Call, type Observer, unobserved } from '../../handlers/chain/call.ts';
import { grpcCodeOf, toDomainError, toReadableDetails, toRpcMessage } from '../../handlers/chain/errors.ts';
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
import { answerHeaders, quotaHeaders, skipRest } from '../gateway/http-answer.ts';
import { createCors } from '../gateway/http-cors.ts';
import { maxMessageBytes } from '../message-size.ts';
import type { PathHandler } from '../path-handler.ts';
import { callerOf, type Peers } from '../peer-address.ts';
import { observedStream } from '../streams.ts';
import { trackUnread, type UnreadAnswers } from '../unread-answers.ts';
import { type Arrival, arrivalKey, arrivalOf, createConnectAdmission } from './connect-admission.ts';

export type ConnectHandlerOptions = {
  operations: Operations;
  newRequestId: () => string;
  peers: Peers;
  /** Fair queue of the answering thread, shared by all transports [its own]. */
  turns?: Turns;
  unread: UnreadAnswers;
  answerBytes: number;
  corsOrigins: readonly string[];
  observer?: Observer;
  logFailure: FailureLog;
};

const protocolHeaders = { allowed: cors.allowedHeaders, exposed: cors.exposedHeaders };

/** A property of the request rather than a WeakMap; see grpc-admission.ts. */
const requestKey = Symbol('arrival');

type TrackedRequest = IncomingMessage & { [requestKey]?: Arrival };

export function createConnectHandler(given: ConnectHandlerOptions): PathHandler {
  const options = { turns: createTurns(), ...given };
  const operations = [...options.operations.values()];
  const admission = createConnectAdmission({
    begin: createBegin(options),
    unread: options.unread,
    /** Sets the headers too, since no handler does. */
    fail(thrown: unknown, operation: Operation, { call }: Begun) {
      const error = fail(thrown, operation, call, options.logFailure);
      for (const [name, value] of Object.entries(quotaHeaders(call))) error.metadata.set(name, value);
      return error;
    },
  });
  const handle = connectNodeAdapter({
    /** As over REST, so that a misspelt field is noticed. */
    jsonOptions: { ignoreUnknownFields: false },
    acceptCompression: [compressionGzip, compressionBrotli].map(admission.watch),
    contextValues(request) {
      const tracked = request as TrackedRequest;
      const arrival: Arrival = { request: tracked, lifetime: createCallLifetime(), chunks: [] };
      tracked[requestKey] = arrival;
      return createContextValues().set(arrivalKey, arrival);
    },
    routes(router: ConnectRouter) {
      for (const operation of operations) {
        const answer = operation.kind === 'unary' ? unary(operation, options) : stream(operation, options);
        router.rpc(operation.method, answer as never, { readMaxBytes: maxMessageBytes(operation) });
        router.handlers.push(admission.admitFirst(router.handlers.pop()!, operation));
      }
    },
  });
  const prefixes = [...new Set(operations.map(({ method }) => `/${method.parent.typeName}/`))];
  const pages = createCors(options.corsOrigins, protocolHeaders);
  return {
    handles: (path) => prefixes.some((prefix) => path.startsWith(prefix)),
    handle(request, response) {
      const isPreflight = request.method === 'OPTIONS';
      const headers = isPreflight ? pages.preflightOf(request, ['POST']) : pages.headersOf(request);
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      if (isPreflight) response.writeHead(204, { allow: 'POST, OPTIONS' }).end();
      else {
        if (request.method !== 'POST') response.setHeader('allow', 'POST, OPTIONS');
        /** Connect notices a broken connection by its answer; the request's own error has no listener then. */
        request.on('error', () => undefined);
        response.once('finish', () => skipRest(request));
        response.once('close', () => {
          const arrival = (request as TrackedRequest)[requestKey];
          if (arrival) endAnswer(arrival.lifetime);
        });
        handle(request, response);
        const arrival = (request as TrackedRequest)[requestKey];
        if (arrival) arrival.response = response;
      }
    },
  };
}

function unary(operation: Operation & { kind: 'unary' }, options: ConnectHandlerOptions & { turns: Turns }) {
  return async (request: Message, context: HandlerContext) => {
    const { call, observation, lifetime, response: nodeResponse } = admittedCall(context);
    const answer = async () => {
      operation.enter(call, (request as Message & { environment?: string }).environment);
      return await operation.handle(request, call);
    };
    try {
      const response = await observation.run(() => options.turns.run(turnOf(call, 0), answer));
      const byteCount = toBinary(operation.method.output, response).length;
      checkAnswerSize(call, byteCount);
      trackUnread(options.unread, { call, byteCount, response: nodeResponse });
      for (const [name, value] of Object.entries(answerHeaders(call)))
        context.responseHeader.set(name, value);
      observation.end(operation.name);
      return response;
    } catch (thrown) {
      throw fail(thrown, operation, call, options.logFailure);
    } finally {
      endWork(lifetime);
    }
  };
}

function stream(operation: Operation & { kind: 'stream' }, options: ConnectHandlerOptions) {
  return async function* (request: Message | AsyncIterable<Message>, context: HandlerContext) {
    const { call, observation, lifetime } = admittedCall(context);
    const requests = Symbol.asyncIterator in request ? request : only(request);
    try {
      yield* observedStream(observation, () => operation.handle(requests, call));
      observation.end(operation.name);
    } catch (thrown) {
      throw fail(thrown, operation, call, options.logFailure);
    } finally {
      observation.end(operation.name, 'CLIENT_GONE');
      endWork(lifetime);
    }
  };
}

async function* only(request: Message): AsyncIterable<Message> {
  yield request;
}

function fail(thrown: unknown, operation: Operation, call: Call, logFailure: FailureLog): ConnectError {
  const error = toDomainError(thrown, call.signal);
  logFailure(error, { operation: operation.name, call });
  call.observation?.end(operation.name, error.reason);
  const connectError = new ConnectError(toRpcMessage(error), grpcCodeOf(error.reason) as Code);
  connectError.details = toReadableDetails(error, { method: operation.method, requestId: call.requestId });
  connectError.metadata.set('x-request-id', call.requestId);
  return connectError;
}

/** Begins the work of an admitted call. Connect has read the deadline by now, and aborts its signal then. */
function admittedCall({ values, responseHeader, timeoutMs, signal }: HandlerContext) {
  const arrival = arrivalOf(values);
  const { lifetime } = arrival;
  if (!beginWork(lifetime)) throw new ConnectError('The client has closed the connection.', Code.Canceled);
  arrival.isHandled = true;
  arrival.chunks = [];
  const { call, observation } = arrival.begun!;
  responseHeader.set('x-request-id', call.requestId);
  for (const [name, value] of Object.entries(quotaHeaders(call))) responseHeader.set(name, value);
  const remainingMs = timeoutMs();
  if (remainingMs !== undefined) {
    call.deadlineMs = performance.now() + remainingMs;
    signal.addEventListener('abort', () => lifetime.controller.abort());
  }
  return { call, observation, lifetime, response: arrival.response! };
}

function createBegin({ newRequestId, peers, answerBytes, observer = unobserved }: ConnectHandlerOptions) {
  return ({ request, lifetime }: { request: IncomingMessage; lifetime: CallLifetime }): Begun => {
    const requestId = newRequestId();
    const traceparent = request.headers.traceparent?.toString();
    const observation = observer.begin({ transport: 'connect', requestId, traceparent });
    const call: Call = {
      transport: 'connect',
      requestId,
      ...callerOf(peers, request),
      answerBytes,
      signal: lifetime.controller.signal,
      observation,
    };
    return { call, observation };
  };
}
