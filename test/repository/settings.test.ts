import test from 'ava';
import { findSetting, upsertSetting } from '../../src/repository/settings.ts';
import { createTestDatabase } from '../support/database.ts';

test('a setting is found as it was last set', async (t) => {
  const db = await createTestDatabase(t);
  t.is(await findSetting(db, 'demo'), undefined);
  await upsertSetting(db, 'demo', { loaded: true });
  t.deepEqual(await findSetting(db, 'demo'), { loaded: true });
  await upsertSetting(db, 'demo', null);
  t.is(await findSetting(db, 'demo'), null);
});
