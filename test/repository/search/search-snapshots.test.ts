import { randomBytes } from 'node:crypto';
import test from 'ava';
import {
  findSearchSnapshot,
  findSnapshotMoment,
  saveSearchSnapshot,
} from '../../../src/repository/search/search-snapshots.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

const bytesOf = (length: number): Uint8Array[] => [new Uint8Array(randomBytes(length))];

test('the last snapshot saved comes back byte for byte, for its environment and shape', async (t) => {
  const db = await createTestDatabase(t);
  t.is(await findSearchSnapshot(db, 'shop', 'a'), undefined);
  t.is(await findSnapshotMoment(db, 'shop'), undefined);
  await saveSearchSnapshot(db, 'shop', 'a', bytesOf(4_000_000));
  const last = [...bytesOf(2_500_000), ...bytesOf(0), ...bytesOf(7), ...bytesOf(1_048_576)];
  await saveSearchSnapshot(db, 'shop', 'a', last);
  t.true(Buffer.from((await findSearchSnapshot(db, 'shop', 'a'))!).equals(Buffer.concat(last)));
  t.is(await findSearchSnapshot(db, 'shop', 'b'), undefined);
  t.is(await findSearchSnapshot(db, 'news', 'a'), undefined);
  t.true((await findSnapshotMoment(db, 'shop')) instanceof Date);
});

const damages: [name: string, statement: string][] = [
  [
    'a changed byte',
    `update search_snapshots set bytes = set_byte(bytes, 7, 255 - get_byte(bytes, 7)) where chunk = 2`,
  ],
  ['a lost chunk', 'delete from search_snapshots where chunk = 1'],
  [
    'a chunk too many',
    `insert into search_snapshots (environment, save_id, chunk, bytes)
    select environment, save_id, 99, 'x' from search_snapshots where chunk = 0`,
  ],
  ['a spoilt table of contents', `update search_snapshots set bytes = 'no json' where chunk = 0`],
];

for (const [name, statement] of damages) {
  test(`a snapshot with ${name} is not used`, async (t) => {
    const db = await createTestDatabase(t);
    await saveSearchSnapshot(db, 'shop', 'a', bytesOf(2_500_000));
    await db.pool.query(statement);
    t.is(await findSearchSnapshot(db, 'shop', 'a'), undefined);
  });
}

const countRows = async (db: TestDatabase): Promise<number> =>
  (await db.pool.query('select count(*)::int as count from search_snapshots')).rows[0].count;

test('an interrupted save keeps the former snapshot and is cleaned up later', async (t) => {
  const db = await createTestDatabase(t);
  const whole = bytesOf(1_500_000);
  await saveSearchSnapshot(db, 'shop', 'a', whole);
  await db.pool.query(
    `insert into search_snapshots (environment, save_id, chunk, bytes)
     select 'shop', gen_random_uuid(), 1, 'begun'`,
  );
  t.true(Buffer.from((await findSearchSnapshot(db, 'shop', 'a'))!).equals(whole[0]));
  await saveSearchSnapshot(db, 'shop', 'a', bytesOf(10));
  t.is(await countRows(db), 3);
  await db.pool.query(
    `update search_snapshots set saved_at = saved_at - interval '61 minutes' where bytes = 'begun'`,
  );
  await saveSearchSnapshot(db, 'shop', 'a', bytesOf(10));
  t.is(await countRows(db), 2);
});

test('a failed save uses no space, and the former snapshot stays', async (t) => {
  const db = await createTestDatabase(t);
  const whole = bytesOf(1_000);
  await saveSearchSnapshot(db, 'shop', 'a', whole);
  await db.pool.query(`
    create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no room'; end $$;
    create trigger refuse before insert on search_snapshots
      for each row when (new.chunk > 1) execute function refuse()`);
  for (let attempt = 1; attempt <= 2; attempt++)
    await t.throwsAsync(saveSearchSnapshot(db, 'shop', 'a', bytesOf(2_500_000)));
  t.is(await countRows(db), 2);
  t.true(Buffer.from((await findSearchSnapshot(db, 'shop', 'a'))!).equals(whole[0]));
});

test('one snapshot remains when nodes save at once', async (t) => {
  const db = await createTestDatabase(t);
  for (let round = 0; round < 15; round++) {
    const sizes = [1, 2, 3];
    await Promise.all(
      sizes.map((size) => saveSearchSnapshot(db, 'shop', 'a', [new Uint8Array(1_000 + size)])),
    );
    t.truthy(await findSearchSnapshot(db, 'shop', 'a'));
  }
});
