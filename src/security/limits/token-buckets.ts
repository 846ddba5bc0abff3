/**
 * Token buckets by key, as one number each: the generic cell rate algorithm (ITU-T I.371).
 *
 * A bucket holds the moment at which it will be full again. Taking moves that moment one interval ahead; a bucket whose moment
 * is more than the burst ahead is empty. Nothing has to be filled, so there are no timers; the least recently used bucket is
 * forgotten, which makes it full, when all together take more than `maxBytes`.
 */
import { createCache } from '../../ranking/runtime/cache.ts';

export type TokenBucketsOptions = {
  perSecond: number;
  /** Tokens in a full bucket, at least 1. */
  burst: number;
  /** Of all buckets and their keys; one of a usual address takes some 200. */
  maxBytes: number;
  /** Milliseconds on a clock that never goes back. */
  elapsedMs: () => number;
};

export type TokenBuckets = {
  /** Takes a token and answers 0, or takes none and answers the milliseconds until there is one. */
  take(key: string): number;
  /** The milliseconds until there is a token, 0 when there is one. */
  waitMs(key: string): number;
  /** Tokens of a full bucket, those that are left, and the whole seconds until it is full again. */
  quotaOf(key: string): { limit: number; remaining: number; resetSeconds: number };
};

type Bucket = { fullAtMs: number };

/** An object and its number. */
const bucketBytes = 32;

export function createTokenBuckets(options: TokenBucketsOptions): TokenBuckets {
  const { perSecond, burst, maxBytes, elapsedMs } = options;
  const intervalMs = 1000 / perSecond;
  const toleranceMs = (burst - 1) * intervalMs;
  const roundingMs = intervalMs / 1000;
  /** Small numbers round less. */
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
