import type { Deployment } from '../../deployment/deployment.ts';
import { firstHourKept } from '../../repository/retention/retention.ts';

/** Returns the first retained hour since 1970 by environment; absent for unlimited retention. */
export function firstHoursOf(
  { environments }: Deployment,
  nowMs: number,
  kind: 'totals' | 'names',
): ReadonlyMap<string, number> {
  const hours = new Map<string, number>();
  for (const [name, { retention }] of environments) {
    const days = kind === 'totals' ? retention.metricsDays : retention.metricNamesDays;
    if (days !== undefined) hours.set(name, firstHourKept(days, nowMs));
  }
  return hours;
}
