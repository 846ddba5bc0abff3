/** Checks events beyond types and limits of fields: identity, required fields, time, bounds. */

import { type EventBounds, isPlaceholder } from '../deployment/deployment.ts';
import type { Violation } from '../errors.ts';
import { anonymousDevice } from '../ranking/subject.ts';
import { isPurchase, type RatingScale, usualInterpretation } from './meaning.ts';

/** Tolerance for a caller's clock that is ahead of this node's. */
export const mostAheadMs = 5 * 60_000;

export type EventFacts = {
  eventType: string;
  deviceId?: string;
  userId?: string;
  eventId?: string;
  occurredAtMs?: number;
};

/** Reports placeholder IDs: visitors that share one would merge into one person. */
export function checkIds(
  { deviceId, userId, eventId }: EventFacts,
  placeholderIds: ReadonlySet<string>,
): Violation[] {
  const ids = { device_id: deviceId === anonymousDevice ? '' : deviceId, user_id: userId, event_id: eventId };
  return Object.entries(ids).flatMap(([field, id]) =>
    id && isPlaceholder(placeholderIds, id)
      ? [
          {
            pointer: `/${field}`,
            detail: `${JSON.stringify(id)} is a placeholder, by the deployment's placeholder_ids; leave ${field} out.`,
          },
        ]
      : [],
  );
}

/** @param missing Names of fields that the event's type requires and the event lacks. */
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

export type EventFigures = {
  amount?: number;
  originalPrice?: number;
  purchasedPrice?: number;
  rating?: number;
};

export function isRefund({ amount = 1, originalPrice = 0, purchasedPrice }: EventFigures): boolean {
  return amount < 0 || (purchasedPrice ?? originalPrice) < 0;
}

/** Reads values as metrics do: one piece by default; the price paid, else the original one. */
export function checkFigures(
  figures: EventFigures,
  { largestAmount, largestRevenue }: EventBounds,
  eventType: string,
  { lowest, highest }: RatingScale = usualInterpretation.ratingScale,
): Violation[] {
  const { amount = 1, originalPrice = 0, purchasedPrice, rating } = figures;
  if (rating !== undefined && !(rating >= lowest && rating <= highest)) {
    const detail = `Must be from ${lowest} to ${highest}, by the deployment's rating_scale.`;
    return [{ pointer: '/rating', detail }];
  }
  const values = Object.entries({ amount, original_price: originalPrice, purchased_price: purchasedPrice });
  const [negative] = values.find(([, value]) => value !== undefined && value < 0) ?? [];
  if (negative !== undefined && !isPurchase(eventType))
    return [{ pointer: `/${negative}`, detail: 'Must be at least 0; a purchase alone may be refunded.' }];
  if (Math.abs(amount) > largestAmount)
    return [
      { pointer: '/amount', detail: `Must be at most ${largestAmount}, by the deployment's event_bounds.` },
    ];
  if (Math.abs(amount * (purchasedPrice ?? originalPrice)) <= largestRevenue) return [];
  const pointer = purchasedPrice === undefined ? '/original_price' : '/purchased_price';
  const detail = `Amount times price must be at most ${largestRevenue}, by the deployment's event_bounds.`;
  return [{ pointer, detail }];
}
