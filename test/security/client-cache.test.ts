import test from 'ava';
import { DomainError } from '../../src/errors.ts';
import { createClientCache } from '../../src/security/client-cache.ts';
import { createTestClock } from './support/clock.ts';
import { outcomeOf } from './support/reasons.ts';
import { createMemoryClientStore } from './support/stores.ts';

const settled = () => new Promise((resolve) => setImmediate(resolve));

async function setUp() {
  const time = createTestClock();
  const store = createMemoryClientStore();
  await store.insert({ clientId: 'c_1', kind: 'confidential', name: 'a', scopes: ['items:*'], origins: [] });
  return { time, store, cache: createClientCache({ store, elapsedMs: time.elapsedMs }) };
}

test('a client is read once and then cached', async (t) => {
  const { store, cache } = await setUp();
  t.is(cache.peek('c_1'), undefined);
  t.is((await cache.find('c_1')).client?.clientId, 'c_1');
  t.is(cache.peek('c_1')?.client?.clientId, 'c_1');
  await cache.find('c_1');
  t.is(store.finds, 1);
});

test('an unknown client is cached as well', async (t) => {
  const { store, cache } = await setUp();
  t.deepEqual((await cache.find('wk_none')).client, undefined);
  t.truthy(cache.peek('wk_none'));
  await cache.find('wk_none');
  t.is(store.finds, 1);
});

test('concurrent calls share one read', async (t) => {
  const { store, cache } = await setUp();
  await Promise.all([cache.find('c_1'), cache.find('c_1'), cache.find('c_1')]);
  t.is(store.finds, 1);
});

test('a disabled client is refused after ten seconds at the latest', async (t) => {
  const { time, store, cache } = await setUp();
  await cache.find('c_1');
  await store.disable('c_1');
  time.advance(10_001);
  t.is(cache.peek('c_1'), undefined);
  t.truthy((await cache.find('c_1')).client?.disabledAt);
});

test('a client in use is read again in the background after five seconds', async (t) => {
  const { time, store, cache } = await setUp();
  await cache.find('c_1');
  await store.disable('c_1');
  time.advance(5_000);
  t.is(cache.peek('c_1')?.client?.disabledAt, undefined);
  cache.peek('c_1');
  await settled();
  t.is(store.finds, 2);
  t.truthy(cache.peek('c_1')?.client?.disabledAt);
});

test('an unavailable database is queried once a second, without effect for ten seconds', async (t) => {
  const { time, store, cache } = await setUp();
  await cache.find('c_1');
  store.fault = new DomainError('UNAVAILABLE', 'away');
  time.advance(6_000);
  for (let call = 0; call < 10; call++) {
    t.truthy(cache.peek('c_1'));
    await settled();
  }
  t.is(store.finds, 2);
  time.advance(4_001);
  t.is(await outcomeOf(() => cache.find('c_1')), 'UNAVAILABLE');
  store.fault = undefined;
  t.is(await outcomeOf(() => cache.find('c_1')), 'ok');
});
