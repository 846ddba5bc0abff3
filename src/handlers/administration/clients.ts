import { ClientKind, ClientSchema } from '../../../gen/es/personalisation/v1/client_pb.js';
import { ClientService } from '../../../gen/es/personalisation/v1/client_service_pb.js';
import type { Client, Clients } from '../../security/clients.ts';
import { implement } from '../chain/implement.ts';
import { notFound } from '../chain/refuse.ts';
import { actorOf } from '../messages/actor.ts';
import { readMessages } from '../messages/pages.ts';
import { timeOf } from '../messages/values.ts';

const pageLimits = { usual: 100, most: 1_000 };

export function createClientHandlers({ clients }: { clients: Clients }) {
  return implement(ClientService, {
    async createClient(request, call) {
      const { kind, name, scopes, origins } = request.client!;
      const { clientId, clientSecret } =
        kind === ClientKind.WRITE_KEY
          ? {
              clientId: await clients.createWriteKey({ name, scopes, origins }, actorOf(call)),
              clientSecret: '',
            }
          : await clients.createClient({ name, scopes }, actorOf(call));
      return { client: clientMessage((await clients.find(clientId))!), clientSecret };
    },
    listClients: (page, call) =>
      readMessages('clients', page, call, {
        kinds: ['string'],
        list: (limit, after) => clients.list(limit, after?.[0]),
        keyOf: ({ clientId }) => [clientId],
        chosen: ['clients'],
        limits: pageLimits,
        schema: ClientSchema,
        messageOf: clientMessage,
      }),
    async disableClient({ clientId }, call) {
      if (await clients.disable(clientId, actorOf(call))) return {};
      throw notFound('CLIENT_UNKNOWN', 'client', clientId, { client_id: clientId });
    },
  });
}

function clientMessage({ clientId, kind, name, scopes, origins, createdAt, disabledAt }: Client) {
  return {
    clientId,
    kind: kind === 'write_key' ? ClientKind.WRITE_KEY : ClientKind.CONFIDENTIAL,
    name,
    scopes: [...scopes],
    origins: [...origins],
    createTime: timeOf(createdAt),
    disableTime: timeOf(disabledAt),
  };
}
