import test from 'ava';
import { findSetting, insertSetting, upsertSetting } from '../../src/repository/settings.ts';
import { createTestDatabase } from '../support/database.ts';

test('a setting is found as it was last set', async (t) => {
  const db = await createTestDatabase(t);
  t.is(await findSetting(db, 'demo'), undefined);
  await upsertSetting(db, 'demo', { loaded: true });
  t.deepEqual(await findSetting(db, 'demo'), { loaded: true });
  await upsertSetting(db, 'demo', null);
  t.is(await findSetting(db, 'demo'), null);
});

test('of several nodes one makes a setting', async (t) => {
  const db = await createTestDatabase(t);
  const made = await Promise.all([1, 2, 3, 4].map((node) => insertSetting(db, 'demo', { node })));
  t.is(made.filter(Boolean).length, 1);
  t.deepEqual(await findSetting(db, 'demo'), { node: made.indexOf(true) + 1 });
});
