/** Writes an answer line by line, no faster than the client reads. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Message } from '@bufbuild/protobuf';
import { peek } from '../../formats/records/reading/rows.ts';
import type { Call } from '../../handlers/chain/call.ts';
import type { Operation } from '../../handlers/chain/operation.ts';
import { drained } from '../streams.ts';
import type { Endpoint } from './endpoint.ts';
import { type Headers, sendUnchanged } from './http-answer.ts';
import { etagOf, isUnchanged } from './http-etag.ts';

/** Media types of lines. */
const lineTypes = {
  ndjson: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8',
  sse: 'text/event-stream',
} as const;

type Stream = Extract<Operation, { kind: 'stream' }>;

type Exchange = {
  message: Message;
  call: Call;
  request: IncomingMessage;
  response: ServerResponse;
  headers: Headers;
};

/** Answers with the lines of a stream; the first message may tell their type and version. */
export async function sendStream(
  { responseField }: Endpoint,
  operation: Stream,
  { message, call, request, response, headers }: Exchange,
): Promise<void> {
  const { contentTypeField, outcomes } = operation.options;
  const answers = answersOf(operation, message, call);
  const { first, all } = await peek(answers, () => true);
  const etag = first && etagOf(operation, first);
  if (etag !== undefined) headers.etag = `W/${etag}`;
  if (isUnchanged(request, etag)) {
    await answers.return(undefined);
    return sendUnchanged(response, headers);
  }
  const lines = async function* () {
    for await (const answer of all) yield readField(answer, responseField!.local) as string[];
  };
  const told = operation.method.output.fields.find(({ name }) => name === contentTypeField);
  const type = told && first ? String(readField(first, told.localName)) : lineTypeOf(operation, message);
  await sendLines(response, outcomes[0]?.status ?? 200, lines(), { ...headers, 'content-type': type });
}

const readField = (message: Message, name: string) => (message as unknown as Record<string, unknown>)[name];

async function* answersOf(operation: Stream, message: Message, call: Call) {
  const requests = async function* () {
    yield message;
  };
  yield* operation.handle(requests(), call);
}

function lineTypeOf({ options, method }: Stream, message: Message): string {
  const field = method.input.fields.find(({ name }) => name === options.formatField);
  const format = field && readField(message, field.localName);
  return lineTypes[format as keyof typeof lineTypes] ?? lineTypes.ndjson;
}

/** A failure before the first line is answered like any other; a later one closes the connection. */
async function sendLines(
  response: ServerResponse,
  status: number,
  parts: AsyncIterable<readonly string[]>,
  headers: Headers,
): Promise<void> {
  for await (const lines of parts) {
    if (response.destroyed) return;
    if (!response.headersSent) begin(response, status, headers);
    if (lines.length > 0 && !response.write(`${lines.join('\n')}\n`)) await drained(response);
  }
  if (!response.headersSent) begin(response, status, headers);
  response.end();
}

function begin(response: ServerResponse, status: number, headers: Headers): void {
  response.writeHead(status, {
    'content-type': lineTypes.ndjson,
    'cache-control': headers.etag ? 'no-cache' : 'no-store',
    'x-content-type-options': 'nosniff',
    ...headers,
  });
  response.flushHeaders();
}
