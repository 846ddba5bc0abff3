/**
 * Limits the rate and the concurrency of each caller, so that one caller cannot starve the others.
 *
 * A caller is a client, or a peer without a client. The first limit of the deployment that names
 * the caller and the operation applies. Other calls are limited in concurrency only.
 */

import type { RateLimitSettings } from '../deployment/deployment.ts';
import { getOrAdd } from '../ranking/runtime/get-or-add.ts';
import type { CallCredentials, Caller } from './caller.ts';
import { rateLimited } from './limits/gate.ts';
import { peerKey } from './limits/peers.ts';
import { createTokenBuckets, type TokenBuckets } from './limits/token-buckets.ts';

export type RateLimits = {
  /** Counts an authenticated call. @throws RATE_LIMITED if the caller exceeds its limit. */
  take(call: LimitedCall, operation: OperationName): void;
};

export type LimitedCall = Pick<CallCredentials, 'peer'> & {
  caller?: Caller;
  /** Key that the call is counted under. Set by `take`. */
  callerKey?: string;
  /** Set by `take` if the rate is limited. */
  quota?: Quota;
  /** Ends the call; further calls have no effect. Set by `take`. Transports call it when the work has ended and the answer is sent. */
  leave?: () => void;
};

/** For example `ItemService/PutItem`, and its scope. */
export type OperationName = { name: string; scope: string };

/** Values of the `RateLimit-` headers. */
export type Quota = { limit: number; remaining: number; resetSeconds: number };

/** Default concurrency. A page needs far less, and a small machine can serve it. */
export const mostAtOnce = { peer: 500, client: 5_000 };

/** Some 50,000 callers for each limit. */
const maxBytes = 10 * 1024 * 1024;

/** Suggested pause for a caller with too many concurrent calls. */
const pauseMs = 1_000;

export type RateLimitsOptions = {
  settings: readonly RateLimitSettings[];
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

  const limitsOf = ({ name, scope }: OperationName): Limit[] =>
    getOrAdd(byOperation, name, () =>
      limits.filter(({ operations }) => {
        return operations.size === 0 || operations.has(name) || operations.has(scope);
      }),
    );

  return {
    take(call, operation) {
      const { caller, peer } = call;
      const isFor = ({ clientIds }: Limit) =>
        clientIds.size === 0 || (caller !== undefined && clientIds.has(caller.clientId));
      const limit = limitsOf(operation).find(isFor)!;
      const isClient = caller?.kind === 'confidential';
      /** All pages share one write key, so its calls count by peer. */
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

/** Idle callers that keep their entry: changing entries leave garbage that lasts. */
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
