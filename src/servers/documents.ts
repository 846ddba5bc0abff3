/** What is served as it is: the interface's description, a page that shows it, and the public keys of access tokens. */

import { readFileSync } from 'node:fs';
import type { StaticDocument } from './http.ts';
import { renderReference } from './reference-page.ts';

const openapiUrl = new URL('../../gen/rest/openapi.json', import.meta.url);

export type DocumentsOptions = { basePath: string; jwks: () => Promise<unknown> };

export function createDocuments({ basePath, jwks }: DocumentsOptions): ReadonlyMap<string, StaticDocument> {
  const openapi = { ...JSON.parse(readFileSync(openapiUrl, 'utf8')), servers: [{ url: basePath || '/' }] };
  const keys: StaticDocument = {
    contentType: 'application/json',
    body: async () => JSON.stringify(await jwks()),
  };
  return new Map([
    [`${basePath}/openapi.json`, { contentType: 'application/json', body: JSON.stringify(openapi) }],
    [`${basePath}/docs`, { contentType: 'text/html; charset=utf-8', body: renderReference(openapi) }],
    ['/.well-known/jwks.json', keys],
    [`${basePath}/.well-known/jwks.json`, keys],
  ]);
}
