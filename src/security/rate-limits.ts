/** The rate limit over all operations: a token bucket per client, or per peer where there is no client. */
import type { CallCredentials, Caller } from './caller.ts';
import { peerKey } from './limits/peers.ts';
import { rateLimited } from './limits/rate-limited.ts';
import { createTokenBuckets } from './limits/token-buckets.ts';

export type RateLimits = {
  /** Counts a call after its authentication; RATE_LIMITED when its caller has no tokens left. */
  take(call: Pick<CallCredentials, 'peer'> & { caller?: Caller }): void;
};

export type RateLimitSettings = {
  /** Calls per second that a caller may keep up; 0 switches the limit off. */
  perSecond: number;
  /** Calls at once after a pause, at least 1. */
  burst: number;
};

/** Far above one front end's traffic, below what starves a node's other callers. */
export const defaultRateLimits: RateLimitSettings = { perSecond: 20_000, burst: 40_000 };

/** Callers remembered; about 10 MB. */
const mostCallers = 50_000;

export type RateLimitsOptions = {
  settings?: RateLimitSettings;
  /** Milliseconds on a clock that never goes back. */
  elapsedMs: () => number;
};

export function createRateLimits({ settings = defaultRateLimits, elapsedMs }: RateLimitsOptions): RateLimits {
  if (settings.perSecond === 0) return { take: () => undefined };
  const buckets = createTokenBuckets({ ...settings, mostKeys: mostCallers, elapsedMs });
  return {
    take({ caller, peer }) {
      const waitMs = buckets.take(countedAs(caller, peer));
      if (waitMs > 0) throw rateLimited('Too many calls', waitMs);
    },
  };
}

/** Everybody on all pages shares one write key, so its calls count by peer. */
function countedAs(caller: Caller | undefined, peer: string): string {
  return caller?.kind === 'confidential' ? caller.clientId : peerKey(peer);
}
