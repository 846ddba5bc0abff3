/** Creates clients of a tested service, as an administrator. */

import { createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { ClientKind } from '../../../gen/es/personalisation/v1/client_pb.js';
import { ClientService } from '../../../gen/es/personalisation/v1/client_service_pb.js';
import { requestToken, type TestService } from '../../support/service.ts';

export type Clients = {
  /** A client with its id, its secret and an access token. */
  create(...scopes: string[]): Promise<{ clientId: string; clientSecret: string; authorization: string }>;
  createWriteKey(key: { scopes: string[]; origins: string[] }): Promise<string>;
  disable(clientId: string): Promise<void>;
};

export function createClients({
  baseUrl,
  authorization,
}: Pick<TestService, 'baseUrl' | 'authorization'>): Clients {
  const transport = createConnectTransport({ baseUrl: new URL(baseUrl).origin, httpVersion: '1.1' });
  const service = createClient(ClientService, transport);
  const options = { headers: { authorization } };
  return {
    async create(...scopes) {
      const wanted = { kind: ClientKind.CONFIDENTIAL, name: 'test', scopes };
      const { client, clientSecret } = await service.createClient({ client: wanted }, options);
      const credentials = { clientId: client!.clientId, clientSecret };
      return { ...credentials, authorization: `Bearer ${await requestToken(baseUrl, credentials)}` };
    },
    async createWriteKey(key) {
      const wanted = { kind: ClientKind.WRITE_KEY, name: 'pages', ...key };
      const { client } = await service.createClient({ client: wanted }, options);
      return client!.clientId;
    },
    async disable(clientId) {
      await service.disableClient({ clientId }, options);
    },
  };
}
