import { setImmediate as nextTurn } from 'node:timers/promises';
import test from 'ava';
import { createCompletionIds } from '../../../src/handlers/searches/completion-ids.ts';
import { claimBlock } from '../../../src/repository/feeds.ts';
import { createLogger } from '../../../src/servers/telemetry/logger.ts';
import { createTestDatabase } from '../../support/database.ts';

const logger = createLogger('silent');
const idsPerBlock = 2 ** 20;

test('identifiers of two nodes and of a restart never collide', async (t) => {
  const db = await createTestDatabase(t);
  const given = new Set<number>();
  for (const _ of ['a node', 'another', 'a restart']) {
    const ids = createCompletionIds({ claimBlock: () => claimBlock(db), logger });
    await ids.start();
    for (let i = 0; i < 1_000; i++) {
      const id = ids.next();
      t.true(Number.isSafeInteger(id) && id >= 0);
      given.add(id);
    }
  }
  t.is(given.size, 3_000);
});

test('a used-up block is followed by the next', async (t) => {
  let claimed = 4n;
  const ids = createCompletionIds({ claimBlock: async () => ++claimed, logger });
  await ids.start();
  const given: number[] = [];
  for (let i = 0; i < idsPerBlock + 2; i++) {
    given.push(ids.next());
    if (i === idsPerBlock / 2) await nextTurn();
  }
  t.is(new Set(given).size, given.length);
  t.is(given[0], 5 * idsPerBlock);
  t.true(given.every((id) => Number.isSafeInteger(id)));
});

test('blocks beyond 2^33 still give whole numbers below 2^53', async (t) => {
  const ids = createCompletionIds({ claimBlock: async () => 2n ** 63n + 2n ** 33n - 1n, logger });
  await ids.start();
  t.is(ids.next(), (2 ** 33 - 1) * idsPerBlock);
});

test('identifiers are random without a database', async (t) => {
  const ids = createCompletionIds({ claimBlock: () => Promise.reject(new Error('away')), logger });
  await ids.start();
  const given = Array.from({ length: 100 }, ids.next);
  t.true(given.every((id) => Number.isSafeInteger(id) && id >= 0));
  t.is(new Set(given).size, 100);
});
