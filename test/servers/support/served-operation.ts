/** One operation on every transport and real ports, with a handler of the test. */

import { randomUUID } from 'node:crypto';
import { create, getOption, type MessageInitShape } from '@bufbuild/protobuf';
import { credentials } from '@grpc/grpc-js';
import type { ExecutionContext } from 'ava';
import { operation as operationOption } from '../../../gen/es/personalisation/rest/v1/options_pb.js';
import { GetItemResponseSchema, ItemService } from '../../../gen/es/personalisation/v1/item_service_pb.js';
import { ItemServiceClient } from '../../../gen/grpc/personalisation/v1/item_service.ts';
import { routes } from '../../../gen/rest/routes.ts';
import type { Call } from '../../../src/handlers/chain/call.ts';
import type { Operation } from '../../../src/handlers/chain/operation.ts';
import { createConnectHandler } from '../../../src/servers/connect/connect.ts';
import { createFailureLog } from '../../../src/servers/failure-log.ts';
import { createGateway } from '../../../src/servers/gateway/gateway.ts';
import { createGrpcServer } from '../../../src/servers/grpc/grpc.ts';
import type { ResetBudget } from '../../../src/servers/grpc/grpc-resets.ts';
import { createHttpServer } from '../../../src/servers/http.ts';
import { createPeers } from '../../../src/servers/peer-address.ts';
import { createLogger } from '../../../src/servers/telemetry/logger.ts';
import { createUnreadAnswers, type UnreadAnswers } from '../../../src/servers/unread-answers.ts';

const method = ItemService.method.getItem;
const name = `${ItemService.typeName}/${method.name}`;

export const itemPath = '/api/e/items/t/i';
export const connectPath = `/${name}`;
export const itemRequest = { environment: 'e', item_type: 't', item_id: 'i' };

export type ServedOperation = {
  handle(call: Call): Promise<MessageInitShape<typeof GetItemResponseSchema>>;
  admit?(call: Call): Promise<void>;
  resets?: ResetBudget;
  answerBytes?: number;
  host?: string;
  unread?: UnreadAnswers;
};

/** Bounds that no test reaches by chance. */
export const anyUnread = () => createUnreadAnswers({ perPeer: 1e9, total: 1e9, keyOf: (address) => address });

/** Both ports; they close at the end of the test. */
export async function serveOperation(
  t: Pick<ExecutionContext, 'teardown'>,
  {
    handle,
    admit = async () => undefined,
    resets = { take: () => true },
    answerBytes = 4_000_000,
    unread = anyUnread(),
    host,
  }: ServedOperation,
) {
  const operation: Operation = {
    name,
    method,
    options: getOption(method, operationOption),
    admit,
    enter: () => undefined,
    kind: 'unary',
    handle: async (_request, call) => create(GetItemResponseSchema, await handle(call)),
  };
  const peers = createPeers([]);
  const answering = {
    operations: new Map([[name, operation]]),
    newRequestId: randomUUID,
    peers,
    unread,
    answerBytes,
    logFailure: createFailureLog(createLogger('silent')),
  };
  const connections = { perPeer: 1_000, peers, keyOf: (address: string) => address };
  const http = createHttpServer({
    gateway: createGateway({
      ...answering,
      routes: routes.filter(({ operation }) => operation === name),
      basePath: '/api',
      corsOrigins: [],
      limits: { bodyTimeoutMs: 60_000, maxBodyBytes: 1_000_000, answerBytes },
    }),
    connect: createConnectHandler({ ...answering, corsOrigins: [] }),
    documents: { answer: () => false },
    readiness: async () => ({ ready: true, checks: {} }),
    refuse: (_error, socket) => void socket.destroy(),
    connections,
  });
  const grpc = createGrpcServer({ ...answering, connections, messageTimeoutMs: 60_000, resets });
  const httpPort = await http.listen(0, host);
  const grpcPort = await grpc.listen(0, host);
  t.teardown(() => Promise.all([http.close(50), grpc.close(50)]));
  const grpcClient = () => {
    const client = new ItemServiceClient(`localhost:${grpcPort}`, credentials.createInsecure(), {
      'grpc.use_local_subchannel_pool': 1,
    });
    t.teardown(() => client.close());
    return client;
  };
  return { http, grpc, httpPort, grpcPort, grpcClient };
}
