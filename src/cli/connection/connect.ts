/** A connection to the service's gRPC port, with an access token on every call. */

import { readFile } from 'node:fs/promises';
import type { DescService } from '@bufbuild/protobuf';
import type { Client, Interceptor } from '@connectrpc/connect';
import { createGrpcTransport, Http2SessionManager } from '@connectrpc/connect-node';
import { createAuthorizeInterceptor } from '../../../clients/node/src/authorize.ts';
import { createServiceClient } from '../../../clients/node/src/services.ts';
import { TokenService } from '../../../gen/es/personalisation/v1/token_service_pb.js';
import { openTokens } from './credentials.ts';
import { findGrpcAddress } from './grpc-address.ts';
import type { ConnectionOptions } from './options.ts';

export type Connection = {
  /** A client of one service. Its streams have no deadline when they are called with `withoutDeadline`. */
  client<Service extends DescService>(service: Service): Client<Service>;
  close(): void;
};

/** Deadline of a call that names none. */
const timeoutMs = 30_000;

/** Call options of streams, which end when all is sent. */
export const withoutDeadline = { timeoutMs: 0 };

/** Notices a lost peer within a minute and a half. */
const keepalive = { pingIntervalMs: 60_000, pingTimeoutMs: 20_000 };

export async function connect(options: ConnectionOptions): Promise<Connection> {
  const { url, tls, ca } = options;
  const isSecure = ca !== undefined || tls || url.startsWith('https:');
  const baseUrl = `${isSecure ? 'https' : 'http'}://${await findGrpcAddress(options)}`;
  const nodeOptions = ca === undefined ? {} : { ca: await readFile(ca) };
  const sessionManager = new Http2SessionManager(baseUrl, keepalive, nodeOptions);
  const openTransport = (interceptors: Interceptor[]) =>
    createGrpcTransport({ baseUrl, interceptors, sessionManager, defaultTimeoutMs: timeoutMs });
  const close = () => sessionManager.abort();
  try {
    const tokenService = createServiceClient(TokenService, openTransport([]));
    const tokens = await openTokens(options, async (credentials) => {
      const answer = await tokenService.createToken({ grantType: 'client_credentials', ...credentials });
      return { value: answer.accessToken, lifetimeMs: answer.expiresIn * 1_000 };
    });
    const transport = openTransport([createAuthorizeInterceptor(tokens)]);
    return { client: (service) => createServiceClient(service, transport), close };
  } catch (error) {
    close();
    throw error;
  }
}

/** Connects, runs the work, and closes the connection whatever the outcome. */
export async function withConnected<T>(
  options: ConnectionOptions,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = await connect(options);
  try {
    return await work(connection);
  } finally {
    connection.close();
  }
}
