/** What an event must have beyond the types and limits of its fields: identity, its type's fields, a possible time. */

import type { EnvironmentSettings, EventBounds, Registry } from '../deployment/deployment.ts';
import type { Violation } from '../errors.ts';

/** How far a caller's clock may be ahead of ours. */
export const mostAheadMs = 5 * 60_000;

/** What a deployment may have a registry of. */
export type RegisteredFacts = {
  pageType?: string;
  channel?: string;
  listName?: string;
};

export type EventFacts = RegisteredFacts & {
  eventType: string;
  deviceId?: string;
  userId?: string;
  occurredAtMs?: number;
};

/** Values outside their registry, once for each; the caller logs those to warn of. */
export type RegistryFinding = {
  pointer: string;
  field: string;
  value: string;
  onUnknown: Registry['onUnknown'];
};

/** @param missing Names of the fields that the event's type requires and that it lacks. */
export function checkEvent(facts: EventFacts, missing: readonly string[], nowMs: number): Violation[] {
  const violations: Violation[] = [];
  if (!facts.deviceId && !facts.userId) {
    violations.push({ pointer: '/device_id', detail: 'At least one of device_id and user_id is required.' });
  }
  for (const field of missing)
    violations.push({ pointer: `/${field}`, detail: `Is required for ${facts.eventType}.` });
  if (facts.occurredAtMs !== undefined && facts.occurredAtMs > nowMs + mostAheadMs) {
    violations.push({ pointer: '/timestamp', detail: 'Must be at most 5 minutes ahead.' });
  }
  return violations;
}

export type EventFigures = { amount?: number; originalPrice?: number; purchasedPrice?: number };

/** As metrics read them: one piece unless the event says how many; the price paid, else the original one. */
export function checkFigures(
  { amount = 1, originalPrice = 0, purchasedPrice }: EventFigures,
  { largestAmount, largestRevenue }: EventBounds,
): Violation[] {
  if (amount > largestAmount)
    return [
      { pointer: '/amount', detail: `Must be at most ${largestAmount}, by the deployment's event_bounds.` },
    ];
  if (amount * (purchasedPrice ?? originalPrice) <= largestRevenue) return [];
  const pointer = purchasedPrice === undefined ? '/original_price' : '/purchased_price';
  const detail = `Amount times price must be at most ${largestRevenue}, by the deployment's event_bounds.`;
  return [{ pointer, detail }];
}

/** Values that the environment's registries do not know. */
export function findUnregistered(facts: RegisteredFacts, settings: EnvironmentSettings): RegistryFinding[] {
  return [
    ...findIn('page_type', facts.pageType, settings.pageTypes),
    ...findIn('channel', facts.channel, settings.channels),
    ...findIn('list_name', facts.listName, settings.listNames),
  ];
}

function findIn(field: string, value: string | undefined, registry: Registry | undefined): RegistryFinding[] {
  if (!registry || value === undefined || registry.onUnknown === 'accept' || registry.values.has(value))
    return [];
  return [{ pointer: `/${field}`, field, value, onUnknown: registry.onUnknown }];
}
