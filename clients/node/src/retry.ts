/**
 * Repeats calls that failed in passing, if they are idempotent. Pauses are random, so that callers that failed together do not come
 * back together (full jitter), and a budget bounds repetitions of all calls: when the service is down, it gets a tenth more
 * traffic and not three times as much (as gRPC's retry throttling does it).
 */

import type { Interceptor } from '@connectrpc/connect';
import { type PersonalisationError, toPersonalisationError } from './errors.ts';
import { isIdempotent } from './idempotency.ts';

export type RetryOptions = {
  /** Repetitions of one call, at most. */
  maxRetries: number;
  /** 0 to 1. */
  random: () => number;
};

const firstPauseMs = 50;
const longestPauseMs = 1_000;

/** Someone who asks to wait longer is told of instead; a page does not wait so long. */
const longestAskedPauseMs = 2_000;

export function createRetryInterceptor({ maxRetries, random }: RetryOptions): Interceptor {
  const budget = createRetryBudget();
  return (next) => async (request) => {
    if (request.stream) return next(request);
    const mayRepeat = isIdempotent(request.method, request.message);
    const endMs = performance.now() + Number(request.header.get('connect-timeout-ms') ?? Infinity);
    for (let retryCount = 0; ; retryCount += 1) {
      try {
        const response = await next(request);
        budget.succeed();
        return response;
      } catch (thrown) {
        const error = toPersonalisationError(thrown);
        const isWorthIt = isWorthRepeating(error) && budget.fail();
        if (!mayRepeat || !isWorthIt || retryCount >= maxRetries || request.signal.aborted) throw thrown;
        const pauseMs = pauseMsOf(error, retryCount, random);
        /** Nobody waits for a repetition that would come too late. */
        if (performance.now() + pauseMs >= endMs) throw thrown;
        await pause(pauseMs, request.signal);
      }
    }
  };
}

/** Not INTERNAL, which a repetition meets again, and not DEADLINE_EXCEEDED, after which nobody waits. */
function isWorthRepeating({ reason, retryAfterMs = 0 }: PersonalisationError): boolean {
  return (reason === 'UNAVAILABLE' || reason === 'RATE_LIMITED') && retryAfterMs <= longestAskedPauseMs;
}

function pauseMsOf({ retryAfterMs = 0 }: PersonalisationError, retryCount: number, random: () => number) {
  return retryAfterMs + random() * Math.min(longestPauseMs, firstPauseMs * 2 ** retryCount);
}

export type RetryBudget = {
  succeed(): void;
  /** Whether a repetition is still within the budget. */
  fail(): boolean;
};

/** Failures cost one each and successes earn a tenth; repetitions need more than half of what there can be. */
export function createRetryBudget(mostTokens = 20): RetryBudget {
  let tokens = mostTokens;
  return {
    succeed() {
      tokens = Math.min(mostTokens, tokens + 0.1);
    },
    fail() {
      tokens = Math.max(0, tokens - 1);
      return tokens > mostTokens / 2;
    },
  };
}

function pause(durationMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(end, durationMs);
    signal.addEventListener('abort', end, { once: true });
    function end() {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      if (signal.aborted) reject(signal.reason);
      else resolve();
    }
  });
}
