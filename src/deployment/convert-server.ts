/** The ports of a deployment file, and the limits of callers. */

import { isAbsolute, join } from 'node:path';
import { getOption } from '@bufbuild/protobuf';
import type { RateLimit, Server } from '../../gen/es/personalisation/deployment/v1/deployment_pb.js';
import { operation } from '../../gen/es/personalisation/rest/v1/options_pb.js';
import { services } from '../../gen/rest/services.ts';
import { checkEach, type Faults, within } from './checks.ts';
import type { Network, RateLimitSettings, ServerSettings } from './deployment.ts';
import { parseNetwork } from './networks.ts';

/** Operations and scopes that a limit may name. */
const operationNames = new Set(
  services.flatMap(({ methods }) =>
    methods.flatMap((method) => [`${method.parent.name}/${method.name}`, getOption(method, operation).scope]),
  ),
);

export function convertServer(server: Server | undefined, directory: string, fault: Faults): ServerSettings {
  const path = (name: string) => (isAbsolute(name) ? name : join(directory, name));
  return {
    host: server?.host || undefined,
    port: server?.port ?? 8080,
    grpcPort: server?.grpcPort ?? 50051,
    tls: server?.tls && { certificate: path(server.tls.certificate), key: path(server.tls.key) },
    corsOrigins: (server?.corsOrigins ?? []).flatMap((text, i) => {
      const origin = originOf(text);
      if (origin !== undefined) return [origin];
      fault(`/server/cors_origins/${i}`, 'Must be an origin like https://shop.example, or * for any.');
      return [];
    }),
    adminPort: server?.adminPort,
    adminHost: server?.adminHost || '127.0.0.1',
    trustedProxies: convertNetworks(server?.trustedProxies, within(fault, 'server/trusted_proxies')),
    connectionsPerPeer: server?.connectionsPerPeer ?? 4096,
    idleTimeoutMs: (server?.idleTimeoutSeconds ?? 130) * 1_000,
  };
}

export function convertNetworks(texts: readonly string[] = [], fault: Faults): Network[] {
  return texts.flatMap((text, i) => {
    const network = parseNetwork(text);
    if (!network) fault(`/${i}`, 'Must be an address or a network, e.g. 10.0.0.0/8 or 2001:db8::1.');
    return network ?? [];
  });
}

/** Returns the origin as browsers send it: lower case, without default port. Apps may have schemes of their own. */
function originOf(text: string): string | undefined {
  if (text === '*') return text;
  if (!URL.canParse(text)) return undefined;
  const { protocol, host, href } = new URL(text);
  const origin = `${protocol}//${host}`;
  const isBare = href === origin || href === `${origin}/`;
  return isBare && host !== '' && !host.includes('*') ? origin : undefined;
}

/** The default burst is the number of calls in two seconds. */
export function convertRateLimit(message: RateLimit, fault: Faults): RateLimitSettings {
  const { clientIds, operations, perSecond, burst, atOnce } = message;
  const unknown = 'Is neither an operation, e.g. SearchService/CreateSearch, nor a scope.';
  checkEach(operations, (name) => operationNames.has(name), unknown, within(fault, 'operations'));
  if (burst !== undefined && perSecond === undefined) fault('/burst', 'Needs per_second beside it.');
  return {
    clientIds: new Set(clientIds),
    operations: new Set(operations),
    perSecond,
    burst: burst ?? Math.max(1, Math.ceil(2 * (perSecond ?? 0))),
    atOnce,
  };
}
