import test from 'ava';
import { createCompletionIds } from '../../../src/handlers/searches/completion-ids.ts';
import { claimNodeStart } from '../../../src/repository/feeds.ts';
import { createTestDatabase } from '../../support/database.ts';

test('identifiers of two nodes and of a restart never collide', async (t) => {
  const db = await createTestDatabase(t);
  const given = new Set<number>();
  for (const _ of ['a node', 'another', 'a restart']) {
    const ids = createCompletionIds(() => claimNodeStart(db));
    await ids.start();
    for (let i = 0; i < 1_000; i++) {
      const id = ids.next();
      t.true(Number.isSafeInteger(id) && id >= 0);
      given.add(id);
    }
  }
  t.is(given.size, 3_000);
});

test('starts beyond 2^20 still give whole numbers below 2^53', async (t) => {
  const ids = createCompletionIds(async () => 2 ** 40 + 2 ** 20 - 1);
  await ids.start();
  t.is(ids.next(), (2 ** 20 - 1) * 2 ** 33);
  t.true(Number.isSafeInteger(ids.next()));
});
