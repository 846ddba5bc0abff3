/**
 * Admission of Connect, gRPC-Web and gRPC calls on the HTTP port by their headers. Connect reads a request's body when its
 * protocol asks for it; this stands before the body, so a refusal is written as the protocol writes errors, and nothing was
 * read, unpacked or parsed.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ConnectError, type ContextValues, createContextKey } from '@connectrpc/connect';
import type {
  UniversalHandler,
  UniversalServerRequest,
  UniversalServerResponse,
} from '@connectrpc/connect/protocol';
import { DomainError } from '../../errors.ts';
import type { Begun } from '../../handlers/chain/call.ts';
import type { Operation } from '../../handlers/chain/operation.ts';
import { beginWork, type CallLifetime, endWork } from '../call-lifetime.ts';
import { maxMessageBytes, messageTooLarge } from '../message-size.ts';
import type { UnreadAnswers } from '../unread-answers.ts';

export type Arrival = {
  request: IncomingMessage;
  response?: ServerResponse;
  lifetime: CallLifetime;
  /** Once the body is asked for. */
  begun?: Begun;
  /** Its message was read and given to the operation. */
  isHandled?: boolean;
  /** It was told an error of ours already. */
  isRefused?: boolean;
};

export const arrivalKey = createContextKey<Arrival | undefined>(undefined);

export function arrivalOf(values: ContextValues): Arrival {
  return values.get(arrivalKey)!;
}

export type ConnectAdmissionOptions = {
  begin(arrival: Arrival): Begun;
  unread: Pick<UnreadAnswers, 'check'>;
  /** Logs the failure, ends the observation, and says it as Connect does. */
  fail(thrown: unknown, operation: Operation, begun: Begun): ConnectError;
};

/** The handler behind admission. */
export function admitFirst(
  handler: UniversalHandler,
  operation: Operation,
  options: ConnectAdmissionOptions,
): UniversalHandler {
  const handle = async (request: UniversalServerRequest) => {
    const arrival = arrivalOf(request.contextValues!);
    const announcedBytes = Number(request.header.get('content-length') ?? 0);
    /** Else Connect would judge it first, in other words. */
    request.header.delete('content-length');
    const sent = request.body as AsyncIterable<Uint8Array>;
    const body = admittedBody({ sent, announcedBytes, operation, arrival }, options);
    try {
      const answer = await begunAnswer(await handler({ ...request, body }));
      const { begun, isHandled, isRefused } = arrival;
      const fault = !begun || isHandled || isRefused ? undefined : faultOf(answer, operation);
      if (fault) {
        const error = options.fail(fault, operation, begun!);
        return await handler({ ...request, body: failing(error) });
      }
      return { ...answer, body: answer.body && observed(answer.body, operation, arrival) };
    } catch (error) {
      end(operation, arrival);
      throw error;
    }
  };
  return Object.assign(handle, handler);
}

type BegunAnswer = UniversalServerResponse & { first?: Uint8Array };

/** With its first bytes, before which the message was read or could not be. */
async function begunAnswer(answer: UniversalServerResponse): Promise<BegunAnswer> {
  if (answer.body === undefined || answer.body instanceof Uint8Array) return answer;
  const chunks = answer.body[Symbol.asyncIterator]();
  const { value: first, done } = await chunks.next();
  const body = (async function* () {
    if (done) return;
    yield first;
    yield* { [Symbol.asyncIterator]: () => chunks };
  })();
  return { ...answer, body, first: first ?? undefined };
}

/** As each protocol writes a code. */
type Sign = { httpStatus: number; grpcStatus: string; text: RegExp };

/** Connect gives it a message that it cannot read. */
const internal: Sign = {
  httpStatus: 500,
  grpcStatus: '13',
  text: /^grpc-status:\s*13\b|"code":\s*"internal"/m,
};

/** Connect gives it a message whose frame says that it is too long, or that is when it is unpacked. */
const exhausted: Sign = {
  httpStatus: 429,
  grpcStatus: '8',
  text: /^grpc-status:\s*8\b|"code":\s*"resource_exhausted"/m,
};

/** Connect gives it JSON that is not of the message, and what cannot be unpacked. */
const invalid: Sign = {
  httpStatus: 400,
  grpcStatus: '3',
  text: /^grpc-status:\s*3\b|"code":\s*"invalid_argument"/m,
};

/** What was wrong with a message that Connect refused in its own words. */
function faultOf(answer: BegunAnswer, operation: Operation): DomainError | undefined {
  if (bears(answer, exhausted)) return messageTooLarge(maxMessageBytes(operation));
  const isInvalid = bears(answer, invalid);
  if (!isInvalid && !bears(answer, internal)) return undefined;
  const words = isInvalid && wordsOf(answer);
  return new DomainError('BODY_INVALID', `The message is not well-formed${words ? `: ${words}` : ''}.`);
}

/** Of JSON Connect says which field is wrong. */
function wordsOf({ first }: BegunAnswer): string | undefined {
  const [, quoted] = /"message":\s*("(?:[^"\\]|\\.)*")/.exec(Buffer.from(first ?? []).toString()) ?? [];
  return quoted && JSON.parse(quoted);
}

function bears({ status, trailer, first }: BegunAnswer, { httpStatus, grpcStatus, text }: Sign): boolean {
  if (status === httpStatus || trailer?.get('grpc-status') === grpcStatus) return true;
  return first !== undefined && text.test(Buffer.from(first).toString('latin1'));
}

// biome-ignore lint/correctness/useYield: a body of which nothing can be read
async function* failing(error: ConnectError): AsyncGenerator<Uint8Array> {
  throw error;
}

/** The answer's bytes; when the caller has them, or has gone, nothing more is observed. */
async function* observed(body: AsyncIterable<Uint8Array>, operation: Operation, arrival: Arrival) {
  try {
    yield* body;
  } finally {
    end(operation, arrival);
  }
}

/** A call whose observation goes on here was seen by no handler, because its message could not be read. */
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

type Sent = {
  sent: AsyncIterable<Uint8Array>;
  announcedBytes: number;
  operation: Operation;
  arrival: Arrival;
};

/** Of a message's frame, where the protocol has one. */
const frameBytes = 5;

/** Read step by step: left early, the request would be destroyed, and the answer with it. */
async function* admittedBody(
  { sent, announcedBytes, operation, arrival }: Sent,
  { begin, fail, unread }: ConnectAdmissionOptions,
): AsyncGenerator<Uint8Array> {
  const begun = begin(arrival);
  arrival.begun = begun;
  arrival.lifetime.call = begun.call;
  let mostBytes = maxMessageBytes(operation);
  const refusal = (thrown: unknown): ConnectError => {
    arrival.isRefused = true;
    return fail(thrown, operation, begun);
  };
  try {
    await admit(arrival, operation, unread);
    mostBytes = maxMessageBytes(operation, begun.call);
    if (announcedBytes > mostBytes + frameBytes) throw messageTooLarge(mostBytes);
  } catch (thrown) {
    throw refusal(thrown);
  }
  const chunks = sent[Symbol.asyncIterator]();
  let byteCount = 0;
  for (let chunk = await chunks.next(); !chunk.done; chunk = await chunks.next()) {
    byteCount += chunk.value.length;
    if (byteCount > mostBytes + frameBytes) throw refusal(messageTooLarge(mostBytes));
    yield chunk.value;
  }
}
