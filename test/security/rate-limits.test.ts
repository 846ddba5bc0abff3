import test from 'ava';
import type { RateLimitSettings } from '../../src/deployment/deployment.ts';
import type { Caller } from '../../src/security/caller.ts';
import { createRateLimits, type LimitedCall, mostAtOnce } from '../../src/security/rate-limits.ts';
import { createTestClock } from './support/clock.ts';
import { errorOf, outcomeOf } from './support/reasons.ts';

const peer = '192.0.2.1';
const caller: Caller = { clientId: 'c_1', kind: 'confidential', scopes: [] };
const writeKey: Caller = { clientId: 'wk_1', kind: 'write_key', scopes: [] };
const putItem = { name: 'ItemService/PutItem', scope: 'items' };
const createSearch = { name: 'SearchService/CreateSearch', scope: 'searches' };

type Given = Partial<{ clientIds: string[]; operations: string[] }> &
  Partial<Pick<RateLimitSettings, 'perSecond' | 'burst' | 'atOnce'>>;

function setUp(...given: Given[]) {
  const time = createTestClock();
  const settings = given.map(
    ({ clientIds = [], operations = [], burst = 1, ...one }): RateLimitSettings => ({
      ...one,
      burst,
      clientIds: new Set(clientIds),
      operations: new Set(operations),
    }),
  );
  const limits = createRateLimits({ settings, elapsedMs: time.elapsedMs });
  /** Calls until one is refused, each ended at once. */
  const takeAll = async (call: LimitedCall, operation = putItem, most = 10_000) => {
    for (let taken = 0; taken < most; taken++) {
      if ((await outcomeOf(() => limits.take(call, operation))) !== 'ok') return taken;
      call.leave?.();
    }
    return most;
  };
  return { time, limits, takeAll };
}

test('a caller may call in a burst and then at the limited rate', async (t) => {
  const { time, takeAll } = setUp({ perSecond: 2, burst: 3 });
  t.is(await takeAll({ peer, caller }), 3);
  time.advance(500);
  t.is(await takeAll({ peer, caller }), 1);
  time.advance(1000);
  t.is(await takeAll({ peer, caller }), 2);
  time.advance(60_000);
  t.is(await takeAll({ peer, caller }), 3);
});

test('a refusal has the number of seconds to wait', async (t) => {
  const { limits, takeAll } = setUp({ perSecond: 0.1, burst: 1 });
  await takeAll({ peer, caller });
  const error = await errorOf(() => limits.take({ peer, caller }, putItem));
  t.is(error?.reason, 'RATE_LIMITED');
  t.deepEqual(error?.metadata, { retry_after_seconds: '10' });
});

test('every call gets its remaining quota, including refused ones', async (t) => {
  const { limits } = setUp({ perSecond: 2, burst: 3 });
  const quotas: LimitedCall['quota'][] = [];
  for (let index = 0; index < 4; index++) {
    const call: LimitedCall = { peer };
    await outcomeOf(() => limits.take(call, putItem));
    quotas.push(call.quota);
  }
  t.deepEqual(
    quotas.map((quota) => quota?.remaining),
    [2, 1, 0, 0],
  );
  t.deepEqual(quotas[3], { limit: 3, remaining: 0, resetSeconds: 2 });
});

test('clients are limited separately, from any address', async (t) => {
  const { takeAll } = setUp({ perSecond: 2, burst: 3 });
  t.is(await takeAll({ peer, caller }), 3);
  t.is(await takeAll({ peer: '192.0.2.2', caller }), 0);
  t.is(await takeAll({ peer, caller: { ...caller, clientId: 'c_2' } }), 3);
});

test('calls without a client, and with a write key, are limited by peer', async (t) => {
  const { takeAll } = setUp({ perSecond: 2, burst: 3 });
  t.is(await takeAll({ peer }), 3);
  t.is(await takeAll({ peer, caller: writeKey }), 0);
  t.is(await takeAll({ peer: '192.0.2.2', caller: writeKey }), 3);
});

test('the first limit that matches caller and operation applies', async (t) => {
  const { takeAll } = setUp(
    { clientIds: ['c_1'], operations: ['searches'], perSecond: 1, burst: 5 },
    { clientIds: ['c_1'] },
    { operations: ['ItemService/PutItem'], perSecond: 1, burst: 2 },
  );
  t.is(await takeAll({ peer, caller }, createSearch), 5);
  t.is(await takeAll({ peer, caller }, putItem), 10_000);
  t.is(await takeAll({ peer }, putItem), 2);
  t.is(await takeAll({ peer }, createSearch), 10_000);
});

test('without limits any rate is allowed, up to the number of concurrent calls', async (t) => {
  const { limits, takeAll } = setUp();
  t.is(await takeAll({ peer }), 10_000);
  const running = Array.from({ length: mostAtOnce.peer }, (): LimitedCall => ({ peer }));
  for (const call of running) limits.take(call, putItem);
  t.is(await outcomeOf(() => limits.take({ peer }, createSearch)), 'RATE_LIMITED');
  t.is(await outcomeOf(() => limits.take({ peer, caller }, createSearch)), 'ok');
  t.is(await outcomeOf(() => limits.take({ peer: '192.0.2.2' }, createSearch)), 'ok');
  const [first] = running;
  const { leave } = first;
  leave!();
  leave!();
  t.is(await outcomeOf(() => limits.take({ peer }, putItem)), 'ok');
  t.is(await outcomeOf(() => limits.take({ peer }, putItem)), 'RATE_LIMITED');
});
