/** Buffered recent queries of a subject. */

import test from 'ava';
import { createTypedQueries } from '../../../../src/handlers/searches/queries/typed-queries.ts';
import { createLogger } from '../../../../src/servers/telemetry/logger.ts';
import { createTestDatabase } from '../../../support/database.ts';

test('the number of a subject’s queries that wait for an unavailable database is bounded', async (t) => {
  const db = await createTestDatabase(t);
  const forgetDeleted = () => Promise.reject(new Error('away'));
  const queries = createTypedQueries({ db, forgetDeleted, logger: createLogger('silent') });
  const owner = { environment: 'shop', userId: undefined, deviceId: 'phone', isRobot: false };
  for (let i = 1; i <= 30; i++) {
    queries.record(owner, `query ${i}`);
    await queries.flush();
  }
  t.deepEqual(
    await queries.of(owner),
    Array.from({ length: 20 }, (_, i) => `query ${30 - i}`),
  );
});
