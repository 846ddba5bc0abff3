/** gRPC as the administrator speaks it: every call carries the token. */

import type { Interceptor, Transport } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import type { TestService } from './service.ts';

/** @param baseUrl Of another node's gRPC port. */
export function createAdminTransport(
  { grpcAddress, authorization }: Pick<TestService, 'grpcAddress' | 'authorization'>,
  baseUrl: string = `http://${grpcAddress}`,
): Transport {
  const authorize: Interceptor = (next) => (request) => {
    request.header.set('authorization', authorization);
    return next(request);
  };
  return createGrpcTransport({ baseUrl, interceptors: [authorize] });
}
