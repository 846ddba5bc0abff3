/** Acknowledged data is stored once, even if the service and then its database are killed. */

import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import { createJsonClient } from '../support/json-client.ts';
import { createStreamClients, exportEvents } from '../support/rpc-streams.ts';
import { type ServedProcess, startServedProcess } from '../support/served-process.ts';
import { createShop, idsOf, type Shop, series } from './support/shops.ts';

const environment = 'shop';
const deployment = `environments: [ { name: ${environment}, item_types: [ { name: article } ], timeout_ms: 60000 } ]`;
const eventCount = 400;
const senderCount = 25;

let service: ServedProcess;

test.before(async () => {
  service = await startServedProcess({ deployment });
});

test.after.always(() => service?.remove());

/** Sends the event repeatedly with the same event id until it is acknowledged. */
async function deliver(event: object): Promise<void> {
  while (true) {
    const answer = await createJsonClient(service)
      .post(`/${environment}/events`, { events: [event] })
      .catch(() => undefined);
    if (answer?.status === 200) return;
    if (answer !== undefined && answer.status !== 503) throw new Error(JSON.stringify(answer.body));
    await delay(100);
  }
}

/** Delivers all events of a device: one after the other, or by several senders. */
async function deliverAll(device: string, senders: number, onDelivered: () => void): Promise<void> {
  let next = 0;
  const send = async () => {
    while (next < eventCount) {
      const place = next++;
      await deliver({
        event_type: 'page_visit',
        page_type: 'home',
        device_id: device,
        event_id: `${device} ${place}`,
        place,
      });
      onDelivered();
    }
  };
  await Promise.all(Array.from({ length: senders }, send));
}

/** After each part of the events, the next process is killed. */
function interruptions(): { onDelivered(): void; finished(): Promise<void> } {
  const part = Math.floor(eventCount / (killers.length + 1));
  let delivered = 0;
  let running: Promise<void> = Promise.resolve();
  return {
    onDelivered() {
      delivered += 1;
      const kill = delivered % part === 0 ? killers[delivered / part - 1] : undefined;
      if (kill) running = running.then(kill);
    },
    finished: () => running,
  };
}

async function storedPlaces(device: string): Promise<number[]> {
  const rpc = createStreamClients(service);
  const events = await exportEvents(rpc, environment);
  rpc.close();
  const own = events.filter(({ device_id }) => device_id === device);
  return own.map(({ place }) => place as number).sort((a, b) => a - b);
}

const killers: (() => Promise<void>)[] = [
  async () => {
    await service.kill();
    await service.restart();
  },
  async () => service.killDatabase(),
];

for (const senders of [1, senderCount]) {
  test.serial(
    `${eventCount} events by ${senders} sender(s) are stored once while the service, and then its database, are killed and restarted`,
    async (t) => {
      const device = randomUUID();
      const { onDelivered, finished } = interruptions();
      await deliverAll(device, senders, onDelivered);
      await finished();
      await deliver({ event_type: 'page_visit', page_type: 'home', device_id: 'after' });
      t.deepEqual(
        await storedPlaces(device),
        Array.from({ length: eventCount }, (_, i) => i),
      );
    },
  );
}

test.serial('a list, a history and a configuration outlive the service', async (t) => {
  const before: Shop = createShop(service, environment);
  await before.stock('article', series('a', 10));
  const id = await before.configure({});
  const user = randomUUID();
  const lists = [{ configuration_id: id, list_name: 'l', list_size: 10 }];
  const made = await before.ask({ user_id: user, lists });
  await before.track({ event_type: 'detail_pageview', user_id: user, action_item: 'a3' });
  await service.kill();
  await service.restart();
  const after = createShop(service, environment);
  t.deepEqual(idsOf(await after.page(made.body.lists[0].list_key, 1, 10)), idsOf(made));
  const ids = await after.list({ configuration_id: id }, { user_id: user });
  t.is(ids.length, 9);
  t.false(ids.includes('a3'));
});
