/** Connect, gRPC-Web and gRPC over the HTTP port, for browsers and Connect clients, on the same operations. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DescService, Message } from '@bufbuild/protobuf';
import {
  type Code,
  ConnectError,
  type ConnectRouter,
  createContextKey,
  createContextValues,
  type HandlerContext,
} from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import type { Logger } from 'pino';
import { type Call, type Observation, type Observer, unobserved } from '../handlers/chain/call.ts';
import { grpcCodeOf, toDomainError, toErrorDetails } from '../handlers/chain/errors.ts';
import type { Operation, Operations } from '../handlers/chain/operation.ts';
import { logFailure } from './log-failure.ts';
import { observedStream } from './observed-stream.ts';

/** Above every operation's own limit. */
const largestMessageBytes = 16 * 1024 * 1024;

/** Address of the peer; Connect's own context does not know the socket. */
const peerKey = createContextKey('');

export type ConnectHandlerOptions = {
  operations: Operations;
  newRequestId: () => string;
  observer?: Observer;
  logger: Logger;
};

export type ConnectHandler = {
  /** Whether a path is that of an rpc, e.g. `/personalisation.v1.ItemService/GetItem`. */
  handles(path: string): boolean;
  handle(request: IncomingMessage, response: ServerResponse): void;
};

export function createConnectHandler(options: ConnectHandlerOptions): ConnectHandler {
  const byService = Map.groupBy(options.operations.values(), ({ method }) => method.parent);
  const handle = connectNodeAdapter({
    readMaxBytes: largestMessageBytes,
    contextValues: ({ socket }) => createContextValues().set(peerKey, socket?.remoteAddress ?? ''),
    routes(router: ConnectRouter) {
      for (const [service, operations] of byService) {
        router.service(service as DescService, implementation(operations, options) as never);
      }
    },
  });
  const prefixes = Array.from(byService.keys(), ({ typeName }) => `/${typeName}/`);
  return { handles: (path) => prefixes.some((prefix) => path.startsWith(prefix)), handle };
}

function implementation(operations: Operation[], options: ConnectHandlerOptions) {
  return Object.fromEntries(
    operations.map((operation) => [
      operation.method.localName,
      operation.kind === 'unary' ? unary(operation, options) : stream(operation, options),
    ]),
  );
}

function unary(operation: Operation & { kind: 'unary' }, options: ConnectHandlerOptions) {
  return async (request: Message, context: HandlerContext) => {
    const { call, observation } = begin(context, options);
    const answer = async () => {
      await operation.admit(call, (request as Message & { environment?: string }).environment);
      return await operation.handle(request, call);
    };
    try {
      const response = await observation.run(answer);
      observation.end(operation.name);
      return response;
    } catch (thrown) {
      throw fail(thrown, operation, call, options.logger);
    }
  };
}

function stream(operation: Operation & { kind: 'stream' }, options: ConnectHandlerOptions) {
  return async function* (request: Message | AsyncIterable<Message>, context: HandlerContext) {
    const { call, observation } = begin(context, options);
    const requests = Symbol.asyncIterator in request ? request : only(request);
    try {
      yield* observedStream(observation, () => operation.handle(requests, call));
      observation.end(operation.name);
    } catch (thrown) {
      throw fail(thrown, operation, call, options.logger);
    } finally {
      observation.end(operation.name, 'CLIENT_GONE');
    }
  };
}

async function* only(request: Message): AsyncIterable<Message> {
  yield request;
}

/** Logs the failure and ends the call with it. */
function fail(thrown: unknown, operation: Operation, call: Call, logger: Logger): ConnectError {
  const error = toDomainError(thrown);
  logFailure(logger, error, { operation: operation.name, call });
  call.observation?.end(operation.name, error.reason);
  const connectError = new ConnectError(error.message, grpcCodeOf(error.reason) as Code);
  connectError.details = toErrorDetails(error, call.requestId);
  connectError.metadata.set('x-request-id', call.requestId);
  return connectError;
}

type Begun = { call: Call; observation: Observation };

function begin(
  context: HandlerContext,
  { newRequestId, observer = unobserved }: ConnectHandlerOptions,
): Begun {
  const requestId = newRequestId();
  context.responseHeader.set('x-request-id', requestId);
  const traceparent = context.requestHeader.get('traceparent') ?? undefined;
  const observation = observer.begin({ transport: 'connect', requestId, traceparent });
  return { call: { ...callOf(context, requestId), observation }, observation };
}

function callOf({ requestHeader, timeoutMs, values }: HandlerContext, requestId: string): Call {
  const header = (name: string) => requestHeader.get(name) ?? undefined;
  const remainingMs = timeoutMs();
  return {
    transport: 'connect',
    requestId,
    authorization: header('authorization'),
    origin: header('origin'),
    userAgent: header('user-agent'),
    peer: values.get(peerKey),
    deadlineMs: remainingMs === undefined ? undefined : performance.now() + remainingMs,
  };
}
