/** Holds every answer of the HTTP servers of a test process against the OpenAPI document, whoever asked for it. */

import diagnostics from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { routes } from '../../gen/rest/routes.ts';
import { createRouter } from '../../src/rest/router.ts';

export type AnswerCheck = {
  /** Ends the check. Throws with the answers that the document does not describe. */
  finish(): void;
};

type Media = Record<string, { schema: object }>;
type Response = { content?: Media };
type Document = { paths: Record<string, Record<string, { responses: Record<string, Response> }>> };

const maxFaults = 5;
const text = readFileSync(new URL('../../gen/rest/openapi.json', import.meta.url), 'utf8');
const router = createRouter(
  routes.map((route) => ({ route })),
  '/api',
);
const check = createSchemaCheck(JSON.parse(text));

/** Checks from now on what is answered below `/api`. */
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

/** Node says when an answer begins and ends, not what it holds, nor the headers that are written at once. */
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

/** What the document does not describe of an answer; undefined when it describes all. */
export function findAnswerFault(
  { method, path }: { method: string; path: string },
  { status, contentType, body }: CheckedAnswer,
): string | undefined {
  if (method === 'HEAD' || !contentType.includes('json')) return undefined;
  const match = router.match(method, path.split('?')[0]);
  const route = match.kind === 'found' ? match.target.route : undefined;
  if (route === undefined && !contentType.includes('problem+json')) return undefined;
  const found = check(route, status, contentType.split(';')[0], body);
  return found && `${method} ${path} ${status}: ${found}; ${body.slice(0, 500)}`;
}

type Place = { httpMethod: string; path: string };

/** Validators of the document's schemas, each compiled at its first use. */
function createSchemaCheck(document: Document) {
  const ajv = new Ajv2020({ strict: false });
  formats.default(ajv);
  ajv.addSchema(document, 'openapi');
  const validators = new Map<string, ValidateFunction | undefined>();
  return (route: Place | undefined, status: number, type: string, body: string): string | undefined => {
    const pointer = route ? pointerOf(document, route, status, type) : '/components/schemas/Problem';
    if (pointer === undefined) return `status and content type ${type} are not documented`;
    const validate = validators.get(pointer) ?? ajv.compile({ $ref: `openapi#${pointer}` });
    validators.set(pointer, validate);
    /** Lines are one text to the document. */
    const answer: unknown = type === 'application/x-ndjson' ? body : JSON.parse(body);
    return validate(answer) ? undefined : ajv.errorsText(validate.errors);
  };
}

function pointerOf(document: Document, { httpMethod, path }: Place, status: number, type: string) {
  const { responses } = document.paths[path][httpMethod.toLowerCase()];
  const name = String(status) in responses ? String(status) : status < 400 ? undefined : 'default';
  if (name === undefined || responses[name].content?.[type] === undefined) return undefined;
  const segments = ['paths', path, httpMethod.toLowerCase(), 'responses', name, 'content', type, 'schema'];
  const escaped = segments.map((segment) => segment.replaceAll('~', '~0').replaceAll('/', '~1'));
  return `/${escaped.map(encodeURIComponent).join('/')}`;
}
