/** Checks every answer of the HTTP servers of a test process against the OpenAPI document. */

import diagnostics from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { routes } from '../../gen/rest/routes.ts';
import { createRouter } from '../../src/servers/gateway/router.ts';
import { findSchemaFault } from './answer-schemas.ts';

export type AnswerCheck = {
  /** Ends the check. Throws with the answers that the document does not describe. */
  finish(): void;
};

const maxFaults = 5;
const router = createRouter(
  routes.map((route) => ({ route })),
  '/api',
);

/** Starts checking the answers below `/api`. */
export function startAnswerCheck(): AnswerCheck {
  const faults: string[] = [];
  const watch = (message: unknown) => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    whenSent(response, (type, body) => {
      const { method = '', url: path = '' } = request;
      const answer = { status: response.statusCode, contentType: type, body };
      const fault = findAnswerFault({ method, path }, answer);
      if (fault !== undefined && faults.length < maxFaults) faults.push(fault);
    });
  };
  diagnostics.subscribe('http.server.request.start', watch);
  return {
    finish() {
      diagnostics.unsubscribe('http.server.request.start', watch);
      if (faults.length > 0)
        throw new Error(`Answers that openapi.json does not describe:\n${faults.join('\n')}`);
    },
  };
}

/** Node's diagnostics report neither bodies nor directly written headers. */
function whenSent(response: ServerResponse, take: (contentType: string, body: string) => void): void {
  const chunks: Buffer[] = [];
  let contentType = '';
  const keep = (chunk: unknown) => {
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
  };
  const { writeHead, write, end } = response;
  response.writeHead = ((...given: Parameters<typeof writeHead>) => {
    const headers = given.at(-1);
    if (typeof headers === 'object' && 'content-type' in headers)
      contentType = String(headers['content-type']);
    return writeHead.apply(response, given);
  }) as typeof writeHead;
  response.write = ((...given: Parameters<typeof write>) => {
    keep(given[0]);
    return write.apply(response, given);
  }) as typeof write;
  response.end = ((...given: Parameters<typeof end>) => {
    keep(given[0]);
    take(contentType, Buffer.concat(chunks).toString());
    return end.apply(response, given);
  }) as typeof end;
}

export type CheckedAnswer = { status: number; contentType: string; body: string };

/**
 * Returns the part of an answer that the document does not describe; undefined if there is none.
 */
export function findAnswerFault(
  { method, path }: { method: string; path: string },
  { status, contentType, body }: CheckedAnswer,
): string | undefined {
  if (method === 'HEAD' || !contentType.includes('json')) return undefined;
  const match = router.match(method, path.split('?')[0]);
  const route = match.kind === 'found' ? match.target.route : undefined;
  if (route === undefined && !contentType.includes('problem+json')) return undefined;
  const found = findSchemaFault(route, status, contentType.split(';')[0], body);
  return found && `${method} ${path} ${status}: ${found}; ${body.slice(0, 500)}`;
}
