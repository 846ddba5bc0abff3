/** A gRPC server with only the import streams and tokens, for answers that a real service gives too rarely. */

import { Server, ServerCredentials, type ServerDuplexStream, status } from '@grpc/grpc-js';
import {
  EventServiceService,
  type ImportEventsRequest,
} from '../../../gen/grpc/personalisation/v1/event_service.ts';
import {
  type ImportItemsRequest,
  ItemServiceService,
} from '../../../gen/grpc/personalisation/v1/item_service.ts';
import {
  type TokenServiceServer,
  TokenServiceService,
} from '../../../gen/grpc/personalisation/v1/token_service.ts';
import type { BatchAnswer } from '../../../src/cli/importing/send-batches.ts';
import type { OutgoingRecord } from '../../../src/formats/records/batches.ts';

/** The answer to a batch; `break` ends the stream like a lost connection. */
export type OnBatch = (records: OutgoingRecord[]) => Promise<BatchAnswer | 'break'> | BatchAnswer | 'break';

export type FakeService = { address: string; stop(): void };

export function acceptAll(records: OutgoingRecord[]): BatchAnswer {
  return { acceptedCount: records.length, refused: [] };
}

export async function startFakeService(onBatch: OnBatch): Promise<FakeService> {
  const server = new Server({ 'grpc.max_receive_message_length': 16 * 1_048_576 });
  const answerWith =
    <Request, Answer>(recordsOf: (request: Request) => unknown[]) =>
    async (call: ServerDuplexStream<Request, Answer>) => {
      let answer: BatchAnswer | 'break' | undefined;
      try {
        /** A destroyed call sends no status while an answer waits. */
        for await (const request of call.iterator({ destroyOnReturn: false })) {
          answer = await onBatch(recordsOf(request as Request) as OutgoingRecord[]);
          if (answer === 'break') break;
          const { acceptedCount, refused } = answer;
          const lines = refused.map((each) => ({ ...each, line: Number(each.line) }));
          /** Answers about items have no duplicates; the encoder leaves them out. */
          const message = {
            accepted_count: acceptedCount,
            refused: lines,
            older_count: 0,
            duplicate_count: 0,
            duplicate_indexes: [],
          };
          call.write(message as Answer);
        }
        if (answer !== 'break') call.end();
        else call.emit('error', { code: status.UNAVAILABLE, details: 'The connection broke.' });
      } catch (error) {
        if (!call.cancelled) throw error;
      }
    };
  const { importItems } = ItemServiceService;
  const { importEvents } = EventServiceService;
  server.addService({ importItems }, { importItems: answerWith(({ items }: ImportItemsRequest) => items) });
  server.addService(
    { importEvents },
    { importEvents: answerWith(({ events }: ImportEventsRequest) => events) },
  );
  const createToken: TokenServiceServer['createToken'] = (_call, answer) =>
    answer(null, { access_token: 'token', token_type: 'Bearer', expires_in: 60, scope: 'admin:*' });
  server.addService(TokenServiceService, { createToken });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  return { address: `127.0.0.1:${port}`, stop: () => server.forceShutdown() };
}
