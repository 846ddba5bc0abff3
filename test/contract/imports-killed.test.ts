/** A node is killed during an import: another one finishes it, and counts each record once. */

import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import pg from 'pg';
import { createTestDatabase } from '../support/database.ts';
import { addressOf } from '../support/database-address.ts';
import { createJsonClient } from '../support/json-client.ts';
import { startServedProcess } from '../support/served-process.ts';

const deployment = `environments: [ { name: shop, item_types: [
  { name: product, properties: [ { name: price, type: number } ] } ] } ]`;

/** Line at whose commit the node is killed: the third range of 1,000 records. */
const gate = 3_001;
const recordCount = 5_000;

/** The commit of the range waits for the lock of that number. */
const makeGate = `
create function pass_gate() returns trigger language plpgsql as $$
begin
  if new.last_line >= ${gate} and old.last_line < ${gate} then perform pg_advisory_xact_lock_shared(${gate}); end if;
  return new;
end $$;
create trigger gate before update on imports for each row execute function pass_gate()`;

/** Every tenth price cannot be read. */
const lines = Array.from({ length: recordCount }, (_, i) => `i${i},Item ${i},${i % 10 === 0 ? 'free' : i}`);

const mapping = `items:
  item_id: id
  item_type: { value: product }
  title: name
  price: { column: price, as: number }`;

test('another node finishes the import of a killed node', async (t) => {
  const db = await createTestDatabase(t);
  const options = { deployment, databaseUrl: addressOf(db.connection) };
  const first = await startServedProcess(options);
  t.teardown(first.remove);
  const http = createJsonClient(first);
  await db.pool.query(makeGate);
  const keeper = new pg.Client(db.connection);
  await keeper.connect();
  t.teardown(() => keeper.end());
  await keeper.query('select pg_advisory_lock($1)', [gate]);

  const given = { file_name: 'items.csv', format: 'csv', columns: ['id', 'name', 'price'] };
  const { body } = await http.post<{ import_id: string }>('/shop/imports', given);
  const path = `/shop/imports/${body.import_id}`;
  await http.post(`${path}/parts`, { part: 0, content: ['id,name,price', ...lines].join('\n') });
  t.is((await http.post(`${path}/starts`, { part_count: 1, mapping })).status, 202);
  const waits = `select from pg_locks where locktype = 'advisory' and objid = $1 and not granted`;
  while ((await db.pool.query(waits, [gate])).rowCount === 0) await delay(50);
  await first.kill();
  await keeper.query('select pg_advisory_unlock_all()');
  const { rows } = await db.pool.query('select state, last_line from imports');
  t.like(rows[0], { state: 'running' });
  t.true(rows[0].last_line < gate, 'the range is not committed');
  /** As if the node had been silent for two minutes. */
  await db.pool.query(`update imports set heartbeat_at = heartbeat_at - interval '2 minutes'`);

  const second = await startServedProcess({ ...options, authorization: first.authorization });
  t.teardown(second.remove);
  const client = createJsonClient({ baseUrl: second.baseUrl, authorization: first.authorization });
  const find = async () => (await client.get<{ state: string; kept_count: number }>(path)).body;
  while (['queued', 'running'].includes((await find()).state)) await delay(50);
  t.like(await find(), { state: 'done', accepted_count: 4_500, rejected_count: 500, kept_count: 500 });
  const stored = await db.pool.query('select count(*)::int as count from items');
  t.is(stored.rows[0].count, 4_500);
  const rejected = await fetch(`${second.baseUrl}${path}/rejected`, {
    headers: { authorization: first.authorization },
  });
  const ids = (await rejected.text())
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(',')[1]);
  t.is(new Set(ids).size, 500);
  t.is(ids.length, 500);
});
