/** gRPC as the administrator speaks it: every call carries the token. */

import type { Interceptor, Transport } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import type { TestService } from './service.ts';

/**
 * @param service Is read at the first call.
 * @param baseUrl Of another node's gRPC port.
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
