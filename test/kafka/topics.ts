/** Topics of a real broker, whose address is in TEST_KAFKA. Run by `npm run test:kafka`. */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { create, toBinary } from '@bufbuild/protobuf';
import { Admin, Consumer, type Message, Producer } from '@platformatic/kafka';
import { EventSchema, EventType } from '../../gen/es/personalisation/v1/event_pb.js';
import { ItemSchema } from '../../gen/es/personalisation/v1/item_pb.js';
import { createJsonClient } from '../support/json-client.ts';
import { createStreamClients, exportEvents } from '../support/rpc-streams.ts';
import { type ServedProcess, startServedProcess } from '../support/served-process.ts';

const broker = process.env.TEST_KAFKA!;
/** Topics of this run, so that a broker may be used again. */
const run = randomUUID().slice(0, 8);
const topicOf = (name: string) => `${run}.${name}`;
const common = { clientId: 'test', bootstrapBrokers: [broker] };
const admin = new Admin(common);
const producer = new Producer(common);
let service: ServedProcess;

const deploymentOf = (brokers: string) => `
environments:
  - name: shop
    item_types: [ { name: product, properties: [ { name: price, type: number } ] } ]
    changed_tables: [ { table: goods, item_type: product, mapping: { items: { item_id: id, title: name } } } ]
kafka:
  brokers: ["${brokers}"]
  group: ${run}
  dead_letter_topic: ${topicOf('dead')}
  topics:
    - { topic: ${topicOf('events')}, environment: shop, kind: events }
    - { topic: ${topicOf('binary-events')}, environment: shop, kind: events, format: protobuf }
    - { topic: ${topicOf('items')}, environment: shop, kind: items }
    - { topic: ${topicOf('binary-items')}, environment: shop, kind: items, format: protobuf }
    - { topic: ${topicOf('rows')}, environment: shop, kind: items, format: debezium }
    - { topic: ${topicOf('late')}, environment: shop, kind: events }
  publish:
    - { topic: ${topicOf('out')}, environment: shop }
`;

before(async () => {
  const once = ['binary-events', 'items', 'binary-items', 'rows', 'dead', 'out'].map(topicOf);
  await admin.createTopics({ topics: once, partitions: 1, replicas: 1 });
  await admin.createTopics({ topics: [topicOf('events')], partitions: 3, replicas: 1 });
  service = await startServedProcess({ deployment: deploymentOf(broker) });
});
after(async () => {
  await service?.remove();
  await producer.close(true);
  await admin.close();
});

const send = async (name: string, values: (Uint8Array | string)[]): Promise<void> => {
  const messages = values.map((value, i) => ({
    topic: topicOf(name),
    key: Buffer.from(String(i)),
    value: Buffer.from(value),
  }));
  await producer.send({ messages, acks: -1 });
};

const visit = (item: string, rest: object = {}) =>
  JSON.stringify({ event_type: 'purchase', action_item: item, device_id: 'd', ...rest });

async function storedItems(prefix: string): Promise<string[]> {
  const rpc = createStreamClients(service);
  try {
    const events = await exportEvents(rpc, 'shop');
    return events.map(({ action_item }) => String(action_item)).filter((item) => item.startsWith(prefix));
  } finally {
    rpc.close();
  }
}

/** Waits until the value is found; the runner's time limit ends a wait in vain. */
async function eventually<T>(find: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await find().catch(() => undefined);
    if (found !== undefined) return found;
    await delay(250);
  }
}

const untilStored = (prefix: string, count: number) =>
  eventually(async () => {
    const stored = await storedItems(prefix);
    return stored.length >= count ? stored : undefined;
  });

/** Reads a topic from its start until `isDone`. */
async function readUntil(name: string, isDone: (record: Message) => boolean): Promise<Message[]> {
  const consumer = new Consumer({ ...common, groupId: randomUUID() });
  const stream = await consumer.consume({ topics: [topicOf(name)], mode: 'earliest', autocommit: false });
  const records: Message[] = [];
  for await (const record of stream) {
    records.push(record);
    if (isDone(record)) break;
  }
  await consumer.close(true);
  return records;
}

test('events are stored exactly once although the service is killed', { timeout: 240_000 }, async () => {
  const total = 6_000;
  let sentCount = 0;
  const sending = (async () => {
    while (sentCount < total) {
      const batch = Array.from({ length: 200 }, (_, i) => {
        const n = sentCount + i;
        /** Half of them have an id, by which the service knows repetitions. */
        return visit(`once-${n}`, n % 2 === 0 ? {} : { event_id: `${run}-${n}` });
      });
      await send('events', batch);
      sentCount += batch.length;
      await delay(20);
    }
  })();
  for (let kills = 0; kills < 3; kills++) {
    await untilStored('once-', (kills + 1) * 700);
    await service.kill();
    await service.restart();
  }
  await sending;
  await untilStored('once-', total);
  /** Records that would be stored twice follow within the next fetches. */
  await send('events', [visit('last-0'), visit('last-1'), visit('last-2')]);
  await untilStored('last-', 3);
  const stored = await storedItems('once-');
  assert.equal(stored.length, total);
  assert.equal(new Set(stored).size, total);
});

test('faulty records go to the dead-letter topic and block nothing', { timeout: 120_000 }, async () => {
  const faulty = ['{', visit('', {}), JSON.stringify({ event_type: 'nonsense' }), 'x'.repeat(1_100_000)];
  await send('events', [...faulty.slice(0, 3), visit('after-fault')]);
  await untilStored('after-fault', 1);
  let left = 3;
  const letters = await readUntil('dead', () => --left === 0);
  const values = letters.map(({ value }) => value.toString()).sort();
  assert.deepEqual(values, faulty.slice(0, 3).sort());
  const [{ headers }] = letters;
  const names = [...headers.keys()].map(String).sort();
  assert.deepEqual(names, ['offset', 'partition', 'reason', 'topic']);
});

test('protobuf events, items in each format and changes of rows are stored', {
  timeout: 120_000,
}, async () => {
  const event = create(EventSchema, {
    eventType: EventType.PURCHASE,
    actionItem: 'binary-1',
    deviceId: 'd',
  });
  await send('binary-events', [Buffer.from('no message'), toBinary(EventSchema, event)]);
  const item = create(ItemSchema, { itemType: 'product', itemId: 'b1', title: 'Binary' });
  await send('binary-items', [toBinary(ItemSchema, item)]);
  await send('items', [JSON.stringify({ item_type: 'product', item_id: 'j1', title: 'JSON', price: 2 })]);
  const row = (op: string, id: string, name: string) =>
    JSON.stringify({
      op,
      source: { table: 'goods' },
      before: { id, name },
      after: op === 'd' ? null : { id, name },
    });
  await send('rows', [row('c', 'r1', 'Row'), row('c', 'r2', 'Gone'), row('d', 'r2', 'Gone')]);
  await untilStored('binary-', 1);
  const client = createJsonClient(service);
  for (const [id, title] of [
    ['b1', 'Binary'],
    ['j1', 'JSON'],
    ['r1', 'Row'],
  ])
    await eventually(async () => {
      const { body } = await client.get<{ title?: string }>(`/shop/items/product/${id}`);
      return body.title === title || undefined;
    });
  const { body } = await client.get<{ items: { item_id: string }[] }>('/shop/items?status=enabled');
  assert.ok(!body.items.some(({ item_id }) => item_id === 'r2'));
});

test('stored events are written to a topic', { timeout: 120_000 }, async () => {
  const client = createJsonClient(service);
  const events = [JSON.parse(visit('published-1', { user_id: 'u' }))];
  assert.equal((await client.post('/shop/events', { events })).status, 200);
  /** At least once: a killed node may have written some of them twice. */
  const missing = new Set(await storedItems(''));
  await readUntil('out', ({ value }) => {
    missing.delete(String(JSON.parse(String(value)).action_item));
    return missing.size === 0;
  });
  const [{ key }] = await readUntil('out', ({ value }) => String(value).includes('published-1')).then((all) =>
    all.slice(-1),
  );
  assert.equal(String(key), 'u');
});

test('a topic that is made later is read', { timeout: 120_000 }, async () => {
  await admin.createTopics({ topics: [topicOf('late')], partitions: 1, replicas: 1 });
  await send('late', [visit('late-1')]);
  await untilStored('late-', 1);
});

test('a broker that is down delays neither the start nor events over HTTP', {
  timeout: 120_000,
}, async () => {
  const alone = await startServedProcess({ deployment: deploymentOf('127.0.0.1:1') });
  try {
    const client = createJsonClient(alone);
    const events = [JSON.parse(visit('alone'))];
    assert.equal((await client.post('/shop/events', { events })).status, 200);
    const ready = await fetch(new URL('/readyz', alone.baseUrl));
    assert.equal(ready.status, 200);
  } finally {
    assert.equal(await alone.stop(), 0);
    await alone.remove();
  }
});

const brokerPid = Number(process.env.TEST_KAFKA_PID);

/** Only a broker of this run is stopped. */
if (brokerPid)
  test('a broker that stops answering delays no event over HTTP, and is read again', {
    timeout: 240_000,
  }, async () => {
    const client = createJsonClient(service);
    process.kill(brokerPid, 'SIGSTOP');
    for (let n = 0; n < 40; n++) {
      const events = [JSON.parse(visit(`meanwhile-${n}`))];
      assert.equal((await client.post('/shop/events', { events })).status, 200);
      await delay(500);
    }
    process.kill(brokerPid, 'SIGCONT');
    await eventually(async () => {
      await send('events', [visit('again-1')]);
      return true;
    });
    await untilStored('again-', 1);
    assert.equal((await storedItems('meanwhile-')).length, 40);
  });
