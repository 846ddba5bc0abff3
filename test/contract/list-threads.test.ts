/** Lists made by threads: callers notice no difference, even if a thread fails. */

import { setTimeout as delay } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import test, { type ExecutionContext } from 'ava';
import { createJsonClient, type JsonClient } from '../support/json-client.ts';
import { startTestService } from '../support/service.ts';

const threadCount = 2;
const itemCount = 60;

type Recommendations = { lists: { items: { item_id: string }[] }[] };

async function startThreads(t: ExecutionContext) {
  const workers: Worker[] = [];
  const note = (worker: Worker) => void (isListThread(worker) && workers.push(worker));
  process.on('worker', note);
  t.teardown(() => process.off('worker', note));
  const service = await startTestService(t, undefined, { watch: { listThreads: threadCount } });
  const client = createJsonClient(service);
  await client.put('/configurations/plain', {});
  await client.put('/configurations/titled', {
    constraints: [{ query: { key: 'title', contains: 'Late' } }],
  });
  for (let index = 0; index < itemCount; index++)
    await client.put(`/shop/items/product/p${index}`, { title: `Thing ${index}`, brand: `b${index % 5}` });
  return { client, workers, ready: () => awaitState(service.baseUrl, 'ok') };
}

/** Others train, or compute audiences. */
function isListThread(worker: Worker): boolean {
  return worker.resourceLimits?.maxYoungGenerationSizeMb === 8;
}

async function awaitState(baseUrl: string, state: string): Promise<void> {
  const tell = async () => {
    const answer = await fetch(new URL('/readyz', baseUrl));
    const { checks } = (await answer.json()) as { checks: Record<string, string> };
    return checks.threads;
  };
  while ((await tell()) !== state) await delay(20);
}

async function listOf(client: JsonClient, configurationId: string, device = 'd1'): Promise<string[]> {
  const { status, body } = await client.post<Recommendations>('/shop/recommendations/requests', {
    device_id: device,
    page_type: 'home',
    lists: [{ configuration_id: configurationId, list_name: 'first', list_size: 100 }],
  });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.lists[0].items.map(({ item_id: id }) => id);
}

test.serial('every write is in the next list, even while a thread dies', async (t) => {
  const { client, workers, ready } = await startThreads(t);
  await ready();
  t.is(workers.length, threadCount);
  for (let round = 0; round < 20; round++) {
    const id = `late${round}`;
    await client.put(`/shop/items/product/${id}`, { title: `Late ${round}` });
    if (round === 10) void workers[0].terminate();
    const [plain, titled] = await Promise.all([listOf(client, 'plain'), listOf(client, 'titled')]);
    t.true(plain.includes(id), `list ${round}`);
    t.is(plain.length, itemCount + round + 1);
    t.is(titled.length, round + 1);
  }
  await ready();
  t.is(workers.length, threadCount + 1);
  const lists = await Promise.all(Array.from({ length: 20 }, (_, i) => listOf(client, 'plain', `d${i}`)));
  for (const list of lists) t.is(list.length, itemCount + 20);
});

test.serial('a missing variable is reported as it is without threads', async (t) => {
  const { client, ready } = await startThreads(t);
  await client.put('/configurations/asking', {
    constraints: [{ query: { key: 'brand', match: { variable: { name: 'wanted' } } } }],
  });
  await ready();
  const { status, reason, pointers } = await client.post('/shop/recommendations/requests', {
    device_id: 'd1',
    page_type: 'home',
    lists: [{ configuration_id: 'asking', list_name: 'first', list_size: 5 }],
  });
  t.deepEqual(
    { status, reason, pointers },
    { status: 400, reason: 'variable_missing', pointers: ['/wanted'] },
  );
});
