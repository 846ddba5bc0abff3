/** Timeouts of reads that have no fallback for missing data. */

import type { Deployment, EnvironmentSettings } from './deployment.ts';

const leastMs = 1_000;

/** Returns the environment's `timeout_ms`, at least a second: after it, the answer is an error. */
export function readPatienceMs({ timeoutMs }: Pick<EnvironmentSettings, 'timeoutMs'>): number {
  return Math.max(leastMs, timeoutMs);
}

/** Returns the longest timeout of all environments, for reads before the environment is known. */
export function longestPatienceMs({ environments }: Pick<Deployment, 'environments'>): number {
  return Math.max(...[...environments.values()].map(readPatienceMs));
}
