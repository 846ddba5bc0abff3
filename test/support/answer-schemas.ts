/**
 * The OpenAPI document's schemas of answers. Compiling them takes longer than most test files, so
 * the files of a process share them (see share-process.ts). They are stateless.
 */

import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

type Media = Record<string, { schema: object }>;
type Response = { content?: Media };
type Document = { paths: Record<string, Record<string, { responses: Record<string, Response> }>> };

const text = readFileSync(new URL('../../gen/rest/openapi.json', import.meta.url), 'utf8');

/** Returns the violations of a body, or a missing schema; undefined for a valid body. */
export const findSchemaFault = createSchemaCheck(JSON.parse(text));

type Place = { httpMethod: string; path: string };

/** Validators of the document's schemas, compiled at first use. */
function createSchemaCheck(document: Document) {
  /** Without code optimisation, which takes longer than the few validations. */
  const ajv = new Ajv2020({ strict: false, validateSchema: false, code: { optimize: false } });
  formats.default(ajv);
  ajv.addSchema(document, 'openapi');
  const validators = new Map<string, ValidateFunction | undefined>();
  return (route: Place | undefined, status: number, type: string, body: string): string | undefined => {
    const pointer = route ? pointerOf(document, route, status, type) : '/components/schemas/Problem';
    if (pointer === undefined) return `status and content type ${type} are not documented`;
    const validate = validators.get(pointer) ?? ajv.compile({ $ref: `openapi#${pointer}` });
    validators.set(pointer, validate);
    /** The document describes lines as one text. */
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
