/** Streaming calls of tests, in both directions. */

import { once } from 'node:events';
import { type Client, type ClientDuplexStream, credentials, Metadata } from '@grpc/grpc-js';
import {
  EventServiceClient,
  type ExportEventsResponse,
} from '../../gen/grpc/personalisation/v1/event_service.ts';
import { ItemServiceClient } from '../../gen/grpc/personalisation/v1/item_service.ts';
import type { TestService } from './service.ts';

export type StreamClients = {
  events: EventServiceClient;
  items: ItemServiceClient;
  /** With the admin's token. */
  metadata: Metadata;
  close(): void;
};

export function createStreamClients({
  grpcAddress,
  authorization,
}: Pick<TestService, 'grpcAddress' | 'authorization'>): StreamClients {
  const events = new EventServiceClient(grpcAddress, credentials.createInsecure());
  const items = new ItemServiceClient(grpcAddress, credentials.createInsecure());
  const metadata = new Metadata();
  if (authorization !== '') metadata.set('authorization', authorization);
  return {
    events,
    items,
    metadata,
    close: () => [events, items].forEach((client: Client) => void client.close()),
  };
}

/**
 * Sends the requests one after the other and returns all answers; rejects with the call's status.
 */
export async function exchangeAll<Request, Response>(
  stream: ClientDuplexStream<Request, Response>,
  requests: Iterable<Request>,
): Promise<Response[]> {
  const answers = readAll<Response>(stream);
  answers.catch(() => undefined);
  for (const request of requests) {
    if (!stream.write(request)) await Promise.race([once(stream, 'drain'), answers]);
  }
  stream.end();
  return answers;
}

export async function readAll<Response>(stream: AsyncIterable<Response>): Promise<Response[]> {
  const answers: Response[] = [];
  for await (const answer of stream) answers.push(answer);
  return answers;
}

/** Returns every stored event of an environment, as sent, with its time but without the identity that exports add. */
export async function exportEvents(
  { events, metadata }: StreamClients,
  environment: string,
): Promise<Record<string, unknown>[]> {
  const request = { environment, from: undefined, to: undefined };
  const batches = await readAll<ExportEventsResponse>(events.exportEvents(request, metadata));
  return batches.flatMap(({ json }) => json.map((text) => withoutIdentity(JSON.parse(text))));
}

function withoutIdentity({ log_position: _, event_id, ...event }: Record<string, unknown>) {
  const isDerived = /^[\w-]{22}$/.test(String(event_id));
  return isDerived ? event : { ...event, event_id };
}
