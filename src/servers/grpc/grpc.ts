/** The gRPC port: grpc-js transports bytes, protobuf-es decodes and encodes them, the operations answer. */

import { createServer as createSocketServer } from 'node:net';
import {
  experimental,
  type Metadata,
  Server,
  ServerCredentials,
  type ServerInterceptingCallInterface,
} from '@grpc/grpc-js';
import { HealthImplementation } from 'grpc-health-check';

import { type Begun, type Call, type Observer, unobserved } from '../../handlers/chain/call.ts';
import type { Operations } from '../../handlers/chain/operation.ts';
import { createTurns, type Turns } from '../../ranking/runtime/slices.ts';
import type { CallLifetime } from '../call-lifetime.ts';
import type { Certificate, CertificateSource } from '../certificate.ts';
import { type ConnectionBounds, limitConnections, listen, openSocketsOf } from '../connections.ts';
import type { FailureLog } from '../failure-log.ts';
import { maxMessageBytes } from '../message-size.ts';
import type { Peers } from '../peer-address.ts';
import type { UnreadAnswers } from '../unread-answers.ts';
import { type ArrivingStream, createGrpcAdmission } from './grpc-admission.ts';
import { addServices } from './grpc-handlers.ts';
import { createInjector, dropLongDeadline } from './grpc-http2.ts';
import { addReflection } from './grpc-reflection.ts';
import { createResetGuard, type ResetBudget } from './grpc-resets.ts';

/** Further calls of a connection wait at the client. */
const streamsPerConnection = 1_000;

/** A connection without calls closes after this time, one that never sends headers included. */
const idleMs = 300_000;

/** The interval of pings, and the time for their answer. */
const keepAliveMs = 60_000;
const keepAliveTimeoutMs = 20_000;

const connectionSettings = {
  'grpc.max_concurrent_streams': streamsPerConnection,
  'grpc.max_connection_idle_ms': idleMs,
  'grpc.keepalive_time_ms': keepAliveMs,
  'grpc.keepalive_timeout_ms': keepAliveTimeoutMs,
  'grpc.enable_channelz': 0,
};

/** Resets after which Node itself ends a connection; far above the budget of `grpc-resets.ts`. */
const http2Settings = { streamResetBurst: 100_000, streamResetRate: 10_000 };

/** Time for the last frames of connections that are cut off. */
const lastFramesMs = 200;

export type GrpcServer = {
  /** Opens the port and returns its number. @param host Address to listen at [all interfaces]. */
  listen(port: number, host?: string): Promise<number>;
  /** Sets the status that the health service reports. */
  setServing(serving: boolean): void;
  /** Resolves when the calls in progress have ended; after `graceMs` they are cut off. */
  close(graceMs: number): Promise<void>;
};

export type GrpcServerOptions = {
  operations: Operations;
  connections: ConnectionBounds;
  /** From the admission of a call to the last byte of its first message. */
  messageTimeoutMs: number;
  resets: ResetBudget;
  /** Absent for plain text. */
  tls?: CertificateSource;
  newRequestId: () => string;
  peers: Peers;
  /** Fair queue of the answering thread, shared by all transports [its own]. */
  turns?: Turns;
  unread: UnreadAnswers;
  answerBytes: number;
  observer?: Observer;
  logFailure: FailureLog;
};

/** A message that is larger by less is refused with our reason; beyond it grpc-js refuses it in its own words. */
const excessBytes = 2 * 1024 * 1024;

function maxMessageBytesOfAll(operations: Operations): number {
  return Math.max(...Array.from(operations.values(), (one) => maxMessageBytes(one)));
}

export function createGrpcServer(options: GrpcServerOptions): GrpcServer {
  const { operations, tls, logFailure, turns = createTurns(), unread } = options;
  const guard = createResetGuard(options.resets, options.peers.isProxy);
  /** grpc-js handles a stream, interceptors included, in the turn in which it arrives. */
  let arriving: ArrivingStream | undefined;
  const admission = createGrpcAdmission({
    unread,
    arriving: () => arriving!,
    noteKnown: guard.noteKnown,
    operationOf: (path) => operations.get(path.slice(1)),
    begin: createBegin(options),
    messageTimeoutMs: options.messageTimeoutMs,
    fail(error, { name }, { call, observation }) {
      logFailure(error, { operation: name, call });
      observation.end(name, error.reason);
    },
  });
  const server = new Server({
    interceptors: [admission.interceptor],
    'grpc.max_receive_message_length': maxMessageBytesOfAll(operations) + excessBytes,
    'grpc.max_send_message_length': -1,
    ...connectionSettings,
  });
  const { admittedCallOf } = admission;
  const serviceNames = addServices(server, operations, { admittedCallOf, turns, unread, logFailure });
  const health = new HealthImplementation({ '': 'NOT_SERVING' });
  health.addToServer(server);
  addReflection(
    server,
    [...operations.values()].map(({ method }) => method.parent),
  );

  const injector = createInjector(server, credentialsOf(tls), http2Settings, (stream, headers) => {
    arriving = { stream, isCompressed: (headers['grpc-encoding'] ?? 'identity') !== 'identity' };
    dropLongDeadline(headers);
    guard.watch(stream);
  });
  /** A port of this service's own, since that of grpc-js does not show its connections. */
  const port = createSocketServer((socket) => {
    if (!socket.destroyed) injector.injectConnection(socket);
  });
  limitConnections(port, options.connections);
  const sockets = openSocketsOf(port);

  return {
    listen: (number, host) => listen(port, number, host),
    setServing(serving) {
      for (const name of ['', ...serviceNames]) health.setStatus(name, serving ? 'SERVING' : 'NOT_SERVING');
    },
    /**
     * Each connection gets a GOAWAY and may end its calls; the port closes with the last connection. The timer cuts off
     * those without a completed TLS handshake, which cannot get one.
     */
    close(graceMs) {
      return new Promise((resolve) => {
        const timer = setTimeout(() => {
          for (const socket of sockets) socket.destroy();
        }, graceMs + lastFramesMs);
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

function credentialsOf(tls: CertificateSource | undefined): ServerCredentials {
  if (tls === undefined) return ServerCredentials.createInsecure();
  const updateOf = ({ certificate, key }: Certificate) => ({ certificate, privateKey: key });
  return experimental.createCertificateProviderServerCredentials(
    {
      /** Clients present no certificates, so there are no authorities to follow. */
      addCaCertificateListener() {},
      removeCaCertificateListener() {},
      addIdentityCertificateListener(listener) {
        /** The listener needs the port, which is created after this call. */
        queueMicrotask(() => listener(updateOf(tls.current)));
        tls.onRenewal((renewed) => listener(updateOf(renewed)));
      },
      removeIdentityCertificateListener() {},
    },
    null,
    false,
  );
}

function createBegin({ newRequestId, peers, answerBytes, observer = unobserved }: GrpcServerOptions) {
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
      refusesProfiling: text('sec-gpc') === '1',
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
