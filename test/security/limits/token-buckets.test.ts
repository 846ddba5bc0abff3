import test from 'ava';
import { createTokenBuckets } from '../../../src/security/limits/token-buckets.ts';
import { fc } from '../../support/properties.ts';
import { createTestClock } from '../support/clock.ts';

test('a bucket equals one that is filled step by step', (t) => {
  const pauses = fc.array(fc.integer({ min: 0, max: 1500 }), { maxLength: 60 });
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 8 }),
      pauses,
      (perSecond, burst, steps) => {
        const time = createTestClock();
        const buckets = createTokenBuckets({ perSecond, burst, maxBytes: 10_000, elapsedMs: time.elapsedMs });
        let tokens = burst;
        for (const pauseMs of steps) {
          time.advance(pauseMs);
          tokens = Math.min(burst, tokens + (pauseMs * perSecond) / 1000);
          if (Math.abs(tokens - 1) < 0.01) break;
          t.is(buckets.waitMs('k') === 0, tokens > 1);
          t.is(buckets.take('k') === 0, tokens > 1);
          if (tokens > 1) tokens -= 1;
        }
      },
    ),
  );
});

test('the wait is the time until a token can be taken', (t) => {
  const time = createTestClock();
  const buckets = createTokenBuckets({ perSecond: 4, burst: 2, maxBytes: 10_000, elapsedMs: time.elapsedMs });
  buckets.take('k');
  buckets.take('k');
  t.is(buckets.waitMs('k'), 250);
  t.is(buckets.take('k'), 250);
  time.advance(250);
  t.is(buckets.waitMs('k'), 0);
  t.is(buckets.take('k'), 0);
});

test('keys beyond the limit evict the least recently used one', (t) => {
  const { elapsedMs } = createTestClock();
  const buckets = createTokenBuckets({ perSecond: 1, burst: 1, maxBytes: 400, elapsedMs });
  for (const key of ['a', 'b', 'c']) buckets.take(key);
  t.is(buckets.take('a'), 0);
  t.true(buckets.take('c') > 0);
});
