/** Since when metrics are kept. */

import type { Deployment } from '../../deployment/deployment.ts';
import { firstHourKept } from '../../repository/retention/retention.ts';

/** Hours since 1970, of environments that do not keep metrics for ever. */
export function firstHoursOf({ environments }: Deployment, nowMs: number): ReadonlyMap<string, number> {
  const hours = new Map<string, number>();
  for (const [name, { retention }] of environments) {
    if (retention.metricsDays !== undefined) hours.set(name, firstHourKept(retention.metricsDays, nowMs));
  }
  return hours;
}
