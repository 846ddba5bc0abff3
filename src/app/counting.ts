/** How a deployment's events are counted and consumed. */

import type { Deployment } from '../deployment/deployment.ts';
import { qualifiersOf, usualInterpretation } from '../events/meaning.ts';
import type { NameLimits } from '../events/name-limits.ts';
import type { ConsumingKinds } from '../repository/events/history-batch.ts';

const hourMs = 3_600_000;
const defaultAttributionHours = 24;

/** Returns the rules by which events are counted. */
export function countingOf(deployment: Deployment, { limit: limitNames }: NameLimits) {
  /** The database may hold events of environments that were removed from the deployment. */
  const attributionWindow = (name: string) =>
    (deployment.environments.get(name)?.attributionWindowHours ?? defaultAttributionHours) * hourMs;
  const interpretationOf = (name: string) => deployment.environments.get(name) ?? usualInterpretation;
  return { attributionWindow, limitNames, interpretationOf, consuming: consumingKindsOf(deployment) };
}

/**
 * Returns the consuming event types of all environments together, and those that tell opinions; readers ignore surplus
 * lines. Events without an item type count for each type, since an event may precede its item.
 */
function consumingKindsOf({ environments }: Deployment): ConsumingKinds {
  const kinds = new Set<string>();
  const add = (eventType: string, name: string) => kinds.add(`${eventType}\t${name}`).add(`${eventType}\t`);
  for (const settings of environments.values())
    for (const { name, consumedBy, consumedAtPercent } of settings.itemTypes.values()) {
      for (const eventType of consumedBy) add(eventType, name);
      for (const eventType of new Set([...consumedBy, 'item_interaction']))
        for (const qualifier of qualifiersOf(eventType, settings, consumedAtPercent))
          add(`${eventType}:${qualifier}`, name);
    }
  return kinds;
}
