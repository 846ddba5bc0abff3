/** A connection to the service's gRPC port, with an access token on every call. */

import { readFile } from 'node:fs/promises';
import {
  type CallOptions,
  type ChannelCredentials,
  type Client,
  type ClientOptions,
  credentials as channel,
  Metadata,
  type ServiceError,
} from '@grpc/grpc-js';
import { TokenServiceClient } from '../../../gen/grpc/personalisation/v1/token_service.ts';
import { readCredentials } from './credentials.ts';
import { sayingSource } from './failure.ts';
import { findGrpcAddress } from './grpc-address.ts';
import type { ConnectionOptions } from './options.ts';

type ClientConstructor<Service> = new (
  address: string,
  credentials: ChannelCredentials,
  options?: Partial<ClientOptions>,
) => Service;

export type Connection = {
  address: string;
  /** A typed client of one service, closed with the connection. */
  client<Service extends Client>(Constructor: ClientConstructor<Service>): Service;
  /** Carries the access token. */
  metadata: Metadata;
  close(): void;
};

/** Time for an answer to a call that is not a stream. */
const timeoutMs = 30_000;

/** Answers hold batches of whole items; a dead peer is noticed within a minute and a half. */
const channelOptions: Partial<ClientOptions> = {
  'grpc.max_receive_message_length': 64 * 1_048_576,
  'grpc.keepalive_time_ms': 60_000,
  'grpc.keepalive_timeout_ms': 20_000,
};

export async function connect(options: ConnectionOptions): Promise<Connection> {
  const address = await findGrpcAddress(options);
  const transport = await openTransport(options);
  const clients: Client[] = [];
  const connection: Connection = {
    address,
    metadata: new Metadata(),
    client(Constructor) {
      const client = new Constructor(address, transport, channelOptions);
      clients.push(client);
      return client;
    },
    close() {
      for (const client of clients) client.close();
    },
  };
  try {
    connection.metadata.set('authorization', `Bearer ${await fetchToken(connection, options)}`);
  } catch (error) {
    connection.close();
    throw error;
  }
  return connection;
}

/** Connects, does the work, and closes whatever comes of it. */
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

type UnaryCall<Answer> = (
  options: Partial<CallOptions>,
  callback: (error: ServiceError | null, answer: Answer) => void,
) => unknown;

/** The answer of a unary rpc: `ask((options, callback) => client.getItem(request, metadata, options, callback))`. */
export function ask<Answer>(call: UnaryCall<Answer>, longestMs = timeoutMs): Promise<Answer> {
  return new Promise((resolve, reject) => {
    call({ deadline: Date.now() + longestMs }, (error, answer) => (error ? reject(error) : resolve(answer)));
  });
}

async function openTransport({ url, tls, ca }: ConnectionOptions): Promise<ChannelCredentials> {
  if (ca !== undefined) return channel.createSsl(await readFile(ca));
  return tls || url.startsWith('https:') ? channel.createSsl() : channel.createInsecure();
}

async function fetchToken(connection: Connection, options: ConnectionOptions): Promise<string> {
  const given = options.token ?? process.env.PERSONALISATION_TOKEN;
  if (given !== undefined) return given;
  const { clientId, clientSecret, source } = await readCredentials(options);
  const request = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
  const tokens = connection.client(TokenServiceClient);
  const { access_token } = await ask<{ access_token: string }>((call, callback) =>
    tokens.createToken(request, new Metadata(), call, callback),
  ).catch((error) => {
    throw sayingSource(error, source);
  });
  return access_token;
}
