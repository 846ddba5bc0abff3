/** Writes an answer line by line, no faster than it is read. */

import type { ServerResponse } from 'node:http';
import type { Headers } from './http-answer.ts';

/** Media types of lines. */
export const lineTypes = { ndjson: 'application/x-ndjson', csv: 'text/csv; charset=utf-8' } as const;

/** What fails before the first line is still answered as any failure; later the connection is cut off. */
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

/** Resolves when the caller has read, or has gone. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}

function begin(response: ServerResponse, status: number, headers: Headers): void {
  response.writeHead(status, {
    'content-type': lineTypes.ndjson,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...headers,
  });
}
