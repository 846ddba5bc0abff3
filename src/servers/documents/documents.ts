/** Public documents: the OpenAPI description, the reference, error pages, the token keys and the gRPC port. */

import { readFileSync } from 'node:fs';
import type { Operations } from '../../handlers/chain/operation.ts';
import { createErrorPages } from './reference/error-pages.ts';
import { createReference } from './reference/reference.ts';
import type { StaticDocument } from './static-documents.ts';

export type DocumentsOptions = {
  operations: Operations;
  basePath: string;
  version: string;
  /** Folder that holds `gen` and `build`: the repository or `dist`. */
  root: URL;
  /** Scopes with operations that need no token in this deployment. */
  publicOperations: ReadonlySet<string>;
  jwks: () => Promise<unknown>;
  /** Returns the number of the gRPC port, 0 before it is open. */
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
  /** Created by the first request, which keeps the start short. */
  const description: StaticDocument = {
    contentType: 'application/json',
    body: async () => {
      described ??= JSON.stringify(describeDeployed(deployed));
      return described;
    },
    isCompressed: true,
  };
  const reference = createReference(deployed.root);
  return new Map([
    ...[...reference, ...createErrorPages()].map(([path, document]) => [basePath + path, document] as const),
    [`${basePath}/openapi.json`, description],
    ['/.well-known/jwks.json', keys],
    [`${basePath}/.well-known/jwks.json`, keys],
    [`${basePath}/.well-known/personalisation`, places],
  ]);
}

/** Returns the OpenAPI document with this deployment's address and public operations. */
function describeDeployed(options: Omit<DocumentsOptions, 'jwks' | 'grpcPort'>): OpenApi {
  const { operations, basePath, version, root, publicOperations } = options;
  const openapi: OpenApi = JSON.parse(readFileSync(new URL('gen/rest/openapi.json', root), 'utf8'));
  openapi.info.version = version;
  openapi.servers = [{ url: basePath || '/' }];
  openapi.components.securitySchemes.token.flows.clientCredentials.tokenUrl = `${basePath}/oauth/token`;
  /** Batches always need a token, even where recommendations are public: they name subjects. */
  const closed = Array.from(operations.values()).filter(({ options }) => options.neverPublic);
  const closedIds = new Set(closed.map(({ method }) => method.localName));
  for (const operation of Object.values(openapi.paths).flatMap((path) => Object.values(path))) {
    const isPublic = operation.security.some(({ token = [] }) => token.some(isOf(publicOperations)));
    if (isPublic && !closedIds.has(operation.operationId)) operation.security.unshift({});
  }
  return openapi;
}

/** Tests scopes such as `searches:*`. */
function isOf(scopes: ReadonlySet<string>): (scope: string) => boolean {
  return (scope) => scopes.has(scope.split(':')[0]);
}
