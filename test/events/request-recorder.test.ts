import test from 'ava';
import type { Logger } from 'pino';
import { createRequestRecorder } from '../../src/events/request-recorder.ts';
import { listRecordedRequests } from '../../src/repository/kept/recorded-requests.ts';
import { createTestDatabase, silentLogger } from '../support/database.ts';

test('a few requests are recorded per flush, and no long one', async (t) => {
  const db = await createTestDatabase(t);
  const recorder = createRequestRecorder({ db, logger: silentLogger as unknown as Logger });
  let readCount = 0;
  const record = (request: object) =>
    recorder.record('shop', () => {
      readCount += 1;
      return request;
    });
  for (let i = 0; i < 100; i++) record({ number: i, note: 'x'.repeat(40_000) });
  await recorder.flush();
  t.deepEqual(await listRecordedRequests(db, 'shop', 100), []);
  t.true(readCount <= 10, 'a long request costs a place of the sample, too');
  for (let i = 0; i < 100; i++) record({ number: i, note: 'x'.repeat(30_000) });
  await recorder.flush();
  t.is((await listRecordedRequests(db, 'shop', 100)).length, 10);
});
