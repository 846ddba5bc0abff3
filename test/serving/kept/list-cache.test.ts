import test, { type ExecutionContext } from 'ava';
import { type CachedList, createListCache } from '../../../src/serving/kept/list-cache.ts';
import { createLogger } from '../../../src/telemetry/logger.ts';
import { createTestDatabase } from '../../support/database.ts';

const lifetimeMs = 60_000;

const list = (listName: string): CachedList => ({
  kind: 'recommendations',
  configurationId: 'c',
  listName,
  deviceId: 'd',
  requestId: 'r',
  userGroup: 'recommender',
  version: 'default',
  items: [['ü "x"\n', 'article']],
});

async function start(t: ExecutionContext) {
  const db = await createTestDatabase(t);
  const clock = { nowMs: Date.now() };
  const cache = createListCache({ db, clock: () => clock.nowMs, logger: createLogger('silent') });
  const expiryOf = async (key: string) => {
    const { rows } = await db.pool.query('select expires_at from lists where list_key = $1', [key]);
    return rows[0].expires_at.getTime();
  };
  return { cache, clock, expiryOf };
}

test('what is stored is found, in its environment', async (t) => {
  const { cache } = await start(t);
  await cache.store(
    'e',
    new Map([
      ['k', list('one')],
      ['l', list('two')],
    ]),
    lifetimeMs,
  );
  t.deepEqual(await cache.find('e', 'k', lifetimeMs), list('one'));
  t.deepEqual(await cache.find('e', 'l', lifetimeMs), list('two'));
  t.is(await cache.find('other', 'k', lifetimeMs), undefined);
  t.is(await cache.find('e', 'unknown', lifetimeMs), undefined);
});

test('lists of concurrent requests are all kept', async (t) => {
  const { cache } = await start(t);
  const keys = Array.from({ length: 1_200 }, (_, i) => `key ${i}`);
  await Promise.all(keys.map((key) => cache.store('e', new Map([[key, list(key)]]), lifetimeMs)));
  const found = await Promise.all(keys.map((key) => cache.find('e', key, lifetimeMs)));
  t.deepEqual(
    found.map((one) => one?.listName),
    keys,
  );
});

test('a read renews a list once a tenth of its life has passed', async (t) => {
  const { cache, clock, expiryOf } = await start(t);
  await cache.store('e', new Map([['k', list('l')]]), lifetimeMs);
  const first = await expiryOf('k');
  clock.nowMs += lifetimeMs * 0.05;
  await cache.find('e', 'k', lifetimeMs);
  t.is(await expiryOf('k'), first);
  clock.nowMs += lifetimeMs * 0.1;
  await cache.find('e', 'k', lifetimeMs);
  t.is(await expiryOf('k'), clock.nowMs + lifetimeMs);
});
