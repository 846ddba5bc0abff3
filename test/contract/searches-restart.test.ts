/** A restart loads the search index from its snapshot, or rebuilds a damaged one. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { startApp } from '../../src/app.ts';
import { upsertItems } from '../../src/repository/items/items.ts';
import { findSnapshotMoment } from '../../src/repository/search/search-snapshots.ts';
import { createLogger } from '../../src/servers/telemetry/logger.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { readDeployment, shopDeployment } from '../support/service.ts';

const colors = ['red', 'green', 'blue', 'amber', 'black'];
const things = ['lamp', 'table', 'chair', 'sofa', 'shelf', 'carpet', 'mirror'];

/** More than the minimum for snapshots. */
const itemCount = 1_501;

const itemOf = (i: number, title = `${colors[i % 5]} ${things[i % 7]} number${i}`) => ({
  environment: 'shop',
  itemType: 'product',
  itemId: `p${i}`,
  document: {
    title,
    description: `A ${things[(i + 3) % 7]} beside a ${things[(i + 5) % 7]}.`,
    brand: `b${i % 9}`,
  },
  enabled: i % 50 !== 0,
});

const queries = [
  'red lamp',
  'number77',
  'b3 chair',
  'sofa',
  'newcomer',
  'number50',
  'gren mirror',
  'number11 carpet',
];

type Node = { find(q: string): Promise<string[]>; stop(): Promise<void> };

async function startNode(t: ExecutionContext, { connection }: TestDatabase): Promise<Node> {
  const dataDir = await mkdtemp(join(tmpdir(), 'personalisation-restart-'));
  t.teardown(() => rm(dataDir, { recursive: true, force: true }));
  const app = await startApp({
    deployment: readDeployment(shopDeployment),
    connection,
    dataDir,
    port: 0,
    grpcPort: 0,
    trainingThreads: 0,
    clock: Date.now,
    logger: createLogger('silent'),
  });
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= app.stop();
    return stopped;
  };
  t.teardown(stop);
  return {
    stop,
    async find(q) {
      const body = JSON.stringify({
        q,
        page_type: 's',
        device_id: 'anonymous',
        limit: 1000,
        list_size: 1000,
      });
      const headers = { 'content-type': 'application/json' };
      const url = `http://localhost:${app.port}/api/shop/searches/requests`;
      const answer = await fetch(url, { method: 'POST', headers, body });
      const { lists } = (await answer.json()) as { lists: { items: { item_id: string }[] }[] };
      return lists.flatMap(({ items }) => items.map((item) => item.item_id)).toSorted();
    },
  };
}

const findAll = ({ find }: Node) => Promise.all(queries.map(find));

test('results are the same from a snapshot, with later changes, and without a snapshot', async (t) => {
  const db = await createTestDatabase(t);
  await upsertItems(
    db,
    Array.from({ length: itemCount }, (_, i) => itemOf(i)),
  );
  const first = await startNode(t, db);
  const before = await findAll(first);
  t.deepEqual(before[1], ['p77']);
  t.deepEqual(before[4], []);
  t.deepEqual(before[5], [], 'it is disabled');
  while ((await findSnapshotMoment(db, 'shop')) === undefined) await delay(100);
  await first.stop();

  await upsertItems(db, [
    itemOf(77, 'newcomer'),
    itemOf(itemCount, 'another newcomer'),
    { ...itemOf(50), enabled: true },
  ]);
  const second = await startNode(t, db);
  const after = await findAll(second);
  t.deepEqual(after[1], []);
  t.deepEqual(after[4], ['p77', `p${itemCount}`].toSorted());
  t.deepEqual(after[5], ['p50']);
  await second.stop();

  await db.pool.query('update search_snapshots set bytes = substr(bytes, 2) where chunk = 1');
  const third = await startNode(t, db);
  t.deepEqual(await findAll(third), after);
  await third.stop();
});
