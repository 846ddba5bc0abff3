/** Writes an answer line by line, no faster than the client reads. */

import type { ServerResponse } from 'node:http';
import { drained } from '../streams.ts';
import type { Headers } from './http-answer.ts';

/** Media types of lines. */
export const lineTypes = {
  ndjson: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8',
  sse: 'text/event-stream',
} as const;

/** A failure before the first line is answered like any other; a later one closes the connection. */
export async function sendLines(
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
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...headers,
  });
  response.flushHeaders();
}
