/**
 * A backup of a service under load has every event acknowledged before, stored and counted once.
 */

import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { runCommand } from '../cli/support/command.ts';
import { createCluster } from '../support/citus.ts';
import { addressOf } from '../support/database-address.ts';
import { createJsonClient, type JsonClient } from '../support/json-client.ts';
import { roomyFolder } from '../support/roomy-folder.ts';
import { createStreamClients, exportEvents } from '../support/rpc-streams.ts';
import { type ServedProcess, startServedProcess } from '../support/served-process.ts';

const environment = 'shop';
const deployment = `environments: [ { name: ${environment}, item_types: [ { name: article } ], timeout_ms: 60000 } ]`;
const acknowledgedFirst = 2_000;
const senderCount = 4;
const groupSize = 20;

const run = (...words: string[]) => runCommand(words);

/** Posts events, with and without IDs, until stopped; remembers acknowledged ones in order. */
function startLoad(client: JsonClient) {
  const acknowledged: string[] = [];
  let sent = 0;
  let isOver = false;
  const send = async () => {
    while (!isOver) {
      const places = Array.from({ length: groupSize }, () => `e${sent++}`);
      const events = places.map((place, i) => ({
        event_type: 'detail_pageview',
        page_type: 'detail',
        device_id: `d${i % 7}`,
        action_item: `a${i % 5}`,
        action_item_type: 'article',
        event_id: i % 2 ? place : undefined,
        place,
      }));
      const { status, body } = await client.post(`/${environment}/events`, { events });
      if (status !== 200) throw new Error(JSON.stringify(body));
      acknowledged.push(...places);
    }
  };
  const senders = Promise.all(Array.from({ length: senderCount }, send));
  return {
    acknowledged,
    async reached(count: number) {
      while (acknowledged.length < count)
        await Promise.race([senders, new Promise((next) => setTimeout(next, 10))]);
    },
    end() {
      isOver = true;
      return senders;
    },
  };
}

async function storedPlaces(service: ServedProcess): Promise<string[]> {
  const rpc = createStreamClients(service);
  const events = await exportEvents(rpc, environment);
  rpc.close();
  return events.map(({ place }) => place as string);
}

async function countEvents(client: JsonClient): Promise<number> {
  const { body } = await client.get<{ results: { value: number }[] }>(
    `/metrics/events?environment=${environment}`,
  );
  return body.results.reduce((sum, { value }) => sum + value, 0);
}

async function folderOf(t: ExecutionContext): Promise<string> {
  const folder = await mkdtemp(join(roomyFolder(), 'backup-'));
  t.teardown(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

test('a backup under load is restored with every event that was acknowledged before, once', async (t) => {
  const folder = await folderOf(t);
  const file = join(folder, 'backup.gz');
  const dataDir = join(folder, 'data');
  const service = await startServedProcess({ deployment });
  t.teardown(service.remove);
  const original = createJsonClient(service);
  const load = startLoad(original);
  const gone = { event_type: 'page_visit', page_type: 'home', device_id: 'gone', place: 'gone' };
  t.is((await original.post(`/${environment}/events`, { events: [gone] })).status, 200);
  await load.reached(acknowledgedFirst);
  const before = [...load.acknowledged];
  const backup = await run('backup', file, '--data-dir', service.dataDir);
  await load.end();
  t.is(backup.exitCode, 0, backup.stderr);
  t.is((await stat(file)).mode & 0o777, 0o600);
  t.true(load.acknowledged.length > before.length, 'the load went on');

  t.is((await original.send('DELETE', `/${environment}/devices/gone`)).status, 200);
  const { body } = await original.get<{ deletions: object[] }>('/deletions');
  const receipts = join(folder, 'receipts.ndjson');
  await writeFile(receipts, body.deletions.map((deletion) => `${JSON.stringify(deletion)}\n`).join(''));
  const restore = await run('restore', file, '--receipts', receipts, '--data-dir', dataDir);
  t.is(restore.exitCode, 0, restore.stderr);
  t.regex(restore.stderr, /Deletions of people carried out again: 1\./);
  const again = await run('restore', file, '--data-dir', dataDir);
  t.is(again.exitCode, 1);
  t.regex(again.stderr, /^The database is not empty .*\n$/);

  const { authorization } = service;
  const restored = await startServedProcess({ deployment, dataDir, authorization });
  t.teardown(restored.remove);
  const client = createJsonClient(restored);
  const stored = await storedPlaces(restored);
  const found = new Set(stored);
  t.is(found.size, stored.length);
  t.deepEqual(
    before.filter((place) => !found.has(place)),
    [],
  );
  t.false(found.has('gone'), 'a user deleted later is absent');
  t.is(await countEvents(client), stored.length + 1, 'but was counted, as before');

  /** Ids are scoped to event types. */
  const visit = { event_type: 'detail_pageview', action_item: 'a0', page_type: 'home', device_id: 'after' };
  for (const event_id of [before[1], 'a new one'])
    t.is((await client.post(`/${environment}/events`, { events: [{ ...visit, event_id }] })).status, 200);
  t.is(await countEvents(client), stored.length + 2);
});

test('a backup of a folder without a database says so', async (t) => {
  const folder = await folderOf(t);
  const { exitCode, stderr } = await run('backup', join(folder, 'file'), '--data-dir', folder);
  t.is(exitCode, 1);
  t.regex(stderr, /^There is no database in /);
});

type Made = { lists: { list_key: string; items: { item_id: string }[] }[] };

/** The visible state of a site: items, events, metrics and earlier lists. */
async function lookAt(service: ServedProcess, listKeys: readonly string[]) {
  const client = createJsonClient(service);
  const read = async <Body>(path: string): Promise<Body> => {
    const { status, body } = await client.get<Body>(path);
    if (status !== 200) throw new Error(`${path}: ${JSON.stringify(body)}`);
    return body;
  };
  const pageOf = async (key: string) => {
    const path = `/${environment}/recommendations/lists?list_key=${key}&offset=1&limit=10`;
    return (await read<Made>(path)).lists[0].items;
  };
  return {
    items: await Promise.all(articles.map((id) => read(`/${environment}/items/article/${id}`))),
    places: (await storedPlaces(service)).toSorted(),
    counts: await Promise.all(
      ['events', 'pageviews', 'devices', 'requests'].map((metric) =>
        read(`/metrics/${metric}?environment=${environment}`),
      ),
    ),
    lists: await Promise.all(listKeys.map(pageOf)),
  };
}

const articles = Array.from({ length: 30 }, (_, i) => `a${i}`);

/** By `npm run test:citus`. */
const onCluster = process.env.TEST_CITUS === undefined ? undefined : test;

onCluster?.('a grown database of one server moves onto a cluster, and answers as before', async (t) => {
  const file = join(await folderOf(t), 'backup.gz');
  const grown = `storage: { buckets: 8 }\n${deployment}`;
  const single = await startServedProcess({ deployment: grown });
  t.teardown(single.remove);
  const original = createJsonClient(single);
  for (const title of articles)
    t.is((await original.put(`/${environment}/items/article/${title}`, { title })).status, 200);
  const any = { configuration_id: 'any', constraints: [] };
  t.is((await original.put('/configurations/any', any)).status, 200);
  const load = startLoad(original);
  await load.reached(acknowledgedFirst);
  await load.end();
  const listKeys: string[] = [];
  for (let person = 0; person < 7; person++) {
    const { body } = await original.post<Made>(`/${environment}/recommendations/requests`, {
      ...{ device_id: `d${person}`, page_type: 'home' },
      lists: [{ configuration_id: 'any', list_name: 'any', list_size: 10 }],
    });
    listKeys.push(body.lists[0].list_key);
  }
  const before = await lookAt(single, listKeys);
  t.is(before.places.length, load.acknowledged.length);
  await single.stop();

  const cluster = await createCluster(process.env.TEST_CITUS!);
  t.teardown(cluster.drop);
  const databaseUrl = addressOf(cluster.connection);
  for (const words of [
    ['backup', file, '--data-dir', single.dataDir],
    ['restore', file, '--database-url', databaseUrl],
  ]) {
    const { exitCode, stderr } = await run(...words);
    t.is(exitCode, 0, stderr);
  }
  const { authorization } = single;
  const moved = await startServedProcess({ deployment: grown, databaseUrl, authorization });
  t.teardown(moved.remove);
  t.deepEqual(await lookAt(moved, listKeys), before);
  const client = createJsonClient(moved);
  const visit = { event_type: 'page_visit', page_type: 'home', device_id: 'd1', place: 'later' };
  t.is((await client.post(`/${environment}/events`, { events: [visit] })).status, 200);
  t.is(await countEvents(client), load.acknowledged.length + 1, 'folding goes on');
});
