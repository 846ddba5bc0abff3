import type { Interactions } from '../interactions.ts';

/** Returns Unix seconds of the last event, 0 without events. */
export function latestOf({ timeSeconds }: Interactions): number {
  let latest = 0;
  for (let event = 0; event < timeSeconds.length; event++) latest = Math.max(latest, timeSeconds[event]);
  return latest;
}
