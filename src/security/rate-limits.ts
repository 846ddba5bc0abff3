/**
 * What one caller may do at once and in a while, so that nobody starves the others of a node. A caller is a client, or a peer
 * where there is no client. The deployment's limits are read in order, and the first that names caller and operation counts;
 * calls that none of them names are bounded in how many are under way, which protects a small machine as well as a large one.
 */
import type { RateLimitSettings } from '../deployment/deployment.ts';
import type { CallCredentials, Caller } from './caller.ts';
import { peerKey } from './limits/peers.ts';
import { rateLimited } from './limits/rate-limited.ts';
import { createTokenBuckets, type TokenBuckets } from './limits/token-buckets.ts';

export type RateLimits = {
  /** Counts a call after its authentication; RATE_LIMITED when its caller may not call now. */
  take(call: LimitedCall, operation: OperationName): void;
};

export type LimitedCall = Pick<CallCredentials, 'peer'> & {
  caller?: Caller;
  /** Set for a counted call: what it counts under. */
  callerKey?: string;
  /** Set where the rate is limited. */
  quota?: Quota;
  /** Set for a counted call: to be called at its end, more than once does no harm. */
  leave?: () => void;
};

/** `ItemService/PutItem`, and its scope. */
export type OperationName = { name: string; scope: string };

/** What is left to a caller, for the `RateLimit-` headers. */
export type Quota = { limit: number; remaining: number; resetSeconds: number };

/** Calls under way where the deployment does not say: far above a page's, and a small machine answers them in a moment. */
export const mostAtOnce = { peer: 500, client: 5_000 };

/** Of the callers remembered for each limit, some 50,000. */
const maxBytes = 10 * 1024 * 1024;

/** After which a caller with too many calls under way is worth hearing again. */
const pauseMs = 1_000;

export type RateLimitsOptions = {
  settings: readonly RateLimitSettings[];
  /** Milliseconds on a clock that never goes back. */
  elapsedMs: () => number;
};

type Limit = RateLimitSettings & { buckets?: TokenBuckets; running: Map<string, number> };

const everybody: RateLimitSettings = { clientIds: new Set(), operations: new Set(), burst: 1 };

export function createRateLimits({ settings, elapsedMs }: RateLimitsOptions): RateLimits {
  const limits = [...settings, everybody].map((one): Limit => {
    const { perSecond, burst } = one;
    const buckets = perSecond && createTokenBuckets({ perSecond, burst, maxBytes, elapsedMs });
    return { ...one, buckets: buckets || undefined, running: new Map() };
  });
  const byOperation = new Map<string, Limit[]>();

  function limitsOf({ name, scope }: OperationName): Limit[] {
    const known = byOperation.get(name);
    if (known) return known;
    const named = limits.filter(({ operations }) => {
      return operations.size === 0 || operations.has(name) || operations.has(scope);
    });
    byOperation.set(name, named);
    return named;
  }

  return {
    take(call, operation) {
      const { caller, peer } = call;
      const isFor = ({ clientIds }: Limit) =>
        clientIds.size === 0 || (caller !== undefined && clientIds.has(caller.clientId));
      const limit = limitsOf(operation).find(isFor)!;
      const isClient = caller?.kind === 'confidential';
      /** Everybody on all pages shares one write key, so its calls count by peer. */
      const key = isClient ? caller.clientId : peerKey(peer);
      call.callerKey = key;
      if (limit.buckets) countRate(call, key, limit.buckets);
      countRunning(call, key, limit.running, limit.atOnce ?? mostAtOnce[isClient ? 'client' : 'peer']);
    },
  };
}

function countRate(call: LimitedCall, key: string, buckets: TokenBuckets): void {
  const waitMs = buckets.take(key);
  call.quota = buckets.quotaOf(key);
  if (waitMs > 0) throw rateLimited('Too many calls', waitMs);
}

/**
 * Callers that are remembered with no call under way. Entries that come and go with each call leave tables behind, each of
 * which refers to the next: garbage that lives.
 */
const mostIdle = 1_000;

function countRunning(call: LimitedCall, key: string, running: Map<string, number>, most: number): void {
  const count = running.get(key) ?? 0;
  if (count >= most) throw rateLimited(`More than ${most} calls are under way`, pauseMs);
  running.set(key, count + 1);
  let isRunning = true;
  const leave = () => {
    if (!isRunning) return;
    isRunning = false;
    const left = running.get(key)! - 1;
    if (left > 0 || running.size <= mostIdle) running.set(key, left);
    else running.delete(key);
  };
  call.leave = leave;
}
