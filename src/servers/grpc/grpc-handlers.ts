/**
 * The operations as handlers of grpc-js. Messages are decoded here rather than by grpc-js, whose error for a malformed
 * message would be INTERNAL.
 */

import { type DescMethod, fromBinary, type Message, toBinary } from '@bufbuild/protobuf';
import type {
  handleBidiStreamingCall,
  handleUnaryCall,
  MethodDefinition,
  Server,
  ServerDuplexStream,
  ServerReadableStream,
  ServerWritableStream,
} from '@grpc/grpc-js';
import { DomainError } from '../../errors.ts';
import { checkAnswerSize } from '../../handlers/chain/answer-size.ts';
import type { Call } from '../../handlers/chain/call.ts';
import { toDomainError } from '../../handlers/chain/errors.ts';
import type { Operation, Operations } from '../../handlers/chain/operation.ts';
import type { Turns } from '../../ranking/runtime/slices.ts';
import { beginWork, endWork, turnOf } from '../call-lifetime.ts';
import type { FailureLog } from '../failure-log.ts';
import { maxMessageBytes, messageTooLarge } from '../message-size.ts';
import { drained, observedStream } from '../streams.ts';
import { trackUnreadStream, type UnreadAnswers } from '../unread-answers.ts';
import type { GrpcAdmission } from './grpc-admission.ts';
import { toGrpcStatus, trailersOf } from './grpc-status.ts';

export type HandlerContext = Pick<GrpcAdmission, 'admittedCallOf'> & {
  turns: Turns;
  unread: UnreadAnswers;
  logFailure: FailureLog;
};

/** Adds all services and returns their names. */
export function addServices(server: Server, operations: Operations, context: HandlerContext): string[] {
  const services = Map.groupBy(operations.values(), ({ method }) => method.parent.typeName);
  for (const members of services.values())
    server.addService(
      Object.fromEntries(members.map(({ method }) => [method.name, definitionOf(method)])),
      Object.fromEntries(members.map((operation) => [operation.method.name, handlerOf(operation, context)])),
    );
  return [...services.keys()];
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

function handlerOf(operation: Operation, context: HandlerContext) {
  return operation.kind === 'unary' ? unaryHandler(operation, context) : streamHandler(operation, context);
}

function unaryHandler(
  operation: Operation & { kind: 'unary' },
  { logFailure, admittedCallOf, turns, unread }: HandlerContext,
): handleUnaryCall<Buffer, Buffer> {
  const { method, name } = operation;
  return async (grpcCall, callback) => {
    const { call, observation, lifetime, stream } = admittedCallOf(grpcCall);
    if (!beginWork(lifetime)) return;
    const answer = async () => {
      const request = decode(operation, grpcCall.request, call);
      operation.enter(call, (request as Message & { environment?: string }).environment);
      const bytes = encode(method, await operation.handle(request, call));
      checkAnswerSize(call, bytes.length);
      trackUnreadStream(unread, { call, byteCount: bytes.length, stream });
      return bytes;
    };
    try {
      const turn = turnOf(call, grpcCall.request.length);
      callback(null, await observation.run(() => turns.run(turn, answer)), trailersOf(call));
      observation.end(name);
    } catch (thrown) {
      const error = toDomainError(thrown, call.signal);
      logFailure(error, { operation: name, call });
      callback(toGrpcStatus(error, call, operation));
      observation.end(name, error.reason);
    } finally {
      endWork(lifetime);
    }
  };
}

/** Handles server streams and streams both ways: requests as they arrive, answers no faster than they are read. */
function streamHandler(
  operation: Operation & { kind: 'stream' },
  { logFailure, admittedCallOf }: HandlerContext,
): handleBidiStreamingCall<Buffer, Buffer> {
  const { name } = operation;
  return async (grpcCall) => {
    const { call, observation, lifetime } = admittedCallOf(grpcCall);
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
      grpcCall.emit('error', toGrpcStatus(error, call, operation));
      observation.end(name, grpcCall.cancelled ? 'CLIENT_GONE' : error.reason);
    } finally {
      endWork(lifetime);
    }
  };
}

/** A server stream has its one request as a field, a stream both ways iterates over them. */
type StreamingCall =
  | ServerDuplexStream<Buffer, Buffer>
  | ServerWritableStream<Buffer, Buffer>
  | ServerReadableStream<Buffer, Buffer>;

async function* readRequests(
  operation: Operation,
  grpcCall: StreamingCall,
  call: Call,
): AsyncIterable<Message> {
  if ('request' in grpcCall) {
    yield decode(operation, grpcCall.request, call);
    return;
  }
  /** A handler that stops reading early must still be able to answer. */
  for await (const bytes of grpcCall.iterator({ destroyOnReturn: false }))
    yield decode(operation, bytes, call);
}

function decode(operation: Operation, bytes: Buffer, call: Call): Message {
  const maxBytes = maxMessageBytes(operation, call);
  if (bytes.length > maxBytes) throw messageTooLarge(maxBytes);
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
