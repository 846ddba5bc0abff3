import test from 'ava';
import { sql } from 'kysely';
import { streamBytes } from '../../src/repository/copy-rows.ts';
import { createTestDatabase } from '../support/database.ts';

async function collect(values: AsyncIterable<Buffer>): Promise<Buffer[]> {
  const collected: Buffer[] = [];
  for await (const value of values) collected.push(value);
  return collected;
}

test('values of any length are read byte for byte, in the order of the select', async (t) => {
  const db = await createTestDatabase(t);
  const lengths = [0, 1, 255, 65_535, 65_536, 300_001, 0, 7];
  const select = `
    select decode(repeat('80ff00', length), 'hex') from unnest(array[${lengths}]::int[]) with ordinality as given(length, place)
    order by place`;
  const values = await collect(streamBytes(db, select));
  const one = Buffer.from([0x80, 0xff, 0x00]);
  t.deepEqual(
    values.map(({ length }) => length),
    lengths.map((length) => 3 * length),
  );
  t.true(values.every((value) => value.equals(Buffer.alloc(value.length, one))));
});

test('a select without rows gives no value', async (t) => {
  const db = await createTestDatabase(t);
  t.deepEqual(await collect(streamBytes(db, `select ''::bytea where false`)), []);
});

test('the pool is usable after an early stop or an invalid statement', async (t) => {
  const db = await createTestDatabase(t);
  const many = `select decode(repeat('00', 100000), 'hex') from generate_series(1, 100)`;
  for (let round = 0; round < 12; round++) {
    for await (const value of streamBytes(db, many)) {
      t.is(value.length, 100_000);
      break;
    }
    await t.throwsAsync(collect(streamBytes(db, 'select nothing from nowhere')));
  }
  const { rows } = await sql<{ one: number }>`select 1 as one`.execute(db.kysely);
  t.is(rows[0].one, 1);
});
