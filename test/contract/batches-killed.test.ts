/** Nodes that are killed in the middle of a batch, as processes of their own: others finish it, and everybody is answered once. */

import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import type pg from 'pg';
import { peoplePerPart } from '../../src/repository/batches/batch-parts.ts';
import { createTestDatabase } from '../support/database.ts';
import { addressOf } from '../support/database-address.ts';
import { createJsonClient } from '../support/json-client.ts';
import { startServedProcess } from '../support/served-process.ts';

const deployment = 'environments: [ { name: shop, item_types: [ { name: product } ] } ]';

/** Where the nodes are killed, of 15 parts. */
const [firstGate, secondGate] = [4, 9];
const people = Array.from({ length: 15 * peoplePerPart }, (_, i) => `user ${i}`);
const lists = [{ configuration_id: 'home', list_name: 'mail', list_size: 2 }];

/** Whoever writes the answers of these parts waits for the lock of that number. */
const gates = `
create function pass_gate() returns trigger language plpgsql as $$
begin
  if new.part in (${firstGate}, ${secondGate}) then perform pg_advisory_xact_lock_shared(new.part); end if;
  return new;
end $$;
create trigger gate before update on batch_parts for each row execute function pass_gate()`;

type Result = { user_id: string; request_id: string; lists: { items: object[] }[] };

test('another node, and the same one when it is back, finish what a killed one began', async (t) => {
  t.timeout(240_000);
  const db = await createTestDatabase(t);
  const options = { deployment, databaseUrl: addressOf(db.connection) };
  const first = await startServedProcess(options);
  t.teardown(first.remove);
  const http = createJsonClient({ baseUrl: first.baseUrl, authorization: first.authorization });
  for (const id of ['lamp', 'sofa', 'rug']) await http.put(`/shop/items/product/${id}`, { title: id });
  await http.put('/configurations/home', { constraints: [] });
  await db.pool.query(gates);
  const keeper = await db.pool.connect();
  t.teardown(() => keeper.release(true));
  for (const gate of [firstGate, secondGate]) await keeper.query('select pg_advisory_lock($1)', [gate]);
  const answered = async (): Promise<Map<number, string>> => {
    const text = 'select part, results from batch_parts where results is not null';
    const { rows } = await db.pool.query<{ part: number; results: string }>(text);
    return new Map(rows.map(({ part, results }) => [part, results]));
  };

  const request = { page_type: 'email', lists, user_ids: people };
  const { status, body } = await http.post<{ batch_id: string }>('/shop/batches', request);
  t.is(status, 202);
  await someoneWaitsAt(db.pool, firstGate);
  await first.kill();
  const byFirst = await answered();
  t.deepEqual([...byFirst.keys()].sort(), [0, 1, 2, 3]);
  const second = await startServedProcess({ ...options, authorization: first.authorization });
  t.teardown(second.remove);
  /** Before that: a node does not stop while a write waits. */
  t.teardown(async () => void (await keeper.query('select pg_advisory_unlock_all()')));
  /** What a dead node had under way is written after all, and found by the other one. */
  await keeper.query('select pg_advisory_unlock($1)', [firstGate]);
  await someoneWaitsAt(db.pool, secondGate);
  await second.kill();
  await first.restart();
  await keeper.query('select pg_advisory_unlock($1)', [secondGate]);
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

/** And has told how far it is, so that the next one does not begin the batch in vain. */
async function someoneWaitsAt(pool: pg.Pool, gate: number): Promise<void> {
  const text = `select state, failure, next_part as "nextPart",
    exists (select from pg_locks where locktype = 'advisory' and objid = $1 and not granted) as waits from batches`;
  for (;;) {
    const { rows } = await pool.query(text, [gate]);
    const [{ state, waits, nextPart }] = rows;
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
