/** Reasons for a missing history: too late, or refused by the database. */

import test from 'ava';
import { createHistoryReader } from '../../../src/events/histories/history-reader.ts';
import { createLogger } from '../../../src/servers/telemetry/logger.ts';
import { createTestDatabase } from '../../support/database.ts';

test('the reader of a history learns whether it was late or failed', async (t) => {
  const db = await createTestDatabase(t);
  const read = createHistoryReader({ db, logger: createLogger('silent') });
  const told: string[] = [];
  const ask = (deviceId: string, waitMs: number) => {
    const deadlineMs = performance.now() + waitMs;
    const onLack = (lack: string) => void told.push(lack);
    return read({ environment: 'e', deviceId, deadlineMs, onLack }, false);
  };
  t.deepEqual((await ask('known', 60_000))?.entries, []);
  t.deepEqual(told, []);

  const holder = await db.pool.connect();
  await holder.query('begin; lock table histories in access exclusive mode');
  t.is(await ask('late', 50), undefined);
  await holder.query('rollback');
  holder.release();
  t.deepEqual(told, ['deadline']);

  await db.pool.query('alter table histories rename to elsewhere');
  t.is(await ask('refused', 60_000), undefined);
  t.deepEqual(told, ['deadline', 'database']);
});
