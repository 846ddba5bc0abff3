import test from 'ava';
import type { Caller } from '../../src/security/caller.ts';
import { createRateLimits } from '../../src/security/rate-limits.ts';
import { createTestClock } from './support/clock.ts';
import { errorOf, outcomeOf } from './support/reasons.ts';

const peer = '192.0.2.1';
const caller: Caller = { clientId: 'c_1', kind: 'confidential', scopes: [] };
const writeKey: Caller = { clientId: 'wk_1', kind: 'write_key', scopes: [] };

function setUp(perSecond = 2, burst = 3) {
  const time = createTestClock();
  const limits = createRateLimits({ settings: { perSecond, burst }, elapsedMs: time.elapsedMs });
  const takeAll = async (call: { peer: string; caller?: Caller }) => {
    let taken = 0;
    while ((await outcomeOf(() => limits.take(call))) === 'ok') taken++;
    return taken;
  };
  return { time, limits, takeAll };
}

test('a caller may call in a burst and then as often as the limit says', async (t) => {
  const { time, takeAll } = setUp();
  t.is(await takeAll({ peer, caller }), 3);
  time.advance(500);
  t.is(await takeAll({ peer, caller }), 1);
  time.advance(1000);
  t.is(await takeAll({ peer, caller }), 2);
  time.advance(60_000);
  t.is(await takeAll({ peer, caller }), 3);
});

test('a refusal says after how many seconds to try again', async (t) => {
  const { limits, takeAll } = setUp(0.1, 1);
  await takeAll({ peer, caller });
  const error = await errorOf(() => limits.take({ peer, caller }));
  t.is(error?.reason, 'RATE_LIMITED');
  t.deepEqual(error?.metadata, { retry_after_seconds: '10' });
});

test('clients are limited each by itself, wherever they call from', async (t) => {
  const { takeAll } = setUp();
  t.is(await takeAll({ peer, caller }), 3);
  t.is(await takeAll({ peer: '192.0.2.2', caller }), 0);
  t.is(await takeAll({ peer, caller: { ...caller, clientId: 'c_2' } }), 3);
});

test('calls without a client, and with a write key, are limited by peer', async (t) => {
  const { takeAll } = setUp();
  t.is(await takeAll({ peer }), 3);
  t.is(await takeAll({ peer, caller: writeKey }), 0);
  t.is(await takeAll({ peer: '192.0.2.2', caller: writeKey }), 3);
});

test('the limit can be switched off', async (t) => {
  const { limits } = setUp(0, 1);
  t.notThrows(() => {
    for (let call = 0; call < 1000; call++) limits.take({ peer });
  });
});

test('without settings a caller has forty thousand calls at once', async (t) => {
  const { elapsedMs } = createTestClock();
  const limits = createRateLimits({ elapsedMs });
  for (let call = 0; call < 40_000; call++) limits.take({ peer });
  t.is(await outcomeOf(() => limits.take({ peer })), 'RATE_LIMITED');
});
