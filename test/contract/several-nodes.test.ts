/**
 * Three nodes on one database; one pauses at a random time, is killed, or starts, and the others
 * are not affected. A hanging request fails the test by never ending; the test does not depend on
 * durations.
 *
 * `STOPS=100` sets the number of pauses, `STOP_MS=30000` their length.
 */

import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { addressOf } from '../support/database-address.ts';
import { createJsonClient, type JsonClient } from '../support/json-client.ts';
import { fc } from '../support/properties.ts';
import { type ServedProcess, startServedProcess } from '../support/served-process.ts';

const stopCount = Number(process.env.STOPS ?? 2);
const stopMs = Number(process.env.STOP_MS ?? 1_500);

/** Pause between rounds of a driver: several per pause of a node, at low load. */
const paceMs = 100;

const environment = 'shop';
const deployment = `environments: [ { name: ${environment}, item_types: [ { name: article } ], timeout_ms: 60000 } ]`;
const groupSizes = [1, 10, 100];

type Node = ServedProcess & { client: JsonClient };

async function startNode(databaseUrl: string, authorization?: string): Promise<Node> {
  const served = await startServedProcess({ deployment, databaseUrl, authorization });
  const client = createJsonClient({
    get baseUrl() {
      return served.baseUrl;
    },
    authorization: served.authorization,
  });
  return Object.assign(Object.create(served), { client }) as Node;
}

/** Acknowledged items of all nodes. */
type Ledger = { acknowledged: Set<string>; sent: number; failures: string[] };

/**
 * Posts events with ids, repeated until a node acknowledges them, and occasionally all other calls.
 */
async function drive(
  node: () => Node,
  ledger: Ledger,
  isOver: () => boolean,
  failures = ledger.failures,
): Promise<void> {
  for (let round = 0; !isOver(); round++) {
    const size = groupSizes[round % groupSizes.length];
    const ids = Array.from({ length: size }, () => `e${ledger.sent++}`);
    const events = ids.map((id, i) => ({
      event_type: 'detail_pageview',
      device_id: `d${(ledger.sent + i) % 50}`,
      user_id: i % 2 ? `u${i % 7}` : undefined,
      page_type: 'detail',
      action_item: `a${i % 20}`,
      action_item_type: 'article',
      event_id: id,
    }));
    for (;;) {
      const { status, body } = await node().client.post(`/${environment}/events`, { events });
      if (status === 200) break;
      if (status !== 503) failures.push(`events ${status} ${JSON.stringify(body)}`);
      await delay(20);
    }
    for (const id of ids) ledger.acknowledged.add(id);
    await ask(node(), round, failures);
    await delay(paceMs);
  }
}

async function ask(node: Node, round: number, failures: string[]): Promise<void> {
  const asked: Record<number, () => Promise<{ status: number; body: unknown }>> = {
    0: () => node.client.put(`/${environment}/items/article/a${round % 20}`, { title: `Article ${round}` }),
    1: () =>
      node.client.post(`/${environment}/searches/requests`, {
        q: 'article',
        page_type: 's',
        device_id: 'd1',
      }),
    2: () =>
      node.client.post(`/${environment}/recommendations/requests`, {
        device_id: 'd1',
        page_type: 'home',
        lists: [{ configuration_id: 'all', list_name: 'all', list_size: 5 }],
      }),
  };
  const counted = () => countEvents(node).then(() => ({ status: 200, body: {} }));
  const { status, body } = await (asked[round % 4] ?? counted)();
  if (status !== 200) failures.push(`${round % 4}: ${status} ${JSON.stringify(body)}`);
}

async function countEvents({ client }: Node): Promise<number> {
  for (;;) {
    const answer = await client.get<{ results: { value: number }[] }>(
      `/metrics/events?environment=${environment}`,
    );
    if (answer.status === 200) return answer.body.results.reduce((sum, { value }) => sum + value, 0);
    if (answer.status !== 503) throw new Error(JSON.stringify(answer.body));
    await delay(50);
  }
}

async function countStored(db: TestDatabase): Promise<number> {
  const { rows } = await db.pool.query('select count(*) as count from events');
  return Number(rows[0].count);
}

test('a node that pauses, is killed or starts delays no other, and every event counts once', async (t) => {
  const db = await createTestDatabase(t);
  const databaseUrl = addressOf(db.connection);
  const first = await startNode(databaseUrl);
  const nodes = [first];
  t.teardown(() => Promise.all(nodes.map((node) => node.remove())));
  /** Before the others start, so that they know it. */
  await first.client.put('/configurations/all', { configuration_id: 'all', constraints: [] });
  while (nodes.length < 3) nodes.push(await startNode(databaseUrl, first.authorization));

  const ledger: Ledger = { acknowledged: new Set(), sent: 0, failures: [] };
  /** After a long pause a node may refuse its pending calls. */
  const refusals: string[] = [];
  const moments = fc.sample(fc.record({ victim: fc.nat(2), ms: fc.nat(400) }), stopCount);
  for (const [i, { victim, ms }] of moments.entries()) {
    const isKilled = i % 2 === 0;
    let isOver = false;
    const living = () => nodes.filter((_, place) => place !== victim);
    const drivers = [0, 1, 2, 3].map((n) =>
      drive(
        () => living()[n % 2],
        ledger,
        () => isOver,
      ),
    );
    const abandoned = drive(
      () => nodes[victim],
      ledger,
      () => isOver,
      refusals,
    ).catch(() => undefined);
    await delay(ms);
    nodes[victim].pause();
    if (i === 0) nodes.push(await startNode(databaseUrl, first.authorization));
    await delay(stopMs);
    const sentBefore = ledger.sent;
    t.true((await countEvents(living()[0])) >= 0);
    /** The others continue. */
    while (ledger.sent === sentBefore) await delay(paceMs);
    isOver = true;
    await Promise.all(drivers);
    if (isKilled) await nodes[victim].kill();
    else nodes[victim].goOn();
    await abandoned;
    if (isKilled) await nodes[victim].restart();
    if (i === 0) await nodes.pop()!.remove();
    const stored = await countStored(db);
    for (const node of nodes) t.is(await countEvents(node), stored);
    t.true(stored >= ledger.acknowledged.size);
  }
  const { rows } = await db.pool.query(
    'select count(distinct event_id) as ids, count(*) as count from events',
  );
  t.is(Number(rows[0].ids), Number(rows[0].count));
  const missing = await db.pool.query(
    'select id from unnest($1::text[]) as id except select event_id from events',
    [[...ledger.acknowledged]],
  );
  t.deepEqual(missing.rows, []);
  t.deepEqual(ledger.failures, []);
  t.deepEqual(
    refusals.filter((refusal) => !refusal.includes(' 503 ')),
    [],
  );
});
