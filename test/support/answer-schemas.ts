/**
 * The OpenAPI document's schemas of answers. To compile them costs more than most test files do otherwise, so those of a
 * process share them (see share-process.ts); nothing here knows who asks.
 */

import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

type Media = Record<string, { schema: object }>;
type Response = { content?: Media };
type Document = { paths: Record<string, Record<string, { responses: Record<string, Response> }>> };

const text = readFileSync(new URL('../../gen/rest/openapi.json', import.meta.url), 'utf8');

/** What an answer's schema says against its body, or that it has none; undefined when it describes the answer. */
export const findSchemaFault = createSchemaCheck(JSON.parse(text));

type Place = { httpMethod: string; path: string };

/** Validators of the document's schemas, each compiled at its first use. */
function createSchemaCheck(document: Document) {
  /** A validator sees a few answers: to shorten its code takes longer. The document is no schema itself. */
  const ajv = new Ajv2020({ strict: false, validateSchema: false, code: { optimize: false } });
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
