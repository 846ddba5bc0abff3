/** A node forgets subjects in memory when they are deleted. */

import test from 'ava';
import { createMarker, keySetting, makeKey } from '../../../src/repository/people/marks.ts';
import { upsertSetting } from '../../../src/repository/settings.ts';
import { createTestDatabase } from '../../support/database.ts';

test('a pseudonym depends on subject, environment and database', async (t) => {
  const db = await createTestDatabase(t);
  const other = await createTestDatabase(t);
  /** Test databases are copies of one template. */
  await upsertSetting(other, keySetting, makeKey());
  const [marker, again, elsewhere] = await Promise.all([db, db, other].map(createMarker));
  const mark = marker.markOf('shop', 'u:anna');
  t.is(again.markOf('shop', 'u:anna'), mark);
  t.not(elsewhere.markOf('shop', 'u:anna'), mark);
  t.false(mark.includes('anna'));
  const isMeant = marker.among([mark]);
  t.true(isMeant('shop', 'u:anna'));
  for (const [environment, subject] of [
    ['shop', 'd:anna'],
    ['news', 'u:anna'],
    ['shop', 'u:ann'],
  ])
    t.false(isMeant(environment, subject));
});
