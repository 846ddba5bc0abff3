/** The generated TypeScript: data only, so that it runs as it is. */

import type { DescService } from '@bufbuild/protobuf';
import type { Route } from '../../gen/rest/routes.ts';
import type { ReasonPage } from './error-reasons.ts';

const routeType = `/** One path of the HTTP interface, relative to the base path. */
export type Route = {
  readonly httpMethod: 'GET' | 'PUT' | 'POST' | 'DELETE' | 'PATCH';
  /** Literals and \`{field}\`s of the request message. */
  readonly path: string;
  /** The rpc, e.g. \`personalisation.v1.ItemService/PutItem\`. */
  readonly operation: string;
  /** Field of the request message that is the body; \`*\` for the message itself, empty for no body. */
  readonly body: string;
  /** Field of the response message that is the body; empty for the message itself. */
  readonly responseField: string;
  readonly scope: string;
  readonly writeKey: boolean;
  readonly form: boolean;
  readonly bodyOptional: boolean;
  readonly partialField: string;
  readonly maxBodyBytes: number;
};`;

/** The route table. */
export function printRoutes(routes: readonly Route[]): string {
  const rows = routes.map((route) => `  ${JSON.stringify(route)},`);
  return [routeType, '', 'export const routes: readonly Route[] = [', ...rows, '];'].join('\n');
}

/** All services, for readers of their descriptors. */
export function printServices(services: readonly DescService[]): string {
  const imports = services.map(
    (service) => `import { ${service.name} } from '../es/${service.file.name}_pb.js';`,
  );
  return [
    "import type { DescService } from '@bufbuild/protobuf';",
    ...imports,
    '',
    `export const services: readonly DescService[] = [${services.map((service) => service.name).join(', ')}];`,
  ].join('\n');
}

const reasonType = `/** The documentation of an error reason. */
export type ReasonPage = {
  readonly reason: string;
  /** Default status, which an operation may override. */
  readonly httpStatus: number;
  /** google.rpc.Code. */
  readonly grpcCode: number;
  readonly cause: string;
  readonly fix: string;
  readonly example: string;
};`;

/** The error reasons, in the order of their numbers. */
export function printReasonPages(pages: readonly ReasonPage[]): string {
  const rows = pages.map((page) => `  ${JSON.stringify(page)},`);
  return [reasonType, '', 'export const reasonPages: readonly ReasonPage[] = [', ...rows, '];'].join('\n');
}
