/**
 * Token buckets by key, stored as one number each (generic cell rate algorithm, ITU-T I.371).
 *
 * A bucket stores the time at which it will be full. Taking a token moves that time one interval
 * ahead; a bucket that will be full later than the burst allows is empty. No timers are needed.
 * Beyond `maxBytes`, the least recently used bucket is dropped, which makes it full.
 */
import { createCache } from '../../ranking/runtime/cache.ts';

export type TokenBucketsOptions = {
  perSecond: number;
  /** Tokens in a full bucket, at least 1. */
  burst: number;
  /** Bytes of all buckets with their keys; some 200 for an address. */
  maxBytes: number;
  elapsedMs: () => number;
};

export type TokenBuckets = {
  /** Takes a token and returns 0, or returns the milliseconds until one is available. */
  take(key: string): number;
  /** Returns the milliseconds until a token is available. */
  waitMs(key: string): number;
  /** Returns the bucket's size, the tokens left and the whole seconds until it is full. */
  quotaOf(key: string): { limit: number; remaining: number; resetSeconds: number };
};

type Bucket = { fullAtMs: number };

const bucketBytes = 32;

export function createTokenBuckets(options: TokenBucketsOptions): TokenBuckets {
  const { perSecond, burst, maxBytes, elapsedMs } = options;
  const intervalMs = 1000 / perSecond;
  const toleranceMs = (burst - 1) * intervalMs;
  const roundingMs = intervalMs / 1000;
  /** Small numbers lose less precision. */
  const startMs = elapsedMs();
  const buckets = createCache<Bucket>({ maxBytes, bytesOf: () => bucketBytes });

  function untilToken(bucket: Bucket, nowMs: number): number {
    const missingMs = bucket.fullAtMs - nowMs - toleranceMs;
    return missingMs > roundingMs ? missingMs : 0;
  }

  function take(key: string): number {
    const nowMs = elapsedMs() - startMs;
    const bucket = buckets.get(key);
    if (!bucket) {
      buckets.set(key, { fullAtMs: nowMs + intervalMs });
      return 0;
    }
    const missingMs = untilToken(bucket, nowMs);
    if (missingMs === 0) bucket.fullAtMs = Math.max(bucket.fullAtMs, nowMs) + intervalMs;
    return missingMs;
  }

  function waitMs(key: string): number {
    const bucket = buckets.get(key);
    return bucket ? untilToken(bucket, elapsedMs() - startMs) : 0;
  }

  function quotaOf(key: string) {
    const bucket = buckets.get(key);
    const missingMs = bucket ? Math.max(0, bucket.fullAtMs - (elapsedMs() - startMs)) : 0;
    const remaining = Math.max(0, Math.floor(burst - missingMs / intervalMs + 1e-3));
    return { limit: burst, remaining, resetSeconds: Math.ceil(missingMs / 1000) };
  }

  return { take, waitMs, quotaOf };
}
