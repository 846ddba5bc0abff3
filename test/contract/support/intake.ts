/** Event intake of a running service: sending over HTTP, and reading stored events. */

import { randomUUID } from 'node:crypto';
import { type Answer, createJsonClient, type JsonClient } from '../../support/json-client.ts';
import { createStreamClients, exportEvents } from '../../support/rpc-streams.ts';
import { startTestService, type TestService } from '../../support/service.ts';

export type Event = Record<string, unknown>;

export type Accepted = {
  accepted_count: number;
  duplicate_count: number;
  duplicate_indexes: number[];
  refused: { index: number; errors: { pointer: string; detail: string }[] }[];
};

/** Environment `shop`, and `registered` with registries of each strictness. */
const deployment = `
environments:
  - name: shop
    item_types: [ { name: article } ]
  - name: registered
    item_types: [ { name: article } ]
    page_types: { values: [home], on_unknown: reject }
    channels: { values: [web], on_unknown: warn }
    list_names: { values: [top], on_unknown: accept }
    event_bounds: { largest_revenue: 20000000 }
    placeholder_ids: { values: [Nobody] }
`;

export type Intake = {
  service: TestService;
  http: JsonClient;
  /** @param query e.g. `?partial=true`. */
  send(events: unknown, query?: string, environment?: string): Promise<Answer<Accepted>>;
  /** Stored events of a device. */
  storedOf(deviceId: string, environment?: string): Promise<Event[]>;
  stop(): Promise<void>;
};

export async function startIntake(): Promise<Intake> {
  const service = await startTestService({ teardown: () => undefined }, deployment);
  const http = createJsonClient(service);
  const rpc = createStreamClients(service);
  return {
    service,
    http,
    send: (events, query = '', environment = 'shop') =>
      http.post(`/${environment}/events${query}`, { events }),
    storedOf: async (deviceId, environment = 'shop') =>
      (await exportEvents(rpc, environment)).filter(({ device_id }) => device_id === deviceId),
    async stop() {
      rpc.close();
      await service.stop();
    },
  };
}

/** Tests of a file run concurrently, each with its own device. */
export const newDevice = () => `device ${randomUUID()}`;

/** The simplest valid event. */
export const visit = (rest: Event = {}): Event => ({
  event_type: 'page_visit',
  page_type: 'home',
  device_id: 'd',
  ...rest,
});
