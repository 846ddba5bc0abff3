/**
 * Retries idempotent calls after transient failures. Pauses are random (full jitter), so that clients do not retry at the same
 * moment. A budget limits the retries of all calls, like gRPC's retry throttling: a service that is down gets a tenth more
 * traffic instead of three times as much.
 */

import type { Interceptor } from '@connectrpc/connect';
import { type PersonalisationError, toPersonalisationError } from './errors.ts';
import { isIdempotent } from './idempotency.ts';

export type RetryOptions = {
  /** Maximum retries of one call. */
  maxRetries: number;
  /** 0 to 1. */
  random: () => number;
};

const firstPauseMs = 50;
const longestPauseMs = 1_000;

/** A service that asks for a longer pause gets no retry; the error is reported at once. */
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
        /** A retry after the deadline would be useless. */
        if (performance.now() + pauseMs >= endMs) throw thrown;
        await pause(pauseMs, request.signal);
      }
    }
  };
}

/** INTERNAL would recur, and after DEADLINE_EXCEEDED the time is over. */
function isWorthRepeating({ reason, retryAfterMs = 0 }: PersonalisationError): boolean {
  return (reason === 'UNAVAILABLE' || reason === 'RATE_LIMITED') && retryAfterMs <= longestAskedPauseMs;
}

function pauseMsOf({ retryAfterMs = 0 }: PersonalisationError, retryCount: number, random: () => number) {
  return retryAfterMs + random() * Math.min(longestPauseMs, firstPauseMs * 2 ** retryCount);
}

export type RetryBudget = {
  succeed(): void;
  /** Tests whether the budget allows a retry. */
  fail(): boolean;
};

/** A failure costs one token and a success earns a tenth; retries need more than half of the maximum. */
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
