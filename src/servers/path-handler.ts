/** Parts of the HTTP port, each for the paths that it handles. */

import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';

export type PathHandler = {
  handles(path: string): boolean;
  handle(request: IncomingMessage, response: ServerResponse): void;
};

/** Sends a whole answer, to a request without a body. */
export function sendBody(
  response: ServerResponse,
  status: number,
  body: string | Buffer,
  headers: OutgoingHttpHeaders,
): void {
  response.writeHead(status, {
    'content-length': Buffer.byteLength(body),
    'x-content-type-options': 'nosniff',
    ...headers,
  });
  response.end(body);
}
