/** Nodes are killed during a batch: others finish it, and each subject is answered once. */

import { setTimeout as delay } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import pg from 'pg';
import { subjectsPerPart } from '../../src/repository/batches/batch-parts.ts';
import { isCluster } from '../../src/repository/distribution.ts';
import { serversOf } from '../support/citus.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { addressOf } from '../support/database-address.ts';
import { createJsonClient } from '../support/json-client.ts';
import { startServedProcess } from '../support/served-process.ts';

const deployment = 'environments: [ { name: shop, item_types: [ { name: product } ] } ]';

/** Parts, of 15, at which the nodes are killed. */
const [firstGate, secondGate] = [4, 9];
const people = Array.from({ length: 15 * subjectsPerPart }, (_, i) => `user ${i}`);
const lists = [{ configuration_id: 'home', list_name: 'mail', list_size: 2 }];

/** Writers of these parts wait for the lock of that number on their server. */
const makeFunction = `
create function pass_gate() returns trigger language plpgsql as $$
begin
  if new.part in (${firstGate}, ${secondGate}) then perform pg_advisory_xact_lock_shared(new.part); end if;
  return new;
end $$`;

const makeTrigger = (table: string) =>
  `create trigger gate before update on ${table} for each row execute function pass_gate()`;

/** On a cluster only shards have triggers. */
async function buildGates({ pool }: TestDatabase): Promise<void> {
  await pool.query(makeFunction);
  if (!(await isCluster(pool))) return void (await pool.query(makeTrigger('batch_parts')));
  await pool.query(`select create_distributed_function('pass_gate()')`);
  const { rows } = await pool.query('select * from run_command_on_shards($1, $2)', [
    'batch_parts',
    makeTrigger('%s'),
  ]);
  const refused = rows.filter(({ success }) => !success);
  if (refused.length > 0) throw new Error(JSON.stringify(refused));
}

type Keeper = {
  close(gates: readonly number[]): Promise<void>;
  open(gate: number): Promise<void>;
  openAll(): Promise<void>;
  isAwaited(gate: number): Promise<boolean>;
};

/** Holds the locks on every server that may have a part. */
async function createKeeper(t: Pick<ExecutionContext, 'teardown'>, db: TestDatabase): Promise<Keeper> {
  const clients = (await serversOf(db)).map((server) => new pg.Client(server));
  t.teardown(async () => void (await Promise.all(clients.map((client) => client.end()))));
  for (const client of clients) await client.connect();
  const ask = (text: string, values: unknown[] = []) =>
    Promise.all(clients.map((client) => client.query(text, values)));
  return {
    async close(gates) {
      for (const gate of gates) await ask('select pg_advisory_lock($1)', [gate]);
    },
    open: async (gate) => void (await ask('select pg_advisory_unlock($1)', [gate])),
    openAll: async () => void (await ask('select pg_advisory_unlock_all()')),
    async isAwaited(gate) {
      const text = `select from pg_locks where locktype = 'advisory' and objid = $1 and not granted
        and database = (select oid from pg_database where datname = current_database())`;
      return (await ask(text, [gate])).some(({ rowCount }) => rowCount !== 0);
    },
  };
}

/** As if the killed node had been silent for a minute. */
const loseBatch = ({ pool }: TestDatabase) =>
  pool.query(`update batches set heartbeat_at = heartbeat_at - interval '1 minute'`);

type Result = { user_id: string; request_id: string; lists: { items: object[] }[] };

test('another node, and the restarted one, finish the batch of a killed node', async (t) => {
  const db = await createTestDatabase(t);
  const options = { deployment, databaseUrl: addressOf(db.connection) };
  const first = await startServedProcess(options);
  t.teardown(first.remove);
  const http = createJsonClient({ baseUrl: first.baseUrl, authorization: first.authorization });
  for (const id of ['lamp', 'sofa', 'rug']) await http.put(`/shop/items/product/${id}`, { title: id });
  await http.put('/configurations/home', { constraints: [] });
  await buildGates(db);
  const keeper = await createKeeper(t, db);
  await keeper.close([firstGate, secondGate]);
  const answered = async (): Promise<Map<number, string>> => {
    const text = 'select part, results from batch_parts where results is not null';
    const { rows } = await db.pool.query<{ part: number; results: string }>(text);
    return new Map(rows.map(({ part, results }) => [part, results]));
  };

  const request = { page_type: 'email', lists, user_ids: people };
  const { status, body } = await http.post<{ batch_id: string }>('/shop/batches', request);
  t.is(status, 202);
  await someoneWaitsAt(db, keeper, firstGate);
  await first.kill();
  await loseBatch(db);
  const byFirst = await answered();
  t.deepEqual([...byFirst.keys()].sort(), [0, 1, 2, 3]);
  const second = await startServedProcess({ ...options, authorization: first.authorization });
  t.teardown(second.remove);
  /** Before that: a node does not stop while a write waits. */
  t.teardown(keeper.openAll);
  /** The other node finds work that a dead node had started. */
  await keeper.open(firstGate);
  await someoneWaitsAt(db, keeper, secondGate);
  await second.kill();
  await loseBatch(db);
  await first.restart();
  await keeper.open(secondGate);
  const bySecond = await answered();

  const client = createJsonClient({ baseUrl: first.baseUrl, authorization: first.authorization });
  const path = `/shop/batches/${body.batch_id}`;
  const find = async () => (await client.get<{ state: string; answered_count: number }>(path)).body;
  while (['queued', 'running'].includes((await find()).state)) await delay(100);
  t.like(await find(), { state: 'done', answered_count: people.length });
  const results = await readLines(`${first.baseUrl}${path}/results`, first.authorization);
  t.deepEqual(
    results.map(({ user_id: user }) => user),
    people,
  );
  t.true(results.every(({ lists: [{ items }] }) => items.length === 2));
  t.is(new Set(results.map(({ request_id: id }) => id)).size, people.length);
  const all = await answered();
  for (const [part, text] of [...byFirst, ...bySecond])
    t.is(all.get(part), text, `part ${part} is as it was`);
});

/** Its progress is stored, so the next node continues the batch. */
async function someoneWaitsAt({ pool }: TestDatabase, keeper: Keeper, gate: number): Promise<void> {
  for (;;) {
    const waits = await keeper.isAwaited(gate);
    const { rows } = await pool.query('select state, failure, next_part as "nextPart" from batches');
    const [{ state, nextPart }] = rows;
    if (waits && nextPart === gate) return;
    if (!['queued', 'running'].includes(state)) throw new Error(`It is over: ${JSON.stringify(rows)}`);
    await delay(50);
  }
}

async function readLines(url: string, authorization: string): Promise<Result[]> {
  const text = await (await fetch(url, { headers: { authorization } })).text();
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}
