/** gRPC transport of the administrator: every call carries the token. */

import type { Interceptor, Transport } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import type { TestService } from './service.ts';

/**
 * @param service Read at the first call.
 * @param baseUrl The gRPC port of another node.
 */
export function createAdminTransport(
  service: Pick<TestService, 'grpcAddress' | 'authorization'>,
  baseUrl?: string,
): Transport {
  const authorize: Interceptor = (next) => (request) => {
    request.header.set('authorization', service.authorization);
    return next(request);
  };
  let transport: Transport | undefined;
  const connected = () =>
    (transport ??= createGrpcTransport({
      baseUrl: baseUrl ?? `http://${service.grpcAddress}`,
      interceptors: [authorize],
    }));
  return {
    unary: (...call) => connected().unary(...call),
    stream: (...call) => connected().stream(...call),
  };
}
