/**
 * Admission of gRPC calls by their headers. grpc-js reads a stream only after its interceptors pass the headers on, and
 * HTTP/2 flow control stops the sender meanwhile. A refused call therefore costs its headers alone.
 */

import type { ServerHttp2Stream } from 'node:http2';
import {
  type Metadata,
  ServerInterceptingCall,
  type ServerInterceptingCallInterface,
  type ServerInterceptor,
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
import { announcedBytes, frameBytes, maxMessageBytes, messageTooLarge } from '../message-size.ts';
import type { UnreadAnswers } from '../unread-answers.ts';
import { toGrpcStatus } from './grpc-status.ts';

/** A property of the metadata: the garbage collector would visit all entries of a WeakMap each time. */
const callKey = Symbol('call');

/** A stream as it arrives, before grpc-js handles it. */
export type ArrivingStream = { stream: ServerHttp2Stream; isCompressed: boolean };

export type AdmittedCall = Begun & { lifetime: CallLifetime; stream: ServerHttp2Stream };

export type GrpcAdmissionOptions = {
  /** Returns the stream of the call that is being intercepted. */
  arriving(): ArrivingStream;
  /** Called with the stream of a call that has presented a valid token. */
  noteKnown(stream: ServerHttp2Stream): void;
  /** Finds the operation of a path, e.g. `/personalisation.v1.ItemService/GetItem`; health and reflection have none. */
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
  admittedCallOf(call: { metadata: Metadata }): AdmittedCall;
};

export function createGrpcAdmission(options: GrpcAdmissionOptions): GrpcAdmission {
  const { operationOf, begin, messageTimeoutMs, fail, arriving, noteKnown, unread } = options;
  const interceptor: ServerInterceptor = ({ path }, inner) => {
    const operation = operationOf(path);
    if (!operation) return new ServerInterceptingCall(inner);
    const { stream, isCompressed } = arriving();
    let begun: Begun | undefined;
    let timer: NodeJS.Timeout | undefined;
    const lifetime = createCallLifetime();
    const refuse = (thrown: unknown) => {
      const error = toDomainError(thrown);
      fail(error, operation, begun!);
      inner.sendStatus(toGrpcStatus(error, begun!.call, operation));
    };
    const admit = async (metadata: Metadata, pass: (metadata: Metadata) => void) => {
      begun = begin(inner, metadata, lifetime);
      const { call, observation } = begun;
      lifetime.call = call;
      Object.assign(metadata, { [callKey]: { call, observation, lifetime, stream } });
      beginWork(lifetime);
      try {
        unread.check(call.peer);
        await observation.run(() => operation.admit(call));
        if (isCompressed && call.caller?.kind !== 'confidential') throw compressed();
      } catch (thrown) {
        return refuse(thrown);
      } finally {
        endWork(lifetime);
      }
      if (call.caller?.kind === 'confidential') noteKnown(stream);
      if (isOver(lifetime)) return;
      if (sendsOneMessage(operation)) limitMessage(stream, maxMessageBytes(operation, call), refuse);
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
          /** Called when a call ends well, too; its observation has ended then. */
          onCancel() {
            clearTimeout(timer);
            begun?.observation.end(operation.name, 'CLIENT_GONE');
            endAnswer(lifetime);
          },
        }),
    });
  };
  return {
    interceptor,
    admittedCallOf: ({ metadata }) => (metadata as Metadata & { [callKey]: AdmittedCall })[callKey],
  };
}

function sendsOneMessage({ method: { methodKind } }: Operation): boolean {
  return methodKind === 'unary' || methodKind === 'server_streaming';
}

/**
 * Refuses a message by the length that its frame announces, before it is received. grpc-js itself knows one largest message
 * for the whole server. Runs before the listener of grpc-js, which drops the data of a call that has its status.
 */
function limitMessage(
  stream: ServerHttp2Stream,
  maxBytes: number,
  refuse: (error: DomainError) => void,
): void {
  let byteCount = 0;
  const check = (chunk: Buffer) => {
    const announced = byteCount === 0 ? announcedBytes(chunk) : 0;
    byteCount += chunk.length;
    if (announced <= maxBytes && byteCount <= maxBytes + frameBytes) return;
    stream.off('data', check);
    refuse(messageTooLarge(maxBytes));
  };
  stream.prependListener('data', check);
}

/** grpc-js decompresses up to the server's largest message, which is too much memory for callers without a token. */
function compressed(): DomainError {
  return new DomainError(
    'MEDIA_TYPE_UNSUPPORTED',
    'Compressed messages need an access token. Send the message without compression.',
  );
}

function tooSlow(): DomainError {
  return new DomainError('REQUEST_TIMEOUT', 'The message did not arrive completely in time.');
}
