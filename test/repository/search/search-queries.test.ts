import test from 'ava';
import {
  addQueryCounts,
  deleteRareQueries,
  listPopularQueries,
  listQueryCounts,
  mostQueries,
  queryKeyOf,
} from '../../../src/repository/search/search-queries.ts';
import { type Witness, witnessBytes, witnessMark } from '../../../src/repository/search/visitor-mark.ts';
import { createTestDatabase } from '../../support/database.ts';
import { poolOf } from '../../support/pool-of.ts';

const count = (query: string, searches: number, withoutResults = 0, environment = 'shop') => ({
  environment,
  query,
  fingerprint: 1,
  searches,
  withoutResults,
});

test('a query is listed as it was typed last', async (t) => {
  const db = await createTestDatabase(t);
  const listed = async () => {
    const [{ typed }] = await listQueryCounts(db, { environment: 'shop', withoutResults: false, limit: 1 });
    return typed;
  };
  await addQueryCounts(db, [count('lamp', 1)]);
  t.is(await listed(), null);
  await addQueryCounts(db, [{ ...count('lamp', 1), typed: 'Lämp' }]);
  await addQueryCounts(db, [count('lamp', 1)]);
  t.is(await listed(), 'Lämp');
});

test('counts add up, and are listed the most frequent first', async (t) => {
  const db = await createTestDatabase(t);
  await addQueryCounts(db, [count('lamp', 2), count('zzz', 3, 3), count('lamp', 1, 0, 'news')]);
  await addQueryCounts(db, [count('lamp', 5, 1), count('desk', 1)]);
  const list = async (withoutResults: boolean, limit = 10) =>
    (await listQueryCounts(db, { environment: 'shop', withoutResults, limit })).map((one) => [
      one.query,
      one.searches,
      one.withoutResults,
    ]);
  t.deepEqual(await list(false), [
    ['lamp', 7, 1],
    ['zzz', 3, 3],
    ['desk', 1, 0],
  ]);
  t.deepEqual(await list(true), [
    ['zzz', 3, 3],
    ['lamp', 7, 1],
  ]);
  t.deepEqual(await list(false, 1), [['lamp', 7, 1]]);
  const of = { environment: 'shop', withoutResults: false, limit: 1 };
  const [first] = await listQueryCounts(db, of);
  const [second] = await listQueryCounts(db, { ...of, after: queryKeyOf(first, false) });
  const [third] = await listQueryCounts(db, { ...of, after: queryKeyOf(second, false) });
  t.deepEqual([second.query, third.query], ['zzz', 'desk']);
  t.deepEqual(await listQueryCounts(db, { ...of, after: queryKeyOf(third, false) }), []);
});

test('counts are added in parts, and one that the database refuses affects few others', async (t) => {
  const db = await createTestDatabase(t);
  const sizes: number[] = [];
  const pool = poolOf(async (statement: { name: string; values: string[][] }) => {
    if (statement.name === 'add-query-counts') sizes.push(statement.values[1].length);
    return db.pool.query(statement as never);
  });
  const counts = Array.from({ length: 2_000 }, (_, i) => count(i === 700 ? 'bad\0' : `query ${i}`, 1));
  await t.throwsAsync(addQueryCounts({ ...db, pool }, counts), { message: /cannot be stored/ });
  t.true(Math.max(...sizes) <= 500);
  const { rows } = await db.pool.query('select count(*)::int as count from search_queries');
  t.is(rows[0].count, 1_500);
});

test('rare and old queries beyond the number kept are deleted', async (t) => {
  const db = await createTestDatabase(t);
  const many = Array.from({ length: mostQueries }, (_, i) => count(`q${i}`, 2));
  await addQueryCounts(db, [...many, count('rare', 1), count('old', 3)]);
  await db.pool.query(
    `update search_queries set last_searched_at = now() - interval '60 days' where query = 'old'`,
  );
  await addQueryCounts(db, [count('elsewhere', 1, 0, 'news')]);
  await deleteRareQueries(db, 'shop');
  const { rows } = await db.pool.query(
    `select count(*)::int as kept, count(*) filter (where query in ('rare', 'old'))::int as others
     from search_queries where environment = 'shop'`,
  );
  t.deepEqual(rows, [{ kept: mostQueries, others: 0 }]);
  t.is((await listQueryCounts(db, { environment: 'news', withoutResults: false, limit: 9 })).length, 1);
});

test('a visitor counts once for a query, a network once, and visitors without a network by themselves', async (t) => {
  const db = await createTestDatabase(t);
  const add = async (...witnesses: Witness[]) => {
    const of = { key: 'secret', environment: 'shop', query: 'lamp' };
    const marks = Buffer.concat(witnesses.map((witness) => witnessMark(witness, of)));
    await addQueryCounts(db, [{ ...count('lamp', witnesses.length), witnesses: marks }]);
    const { rows } = await db.pool.query('select length(witnesses) as bytes from search_queries');
    return rows[0].bytes / witnessBytes;
  };
  t.is(await add({ visitor: 'da', network: '192.0.2' }), 1);
  t.is(await add({ visitor: 'db', network: '192.0.2' }, { visitor: 'dc', network: '192.0.2' }), 1);
  t.is(await add({ visitor: 'da', network: '198.51.100' }, { visitor: 'da' }), 1);
  t.is(await add({ visitor: 'db', network: '198.51.100' }), 2);
  t.is(await add({ visitor: 'u1' }, { visitor: 'u2' }, { visitor: 'u2' }), 4);
  const popular = (leastPeople: number) => listPopularQueries(db, 'shop', { leastPeople, limit: 9 });
  t.deepEqual([await popular(4), await popular(5)], [['lamp'], []]);
  const crowd = Array.from({ length: 100 }, (_, i) => ({ visitor: `d${i}`, network: `10.0.${i}` }));
  t.is(await add(...crowd), 64);
  t.is(await add({ visitor: 'late' }), 64);
});

test('marks of a network differ between queries, and many networks share one', (t) => {
  const markOf = (network: string, query: string) =>
    witnessMark({ visitor: 'd', network }, { key: 'secret', environment: 'shop', query }).toString('hex');
  t.not(markOf('192.0.2', 'lamp'), markOf('192.0.2', 'sofa'));
  const marks = new Set<string>();
  for (let i = 0; i < 200_000; i++) marks.add(markOf(`${i >> 16}.${(i >> 8) & 255}.${i & 255}`, 'lamp'));
  t.true(marks.size < 65_536);
});
