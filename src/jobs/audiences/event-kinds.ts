/** The kinds of postings: the event types that concern an item, with their weights. */

import { interactionTypes, isImpression } from '../../events/meaning.ts';
import { defaultEventWeights, type EventWeights, eventWeight } from '../../ranking/models/event-weights.ts';

export type EventKinds = {
  /** Position → event type, also of types without weight, because they exclude subjects. */
  readonly names: readonly string[];
  /** By position, in detail views. */
  readonly weights: Float32Array;
  /** The kinds of purchases with and without weight (see mergePostings). */
  readonly purchase: number;
  readonly pastPurchase: number;
  /** Returns undefined for an event that is not indexed. */
  kindOf(eventType: string, qualifier?: string): number | undefined;
};

/** Suffix of the kind of all negative interactions without a weight of their own. */
const negative = ':negative';

/**
 * Postings hold no progress, so a checkpoint counts as one with unknown progress. Impressions are
 * not actions and are left out, as are interactions without weight.
 *
 * @param configured Weights that the environment sets; the others keep their defaults.
 */
export function createKinds(configured: EventWeights = {}): EventKinds {
  const all = { ...defaultEventWeights, ...configured };
  const negatives = Array.from(interactionTypes, (eventType) => eventType + negative);
  const names = [...new Set([...Object.keys(all), ...negatives])].filter((name) => !isImpression(name));
  const positions = new Map(names.map((name, kind) => [name, kind]));
  return {
    names,
    weights: Float32Array.of(...names.map((name) => eventWeight(all, ...split(name))), 0),
    purchase: positions.get('purchase')!,
    pastPurchase: names.length,
    kindOf(eventType, qualifier) {
      if (qualifier === undefined || !interactionTypes.has(eventType)) return positions.get(eventType);
      const own = positions.get(`${eventType}:${qualifier}`);
      const weight = eventWeight(all, eventType, qualifier);
      if (own !== undefined || weight === 0) return own;
      return positions.get(weight > 0 ? eventType : eventType + negative);
    },
  };
}

function split(name: string): [eventType: string, qualifier?: string] {
  return name.split(':') as [string, string?];
}
