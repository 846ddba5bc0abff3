/**
 * Admission of gRPC calls by their headers. grpc-js reads nothing of a stream before its interceptors let it, and HTTP/2 holds
 * back what the caller sends meanwhile; so a call that is refused here costs its headers alone.
 */

import type { ServerHttp2Stream } from 'node:http2';
import {
  type Metadata,
  ServerInterceptingCall,
  type ServerInterceptingCallInterface,
  type ServerInterceptor,
  status,
} from '@grpc/grpc-js';
import { DomainError } from '../../errors.ts';
import type { Begun } from '../../handlers/chain/call.ts';
import { toDomainError } from '../../handlers/chain/errors.ts';
import type { Operation } from '../../handlers/chain/operation.ts';
import {
  beginWork,
  type CallLifetime,
  createCallLifetime,
  endAnswer,
  endWork,
  isOver,
} from '../call-lifetime.ts';
import { messageTooLarge, mostBytesOf } from '../message-size.ts';
import type { UnreadAnswers } from '../unread-answers.ts';
import { toGrpcStatus } from './grpc-status.ts';

type SentStatus = Parameters<ServerInterceptingCallInterface['sendStatus']>[0];

/** What belongs to a call lies at it: of a WeakMap every collection of memory goes through all entries. */
const begunKey = Symbol('begun');

type Admitted = Metadata & { [begunKey]?: Followed };

/** A call with its end. */
export type Followed = Begun & { lifetime: CallLifetime; stream: ServerHttp2Stream | undefined };

export type GrpcAdmissionOptions = {
  /** The stream of the call that comes now. */
  arriving(): ServerHttp2Stream | undefined;
  /** Called with the stream of a call that has shown a valid token. */
  noteKnown(stream: ServerHttp2Stream): void;
  /** By path, e.g. `/personalisation.v1.ItemService/GetItem`; others (health, reflection) are let through. */
  operationOf(path: string): Operation | undefined;
  begin(call: ServerInterceptingCallInterface, metadata: Metadata, lifetime: CallLifetime): Begun;
  /** From the admission of a call to the last byte of its first message. */
  messageTimeoutMs: number;
  unread: Pick<UnreadAnswers, 'check'>;
  /** Logs the failure and ends the observation. */
  fail(error: DomainError, operation: Operation, begun: Begun): void;
};

export type GrpcAdmission = {
  interceptor: ServerInterceptor;
  /** What was begun when the headers of a call came. */
  begunOf(call: { metadata: Metadata }): Followed;
};

export function createGrpcAdmission(options: GrpcAdmissionOptions): GrpcAdmission {
  const { operationOf, begin, messageTimeoutMs, fail, arriving, noteKnown, unread } = options;
  const interceptor: ServerInterceptor = ({ path }, inner) => {
    const operation = operationOf(path);
    if (!operation) return new ServerInterceptingCall(inner);
    const stream = arriving();
    let begun: Begun | undefined;
    let timer: NodeJS.Timeout | undefined;
    const lifetime = createCallLifetime();
    const refuse = (thrown: unknown, send = (status: SentStatus) => inner.sendStatus(status)) => {
      const error = toDomainError(thrown);
      fail(error, operation, begun!);
      send(toGrpcStatus(error, begun!.call));
    };
    const admit = async (metadata: Metadata, pass: (metadata: Metadata) => void) => {
      begun = begin(inner, metadata, lifetime);
      lifetime.call = begun.call;
      (metadata as Admitted)[begunKey] = { ...begun, lifetime, stream };
      const { call, observation } = begun;
      beginWork(lifetime);
      try {
        unread.check(call.peer);
        await observation.run(() => operation.admit(call));
      } catch (thrown) {
        return refuse(thrown);
      } finally {
        endWork(lifetime);
      }
      if (stream && call.caller?.kind === 'confidential') noteKnown(stream);
      if (isOver(lifetime)) return;
      boundMessages(inner, mostBytesOf(operation, call), refuse);
      timer = setTimeout(() => refuse(tooSlow()), messageTimeoutMs);
      pass(metadata);
    };
    return new ServerInterceptingCall(inner, {
      start: (next) =>
        next({
          onReceiveMetadata: (metadata, pass) => void admit(metadata, pass),
          onReceiveMessage(message, pass) {
            clearTimeout(timer);
            pass(message);
          },
          /** Also when the call has ended well; then the observation has ended before. */
          onCancel() {
            clearTimeout(timer);
            begun?.observation.end(operation.name, 'CLIENT_GONE');
            endAnswer(lifetime);
          },
        }),
    });
  };
  return { interceptor, begunOf: ({ metadata }) => (metadata as Admitted)[begunKey]! };
}

function tooSlow(): DomainError {
  return new DomainError('REQUEST_TIMEOUT', 'The message did not arrive completely in time.');
}

/** What grpc-js knows of a call's largest message. */
type Bounded = ServerInterceptingCallInterface & {
  maxReceiveMessageSize?: number;
  decoder?: { maxReadMessageLength: number };
};

/**
 * grpc-js has one largest message for the whole server, which its calls hold in fields; here they are set to the operation's own,
 * so that a longer message is refused by the length that it announces, and one that unpacks to more while it is unpacked. A
 * version without these fields reads up to the server's bound, and the message is judged when it is there.
 */
function boundMessages(
  inner: Bounded,
  mostBytes: number,
  refuse: (thrown: unknown, send: (status: SentStatus) => void) => void,
): void {
  if (inner.decoder === undefined) return;
  inner.decoder.maxReadMessageLength = mostBytes;
  inner.maxReceiveMessageSize = mostBytes;
  const send = inner.sendStatus.bind(inner);
  const judge = (sent: SentStatus): void => {
    /** Its own refusal comes without metadata, ours with. */
    if (sent.code !== status.RESOURCE_EXHAUSTED || sent.metadata) send(sent);
    else refuse(messageTooLarge(mostBytes), send);
  };
  inner.sendStatus = judge;
}
