/** The end of a log. */

import type { Interactions } from '../interactions.ts';

/** A log that ended long ago has its trend at its end, not now, when every event would have faded away. */
export function latestOf({ timeSeconds }: Interactions): number {
  let latest = 0;
  for (let event = 0; event < timeSeconds.length; event++) latest = Math.max(latest, timeSeconds[event]);
  return latest;
}
