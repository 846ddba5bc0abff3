import test from 'ava';
import {
  addQueryCounts,
  deleteRareQueries,
  listQueryCounts,
  mostQueries,
  queryKeyOf,
} from '../../../src/repository/search/search-queries.ts';
import { createTestDatabase } from '../../support/database.ts';

const count = (query: string, searches: number, withoutResults = 0, environment = 'shop') => ({
  environment,
  query,
  fingerprint: 1,
  searches,
  withoutResults,
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

test('beyond the number kept, what was searched rarely and long ago is forgotten', async (t) => {
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
