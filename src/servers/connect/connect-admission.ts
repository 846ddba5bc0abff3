/**
 * Admission of Connect, gRPC-Web and gRPC calls on the HTTP port by their headers. Connect reads a request's body when its
 * protocol needs it. The body given to Connect admits the call first, so a refused call is neither read, decompressed nor
 * parsed, and Connect encodes the refusal as the protocol requires.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { fromJson } from '@bufbuild/protobuf';
import { Code, ConnectError, type ContextValues, createContextKey } from '@connectrpc/connect';
import type {
  Compression,
  UniversalHandler,
  UniversalServerRequest,
  UniversalServerResponse,
} from '@connectrpc/connect/protocol';
import { DomainError } from '../../errors.ts';
import type { Begun } from '../../handlers/chain/call.ts';
import type { Operation } from '../../handlers/chain/operation.ts';
import { beginWork, type CallLifetime, endWork } from '../call-lifetime.ts';
import { announcedBytes, frameBytes, maxMessageBytes, messageTooLarge } from '../message-size.ts';
import type { UnreadAnswers } from '../unread-answers.ts';

export type Arrival = {
  request: IncomingMessage;
  response?: ServerResponse;
  lifetime: CallLifetime;
  /** Set when Connect asks for the body. */
  begun?: Begun;
  /** The message was decoded and given to the operation. */
  isHandled?: boolean;
  /** The call has an error of this service. */
  isRefused?: boolean;
  /** The message exceeds the limit when it is decompressed. */
  isTooLarge?: boolean;
  /** The start of a JSON message, which is decoded again for its error. */
  chunks: Uint8Array[];
};

export const arrivalKey = createContextKey<Arrival | undefined>(undefined);

export function arrivalOf(values: ContextValues): Arrival {
  return values.get(arrivalKey)!;
}

export type ConnectAdmissionOptions = {
  begin(arrival: Arrival): Begun;
  unread: Pick<UnreadAnswers, 'check'>;
  /** Logs the failure, ends the observation and converts the error. */
  fail(thrown: unknown, operation: Operation, begun: Begun): ConnectError;
};

export type ConnectAdmission = {
  admitFirst(handler: UniversalHandler, operation: Operation): UniversalHandler;
  /** Wraps a compression, which notes at the call that a message is too large. */
  watch(compression: Compression): Compression;
};

export function createConnectAdmission(options: ConnectAdmissionOptions): ConnectAdmission {
  const arrivals = new AsyncLocalStorage<Arrival>();
  return {
    watch: ({ name, compress, decompress }) => ({
      name,
      compress,
      async decompress(bytes, readMaxBytes) {
        try {
          return await decompress(bytes, readMaxBytes);
        } catch (error) {
          const arrival = arrivals.getStore();
          if (arrival) arrival.isTooLarge = ConnectError.from(error).code === Code.ResourceExhausted;
          throw error;
        }
      },
    }),
    admitFirst(handler, operation) {
      const handle = async (request: UniversalServerRequest) => {
        const arrival = arrivalOf(request.contextValues!);
        const body = admittedBody(request, operation, arrival, options);
        /** Connect would check it before admission. */
        request.header.delete('content-length');
        try {
          const answer = await arrivals.run(arrival, async () =>
            beginAnswer(await handler({ ...request, body })),
          );
          const { begun, isHandled, isRefused } = arrival;
          if (!begun || isHandled || isRefused)
            return { ...answer, body: answer.body && observed(answer.body, operation, arrival) };
          const error = options.fail(decodeFault(operation, arrival), operation, begun);
          return await handler({ ...request, body: failing(error) });
        } catch (error) {
          end(operation, arrival);
          throw error;
        }
      };
      return Object.assign(handle, handler);
    },
  };
}

/** Waits for the first bytes of an answer, by which the message was decoded or refused. */
async function beginAnswer(answer: UniversalServerResponse): Promise<UniversalServerResponse> {
  if (answer.body === undefined || answer.body instanceof Uint8Array) return answer;
  const chunks = answer.body[Symbol.asyncIterator]();
  const { value: first, done } = await chunks.next();
  const body = (async function* () {
    if (done) return;
    yield first;
    yield* { [Symbol.asyncIterator]: () => chunks };
  })();
  return { ...answer, body };
}

/** Returns the error of a message that Connect could not decode. */
function decodeFault(operation: Operation, { isTooLarge, chunks, request }: Arrival): DomainError {
  if (isTooLarge) return messageTooLarge(maxMessageBytes(operation));
  const bytes = Buffer.concat(chunks);
  const json = isFramed(request) ? bytes.subarray(frameBytes, frameBytes + announcedBytes(bytes)) : bytes;
  let detail = '.';
  try {
    if (json.length > 0 && !isCompressed(request))
      fromJson(operation.method.input, JSON.parse(json.toString()));
  } catch (error) {
    detail = `: ${(error as Error).message}`;
  }
  return new DomainError('BODY_INVALID', `The message is not well-formed${detail}`);
}

// biome-ignore lint/correctness/useYield: reading this body fails
async function* failing(error: ConnectError): AsyncGenerator<Uint8Array> {
  throw error;
}

/** Yields the answer's bytes; the observation ends when the caller has them or has left. */
async function* observed(body: AsyncIterable<Uint8Array>, operation: Operation, arrival: Arrival) {
  try {
    yield* body;
  } finally {
    end(operation, arrival);
  }
}

/** Ends an observation that no handler has ended, because the message could not be decoded. */
function end({ name }: Operation, { begun }: Arrival): void {
  begun?.observation.end(name, 'BODY_INVALID');
}

async function admit(
  { lifetime, begun }: Arrival,
  operation: Operation,
  unread: Pick<UnreadAnswers, 'check'>,
) {
  const { call, observation } = begun!;
  beginWork(lifetime);
  try {
    unread.check(call.peer);
    await observation.run(() => operation.admit(call));
  } finally {
    endWork(lifetime);
  }
}

const contentTypeOf = ({ headers }: IncomingMessage) => headers['content-type'] ?? '';
const isJson = (request: IncomingMessage) => /\bjson\b/.test(contentTypeOf(request));
/** Whether messages have a header, as in streams and in gRPC-Web. */
const isFramed = (request: IncomingMessage) => /^application\/(grpc|connect\+)/.test(contentTypeOf(request));
const isCompressed = ({ headers }: IncomingMessage) =>
  ['content-encoding', 'connect-content-encoding', 'grpc-encoding'].some((name) => name in headers);

/** Read step by step: an iteration that ends early would destroy the request, and the answer with it. */
async function* admittedBody(
  { body }: UniversalServerRequest,
  operation: Operation,
  arrival: Arrival,
  { begin, fail, unread }: ConnectAdmissionOptions,
): AsyncGenerator<Uint8Array> {
  const { request } = arrival;
  const lengthOfBody = Number(request.headers['content-length'] ?? 0);
  const begun = begin(arrival);
  arrival.begun = begun;
  arrival.lifetime.call = begun.call;
  const refusal = (thrown: unknown): ConnectError => {
    arrival.isRefused = true;
    return fail(thrown, operation, begun);
  };
  let maxBytes = 0;
  try {
    await admit(arrival, operation, unread);
    maxBytes = maxMessageBytes(operation, begun.call);
    if (lengthOfBody > maxBytes + frameBytes) throw messageTooLarge(maxBytes);
  } catch (thrown) {
    throw refusal(thrown);
  }
  const chunks = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
  let byteCount = 0;
  for (let chunk = await chunks.next(); !chunk.done; chunk = await chunks.next()) {
    const announced = byteCount === 0 && isFramed(request) ? announcedBytes(chunk.value) : 0;
    byteCount += chunk.value.length;
    if (announced > maxBytes || byteCount > maxBytes + frameBytes) throw refusal(messageTooLarge(maxBytes));
    if (isJson(request)) arrival.chunks.push(chunk.value);
    yield chunk.value;
  }
}
