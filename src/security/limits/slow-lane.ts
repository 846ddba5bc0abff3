/**
 * Slows callers with repeatedly failing credentials.
 *
 * They are not refused, because valid credentials may come from the same address. Their attempts
 * run one at a time, so a flood of wrong credentials costs one verification at once. Only when too
 * many attempts wait, further ones are RATE_LIMITED.
 */

import { createCache } from '../../ranking/runtime/cache.ts';
import { getOrAdd } from '../../ranking/runtime/get-or-add.ts';
import { createGate, type Gate } from './gate.ts';
import { createTokenBuckets, type TokenBuckets, type TokenBucketsOptions } from './token-buckets.ts';

export type SlowLane = {
  /** Runs an attempt for a key. A result of undefined counts as a failure. */
  run<T>(key: string, attempt: () => Promise<T | undefined>): Promise<T | undefined>;
  failures: TokenBuckets;
};

const mostWaiting = 100;
/** Some 1,000 gates. Waiting calls hold their gate themselves. */
const mostBytes = 1024 * 1024;
const bytesOfGate = 800;

/** @param options Failures allowed for each key before it is slowed. */
export function createSlowLane(options: TokenBucketsOptions): SlowLane {
  const failures = createTokenBuckets(options);
  const gates = createCache<Gate>({ maxBytes: mostBytes, bytesOf: () => bytesOfGate });

  const gateOf = (key: string): Gate =>
    getOrAdd(gates, key, () => createGate({ concurrency: 1, mostWaiting }));

  return {
    failures,
    async run(key, attempt) {
      const result = await (failures.waitMs(key) > 0 ? gateOf(key).run(attempt) : attempt());
      if (result === undefined) failures.take(key);
      return result;
    },
  };
}
