/**
 * What becomes of callers whose credentials keep failing. They are not refused, since the right credentials may come from the
 * same address; they go on one at a time. So a flood of wrong ones costs one verification at once, and a right one waits for
 * those before it. Only when too many wait already, more are RATE_LIMITED.
 */
import { createCache } from '../../ranking/runtime/cache.ts';
import { createGate, type Gate } from './gate.ts';
import { createTokenBuckets, type TokenBuckets, type TokenBucketsOptions } from './token-buckets.ts';

export type SlowLane = {
  /** Runs an attempt on somebody's behalf; one that answers undefined has failed. */
  run<T>(key: string, attempt: () => Promise<T | undefined>): Promise<T | undefined>;
  failures: TokenBuckets;
};

const mostWaiting = 100;
/** Of some 1,000 gates; calls that wait at one stand there themselves. */
const mostBytes = 1024 * 1024;
const bytesOfGate = 800;

/** @param options How many failures a key may have before it is slowed. */
export function createSlowLane(options: TokenBucketsOptions): SlowLane {
  const failures = createTokenBuckets(options);
  const gates = createCache<Gate>({ maxBytes: mostBytes, bytesOf: () => bytesOfGate });

  function gateOf(key: string): Gate {
    const known = gates.get(key);
    if (known) return known;
    const gate = createGate({ concurrency: 1, mostWaiting });
    gates.set(key, gate);
    return gate;
  }

  return {
    failures,
    async run(key, attempt) {
      const result = await (failures.waitMs(key) > 0 ? gateOf(key).run(attempt) : attempt());
      if (result === undefined) failures.take(key);
      return result;
    },
  };
}
