import { randomUUID } from 'node:crypto';
import test from 'ava';
import {
  deleteOldRecordedRequests,
  insertRecordedRequests,
  listRecordedRequests,
} from '../../../src/repository/kept/recorded-requests.ts';
import { createTestDatabase } from '../../support/database.ts';

test('the latest thousand requests of an environment are kept, and all of another one', async (t) => {
  const db = await createTestDatabase(t);
  await insertRecordedRequests(db, [{ environment: 'shop', request: { place: 0 } }]);
  const stored = db.kysely.selectFrom('recorded_requests').select(['bucket', 'environment']);
  const [{ bucket }] = await stored.execute();
  const ofMinute = (environment: string, place: number) => ({
    ...{ bucket, environment, request_key: randomUUID(), request: JSON.stringify({ place }) },
    recorded_at: new Date(Date.now() - place * 60_000),
  });
  const older = Array.from({ length: 1_002 }, (_, i) => ofMinute('shop', i + 1));
  const values = [...older, ofMinute('news', 5_000)];
  await db.kysely.insertInto('recorded_requests').values(values).execute();
  await deleteOldRecordedRequests(db, 'shop');
  const environments = (await stored.execute()).map(({ environment }) => environment);
  t.is(environments.length, 1_001);
  t.is(environments.filter((environment) => environment === 'news').length, 1);
  t.deepEqual(
    await listRecordedRequests(db, 'shop', 2_000),
    Array.from({ length: 1_000 }, (_, place) => ({ place })),
  );
});
