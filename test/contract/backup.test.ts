/** A backup of a service under load: every event that was acknowledged before is there once, stored and counted. */

import { spawn } from 'node:child_process';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import { createJsonClient, type JsonClient } from '../support/json-client.ts';
import { createStreamClients, exportEvents } from '../support/rpc-streams.ts';
import { type ServedProcess, startServedProcess } from '../support/served-process.ts';

const environment = 'shop';
const deployment = `environments: [ { name: ${environment}, item_types: [ { name: article } ], timeout_ms: 60000 } ]`;
const acknowledgedFirst = 2_000;
const senderCount = 4;
const groupSize = 20;

const main = resolve(import.meta.dirname, '../../src/main.ts');

async function run(...words: string[]) {
  const child = spawn(process.execPath, [main, ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
  const exit = new Promise<number | null>((done) => child.once('close', done));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { exitCode: await exit, stdout, stderr };
}

/** Posts events, with an id and without, until it is told to end; remembers what was acknowledged, in order. */
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

async function storedEvents(service: ServedProcess): Promise<Record<string, unknown>[]> {
  const rpc = createStreamClients(service);
  const events = await exportEvents(rpc, environment);
  rpc.close();
  return events;
}

async function countEvents(client: JsonClient): Promise<number> {
  const { body } = await client.get<{ results: { value: number }[] }>(
    `/metrics/events?environment=${environment}`,
  );
  return body.results.reduce((sum, { value }) => sum + value, 0);
}

async function folderOf(t: ExecutionContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'backup-'));
  t.teardown(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

test('a backup under load is restored with every event that was acknowledged before, once', async (t) => {
  t.timeout(600_000);
  const folder = await folderOf(t);
  const file = join(folder, 'backup.gz');
  const dataDir = join(folder, 'data');
  const service = await startServedProcess({ deployment });
  t.teardown(service.remove);
  const load = startLoad(createJsonClient(service));
  await load.reached(acknowledgedFirst);
  const before = [...load.acknowledged];
  const backup = await run('backup', file, '--data-dir', service.dataDir);
  await load.end();
  t.is(backup.exitCode, 0, backup.stderr);
  t.is((await stat(file)).mode & 0o777, 0o600);
  t.true(load.acknowledged.length > before.length, 'the load went on');

  const restore = await run('restore', file, '--data-dir', dataDir);
  t.is(restore.exitCode, 0, restore.stderr);
  const again = await run('restore', file, '--data-dir', dataDir);
  t.is(again.exitCode, 1);
  t.regex(again.stderr, /^The database is not empty .*\n$/);

  const { authorization } = service;
  const restored = await startServedProcess({ deployment, dataDir, authorization });
  t.teardown(restored.remove);
  const client = createJsonClient(restored);
  const stored = (await storedEvents(restored)).map(({ place }) => place);
  const found = new Set(stored);
  t.is(found.size, stored.length);
  t.deepEqual(
    before.filter((place) => !found.has(place)),
    [],
  );
  t.is(await countEvents(client), stored.length);

  const visit = { event_type: 'page_visit', page_type: 'home', device_id: 'after', event_id: before[1] };
  for (const event_id of [before[1], 'a new one'])
    t.is((await client.post(`/${environment}/events`, { events: [{ ...visit, event_id }] })).status, 200);
  t.is(await countEvents(client), stored.length + 1);
});

test('who was deleted after the backup is deleted from what is restored', async (t) => {
  t.timeout(600_000);
  const folder = await folderOf(t);
  const [file, receipts, dataDir] = ['backup', 'receipts.ndjson', 'data'].map((name) => join(folder, name));
  const service = await startServedProcess({ deployment });
  t.teardown(service.remove);
  const client = createJsonClient(service);
  const visit = { event_type: 'page_visit', page_type: 'home' };
  const events = ['gone', 'staying'].map((user_id) => ({ ...visit, user_id, device_id: `of ${user_id}` }));
  t.is((await client.post(`/${environment}/events`, { events })).status, 200);
  t.is((await run('backup', file, '--data-dir', service.dataDir)).exitCode, 0);
  t.is((await client.send('DELETE', `/${environment}/users/gone`)).status, 200);
  const token = service.authorization.replace('Bearer ', '');
  const listed = await run('people', 'receipts', '--url', service.baseUrl, '--token', token);
  t.is(listed.exitCode, 0, listed.stderr);
  await writeFile(receipts, listed.stdout);

  const restore = await run('restore', file, '--receipts', receipts, '--data-dir', dataDir);
  t.is(restore.exitCode, 0, restore.stderr);
  t.regex(restore.stderr, /with 1 deletions since/);
  const restored = await startServedProcess({ deployment, dataDir, authorization: service.authorization });
  t.teardown(restored.remove);
  const left = await storedEvents(restored);
  t.deepEqual(
    left.map((event) => event.user_id),
    ['staying'],
  );
});

test('a backup of a folder without a database says so', async (t) => {
  const folder = await folderOf(t);
  const { exitCode, stderr } = await run('backup', join(folder, 'file'), '--data-dir', folder);
  t.is(exitCode, 1);
  t.regex(stderr, /^There is no database in /);
});
