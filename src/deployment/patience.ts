/** How long a read waits for the database where nothing can stand in for what is stored. */

import type { Deployment, EnvironmentSettings } from './deployment.ts';

const leastMs = 1_000;

/** The environment's `timeout_ms`, and no less than a second: the answer after it is an error, not a lesser list. */
export function readPatienceMs({ timeoutMs }: Pick<EnvironmentSettings, 'timeoutMs'>): number {
  return Math.max(leastMs, timeoutMs);
}

/** The same where the environment is not known yet: that of the most patient one. */
export function longestPatienceMs({ environments }: Pick<Deployment, 'environments'>): number {
  return Math.max(...[...environments.values()].map(readPatienceMs));
}
