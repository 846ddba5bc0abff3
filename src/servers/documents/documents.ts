/**
 * What is served as it is: the interface's description, its reference, the public keys of access tokens, and where the gRPC
 * interface is.
 */

import { readFileSync } from 'node:fs';
import type { Operations } from '../../handlers/chain/operation.ts';
import { createErrorPages } from './reference/error-pages.ts';
import { createReference } from './reference/reference.ts';
import type { StaticDocument } from './static-documents.ts';

const openapiUrl = new URL('../../../gen/rest/openapi.json', import.meta.url);

export type DocumentsOptions = {
  operations: Operations;
  basePath: string;
  /** Of the service; the version of the interface is in its protos' package. */
  version: string;
  /** Scopes whose operations need no token in this deployment. */
  publicOperations: ReadonlySet<string>;
  jwks: () => Promise<unknown>;
  /** Of the gRPC interface, once it is open. */
  grpcPort: () => number;
};

type Security = Record<string, string[]>[];

type OpenApi = {
  info: { version: string };
  servers: object[];
  paths: Record<string, Record<string, { operationId: string; security: Security }>>;
  components: { securitySchemes: { token: { flows: { clientCredentials: { tokenUrl: string } } } } };
};

export function createDocuments({
  jwks,
  grpcPort,
  ...deployed
}: DocumentsOptions): ReadonlyMap<string, StaticDocument> {
  const { basePath } = deployed;
  let described: string | undefined;
  const keys: StaticDocument = {
    contentType: 'application/json',
    body: async () => JSON.stringify(await jwks()),
  };
  const places: StaticDocument = {
    contentType: 'application/json',
    body: async () => JSON.stringify({ grpc_port: grpcPort() }),
  };
  /** Made with the first request for it: a start need not wait for what few ask for. */
  const description: StaticDocument = {
    contentType: 'application/json',
    body: async () => {
      described ??= JSON.stringify(describeDeployed(deployed));
      return described;
    },
    isCompressed: true,
  };
  const reference = createReference(basePath);
  return new Map([
    ...[...reference, ...createErrorPages(basePath)].map(
      ([path, document]) => [basePath + path, document] as const,
    ),
    [`${basePath}/openapi.json`, description],
    ['/.well-known/jwks.json', keys],
    [`${basePath}/.well-known/jwks.json`, keys],
    [`${basePath}/.well-known/personalisation`, places],
  ]);
}

/** The description as it holds for this deployment: where it is served, and what needs no token. */
function describeDeployed({
  operations,
  basePath,
  version,
  publicOperations,
}: Omit<DocumentsOptions, 'jwks' | 'grpcPort'>): OpenApi {
  const openapi: OpenApi = JSON.parse(readFileSync(openapiUrl, 'utf8'));
  openapi.info.version = version;
  openapi.servers = [{ url: basePath || '/' }];
  openapi.components.securitySchemes.token.flows.clientCredentials.tokenUrl = `${basePath}/oauth/token`;
  /** Batches need a token although recommendations may not: they name people. */
  const closed = Array.from(operations.values()).filter(({ options }) => options.neverPublic);
  const closedIds = new Set(closed.map(({ method }) => method.localName));
  for (const operation of Object.values(openapi.paths).flatMap((path) => Object.values(path))) {
    const isPublic = operation.security.some(({ token = [] }) => token.some(isOf(publicOperations)));
    if (isPublic && !closedIds.has(operation.operationId)) operation.security.unshift({});
  }
  return openapi;
}

/** Of a scope such as `searches:*`. */
function isOf(scopes: ReadonlySet<string>): (scope: string) => boolean {
  return (scope) => scopes.has(scope.split(':')[0]);
}
