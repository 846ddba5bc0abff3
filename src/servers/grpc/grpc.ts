/**
 * The gRPC port: grpc-js carries bytes, protobuf-es reads and writes them, the operations do the rest.
 *
 * Messages are decoded here rather than in grpc-js's hook, so that a broken one gets our error instead of INTERNAL.
 */

import type { ServerHttp2Stream } from 'node:http2';
import { type AddressInfo, createServer as createSocketServer } from 'node:net';
import { type DescMethod, fromBinary, type Message, toBinary } from '@bufbuild/protobuf';
import {
  experimental,
  type handleBidiStreamingCall,
  type handleUnaryCall,
  type Metadata,
  type MethodDefinition,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServerInterceptingCallInterface,
  type ServerWritableStream,
} from '@grpc/grpc-js';
import { HealthImplementation } from 'grpc-health-check';

import { DomainError } from '../../errors.ts';
import { checkAnswerSize } from '../../handlers/chain/answer-size.ts';
import { type Begun, type Call, type Observer, unobserved } from '../../handlers/chain/call.ts';
import { toDomainError } from '../../handlers/chain/errors.ts';
import type { Operation, Operations } from '../../handlers/chain/operation.ts';
import { createTurns, type Turns } from '../../ranking/runtime/slices.ts';
import { beginWork, type CallLifetime, endWork } from '../call-lifetime.ts';
import { turnOf } from '../call-turn.ts';
import type { Certificate, CertificateSource } from '../certificate.ts';
import { boundConnections, type ConnectionBounds, openSocketsOf } from '../connections.ts';
import type { FailureLog } from '../failure-log.ts';
import { createInjector } from '../grpc-http2.ts';
import { messageTooLarge, mostBytesOf } from '../message-size.ts';
import { observedStream } from '../observed-stream.ts';
import type { Peers } from '../peer-address.ts';
import { holdUnreadStream, type UnreadAnswers } from '../unread-answers.ts';
import { createGrpcAdmission, type GrpcAdmission } from './grpc-admission.ts';
import { addReflection } from './grpc-reflection.ts';
import { createResetGuard, type ResetBudget } from './grpc-resets.ts';
import { toGrpcStatus, trailersOf } from './grpc-status.ts';
import { keepStreamsPlainly, takeLongDeadline } from './grpc-streams.ts';

/** More calls wait at the caller until others have ended. */
const streamsPerConnection = 1_000;

/** A connection without calls, one that never sends headers too; its client opens another when it needs one. */
const idleMs = 300_000;

/** How often a peer is asked whether it is there, and how long it may take to say so. */
const keepAliveMs = 60_000;
const keepAliveTimeoutMs = 20_000;

/** Resets that Node lets through before it ends the connection by itself; the budget of resets decides before. */
const http2Settings = { streamResetBurst: 100_000, streamResetRate: 10_000 };

/** For what a connection is told when it is cut off. */
const lastWordMs = 200;

export type GrpcServer = {
  /** Binds and returns the port. @param host Address to listen at [all interfaces]. */
  listen(port: number, host?: string): Promise<number>;
  /** What the health service answers. */
  setServing(serving: boolean): void;
  /** Ends when the calls under way have; after `graceMs` they are cut off. */
  close(graceMs: number): Promise<void>;
};

export type GrpcServerOptions = {
  operations: Operations;
  connections: ConnectionBounds;
  /** From the admission of a call to the last byte of its first message. */
  messageTimeoutMs: number;
  resets: ResetBudget;
  /** PEM texts; absent for plain text. */
  tls?: CertificateSource;
  newRequestId: () => string;
  /** Who calls, behind proxies too. */
  peers: Peers;
  /** Of the thread that answers calls, shared by all transports [its own]. */
  turns?: Turns;
  unread: UnreadAnswers;
  /** Of a unary answer. */
  answerBytes: number;
  observer?: Observer;
  logFailure: FailureLog;
};

/** What the handlers of a server share. */
type Context = GrpcServerOptions & Pick<GrpcAdmission, 'begunOf'> & { turns: Turns };

type CertificateProvider = Parameters<typeof experimental.createCertificateProviderServerCredentials>[0];

/** In grpc-js's terms. Callers show no certificates, so none are followed that would vouch for theirs. */
function providerOf(tls: CertificateSource): CertificateProvider {
  const updateOf = ({ certificate, key }: Certificate) => ({ certificate, privateKey: key });
  return {
    addCaCertificateListener() {},
    removeCaCertificateListener() {},
    addIdentityCertificateListener(listener) {
      /** Whoever listens hands it on to the port, which comes to listen right after. */
      queueMicrotask(() => listener(updateOf(tls.current)));
      tls.onRenewal((renewed) => listener(updateOf(renewed)));
    },
    /** Of a port that is closed: what it is told still says nothing to anybody. */
    removeIdentityCertificateListener() {},
  };
}

export function createGrpcServer(options: GrpcServerOptions): GrpcServer {
  const { operations, tls, logFailure } = options;
  const guard = createResetGuard(options.resets, options.peers.isProxy);
  /** grpc-js handles a stream, interceptors included, in the turn in which it comes. */
  let arriving: ServerHttp2Stream | undefined;
  const admission = createGrpcAdmission({
    unread: options.unread,
    arriving: () => arriving,
    noteKnown: guard.noteKnown,
    operationOf: (path) => operations.get(path.slice(1)),
    begin: beginnerOf(options),
    messageTimeoutMs: options.messageTimeoutMs,
    fail(error, { name }, { call, observation }) {
      logFailure(error, { operation: name, call });
      observation.end(name, error.reason);
    },
  });
  const server = new Server({
    interceptors: [admission.interceptor],
    'grpc.max_receive_message_length': mostBytesOfAll(operations),
    'grpc.max_send_message_length': -1,
    'grpc.max_concurrent_streams': streamsPerConnection,
    'grpc.max_connection_idle_ms': idleMs,
    'grpc.keepalive_time_ms': keepAliveMs,
    'grpc.keepalive_timeout_ms': keepAliveTimeoutMs,
    /** Nobody can ask for its counts: we have our own. */
    'grpc.enable_channelz': 0,
  });
  const context: Context = { turns: createTurns(), ...options, begunOf: admission.begunOf };
  const health = new HealthImplementation({ '': 'NOT_SERVING' });
  const serviceNames = new Set<string>();
  for (const service of groupByService(operations)) {
    serviceNames.add(service.name);
    server.addService(service.definition, service.implement(context));
  }
  health.addToServer(server);
  addReflection(
    server,
    [...operations.values()].map(({ method }) => method.parent),
  );

  const credentials = tls
    ? experimental.createCertificateProviderServerCredentials(providerOf(tls), null, false)
    : ServerCredentials.createInsecure();
  const injector = createInjector(server, credentials, http2Settings, (stream, headers) => {
    arriving = stream;
    takeLongDeadline(headers);
    keepStreamsPlainly(stream);
    guard.watch(stream);
  });
  /** Ours, since grpc-js shows nobody its connections. */
  const port = createSocketServer((socket) => {
    if (!socket.destroyed) injector.injectConnection(socket);
  });
  boundConnections(port, options.connections);
  const sockets = openSocketsOf(port);

  return {
    listen(number, host) {
      return new Promise((resolve, reject) => {
        port.once('error', reject);
        port.listen({ port: number, host }, () => {
          port.off('error', reject);
          resolve((port.address() as AddressInfo).port);
        });
      });
    },
    setServing(serving) {
      for (const name of ['', ...serviceNames]) health.setStatus(name, serving ? 'SERVING' : 'NOT_SERVING');
    },
    /**
     * The port closes when its last connection has: each is told to go away, and may end what it has begun. One that has not
     * begun TLS hears nothing of it, and is cut off when the others have heard that their time is over.
     */
    close(graceMs) {
      return new Promise((resolve) => {
        const timer = setTimeout(() => {
          for (const socket of sockets) socket.destroy();
        }, graceMs + lastWordMs);
        port.close(() => {
          clearTimeout(timer);
          server.forceShutdown();
          resolve();
        });
        injector.drain(graceMs);
      });
    },
  };
}

function mostBytesOfAll(operations: Operations): number {
  return Math.max(...Array.from(operations.values(), (operation) => mostBytesOf(operation)));
}

const passBuffer = (value: Buffer) => value;

function definitionOf({ parent, name, methodKind }: DescMethod): MethodDefinition<Buffer, Buffer> {
  return {
    path: `/${parent.typeName}/${name}`,
    requestStream: methodKind === 'client_streaming' || methodKind === 'bidi_streaming',
    responseStream: methodKind === 'server_streaming' || methodKind === 'bidi_streaming',
    requestSerialize: passBuffer,
    requestDeserialize: passBuffer,
    responseSerialize: passBuffer,
    responseDeserialize: passBuffer,
  };
}

function groupByService(operations: Operations) {
  const groups = Map.groupBy(operations.values(), ({ method }) => method.parent.typeName);
  return Array.from(groups, ([name, members]) => ({
    name,
    definition: Object.fromEntries(members.map(({ method }) => [method.name, definitionOf(method)])),
    implement: (context: Context) =>
      Object.fromEntries(members.map((operation) => [operation.method.name, handlerOf(operation, context)])),
  }));
}

function handlerOf(
  operation: Operation,
  context: Context,
): handleUnaryCall<Buffer, Buffer> | handleBidiStreamingCall<Buffer, Buffer> {
  return operation.kind === 'unary' ? unaryHandler(operation, context) : streamHandler(operation, context);
}

function unaryHandler(
  operation: Operation & { kind: 'unary' },
  { logFailure, begunOf, turns, unread }: Context,
): handleUnaryCall<Buffer, Buffer> {
  const { method, name } = operation;
  return async (grpcCall, callback) => {
    const { call, observation, lifetime, stream } = begunOf(grpcCall);
    if (!beginWork(lifetime)) return;
    const answer = async () => {
      const request = decode(operation, grpcCall.request, call);
      const { environment } = request as Message & { environment?: string };
      operation.enter(call, environment);
      const bytes = encode(method, await operation.handle(request, call));
      checkAnswerSize(call, bytes.length);
      if (stream) holdUnreadStream(unread, { call, byteCount: bytes.length, stream });
      return bytes;
    };
    try {
      const turn = turnOf(call, grpcCall.request.length);
      callback(null, await observation.run(() => turns.run(turn, answer)), trailersOf(call));
      observation.end(name);
    } catch (thrown) {
      const error = toDomainError(thrown, call.signal);
      logFailure(error, { operation: name, call });
      callback(toGrpcStatus(error, call));
      observation.end(name, error.reason);
    } finally {
      endWork(lifetime);
    }
  };
}

/** Server streams and streams both ways: requests as they come, answers no faster than they are read. */
function streamHandler(
  operation: Operation & { kind: 'stream' },
  { logFailure, begunOf }: Context,
): handleBidiStreamingCall<Buffer, Buffer> {
  const { name } = operation;
  return async (grpcCall) => {
    const { call, observation, lifetime } = begunOf(grpcCall);
    if (!beginWork(lifetime)) return;
    const answers = () => operation.handle(readRequests(operation, grpcCall, call), call);
    try {
      for await (const response of observedStream(observation, answers)) {
        if (grpcCall.cancelled) return observation.end(name, 'CLIENT_GONE');
        if (!grpcCall.write(encode(operation.method, response))) await drained(grpcCall);
      }
      grpcCall.end(trailersOf(call));
      observation.end(name);
    } catch (thrown) {
      const error = toDomainError(thrown, call.signal);
      if (!grpcCall.cancelled) logFailure(error, { operation: name, call });
      grpcCall.emit('error', toGrpcStatus(error, call));
      observation.end(name, grpcCall.cancelled ? 'CLIENT_GONE' : error.reason);
    } finally {
      endWork(lifetime);
    }
  };
}

async function* readRequests(
  operation: Operation,
  grpcCall: ServerDuplexStream<Buffer, Buffer>,
  call: Call,
): AsyncIterable<Message> {
  if (operation.method.methodKind === 'server_streaming') {
    yield decode(operation, (grpcCall as unknown as ServerWritableStream<Buffer, Buffer>).request, call);
    return;
  }
  /** A call that is left early must still be answered. */
  for await (const bytes of grpcCall.iterator({ destroyOnReturn: false }))
    yield decode(operation, bytes, call);
}

/** Resolves when the caller has read, or has gone. */
function drained(grpcCall: ServerDuplexStream<Buffer, Buffer>): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      grpcCall.off('drain', done);
      grpcCall.off('cancelled', done);
      grpcCall.off('close', done);
      resolve();
    };
    grpcCall.on('drain', done);
    grpcCall.on('cancelled', done);
    grpcCall.on('close', done);
  });
}

function decode(operation: Operation, bytes: Buffer, call: Call): Message {
  const mostBytes = mostBytesOf(operation, call);
  if (bytes.length > mostBytes) throw messageTooLarge(mostBytes);
  try {
    return fromBinary(operation.method.input, bytes);
  } catch (cause) {
    throw new DomainError('BODY_INVALID', 'The message is not well-formed.', { cause });
  }
}

function encode(method: DescMethod, response: Message): Buffer {
  const bytes = toBinary(method.output, response);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function beginnerOf({ newRequestId, peers, answerBytes, observer = unobserved }: GrpcServerOptions) {
  return (grpcCall: ServerInterceptingCallInterface, metadata: Metadata, lifetime: CallLifetime): Begun => {
    const requestId = newRequestId();
    const text = (name: string) => metadata.get(name)[0]?.toString();
    const joined = (name: string) => (text(name) === undefined ? undefined : metadata.get(name).join(', '));
    const observation = observer.begin({ transport: 'grpc', requestId, traceparent: text('traceparent') });
    const deadline = Number(grpcCall.getDeadline());
    const call: Call = {
      transport: 'grpc',
      requestId,
      authorization: text('authorization'),
      origin: text('origin'),
      userAgent: text('user-agent'),
      peer: peers.addressOf(grpcCall.getConnectionInfo().remoteAddress ?? '', {
        forwarded: joined('forwarded'),
        forwardedFor: joined('x-forwarded-for'),
      }),
      deadlineMs: Number.isFinite(deadline) ? performance.now() + deadline - Date.now() : undefined,
      answerBytes,
      signal: lifetime.controller.signal,
      observation,
    };
    return { call, observation };
  };
}
