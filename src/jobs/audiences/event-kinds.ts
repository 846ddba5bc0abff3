/** The kinds of postings: the event types that concern an item, with their weights. */

import {
  defaultEventWeights,
  type EventWeights,
  eventWeight,
  isImpression,
} from '../../ranking/models/event-weights.ts';

export type EventKinds = {
  /** Position → event type, also of types without weight, because they exclude subjects. */
  readonly names: readonly string[];
  /** By position, in detail views. */
  readonly weights: Float32Array;
  /** The kinds of purchases with and without weight (see mergePostings). */
  readonly purchase: number;
  readonly pastPurchase: number;
  /** Returns undefined for a type that is not indexed. */
  kindOf(eventType: string): number | undefined;
};

/**
 * Postings hold no progress, so a checkpoint counts as one with unknown progress. Impressions are
 * not actions and are left out.
 *
 * @param configured Weights that the environment sets; the others keep their defaults.
 */
export function createKinds(configured: EventWeights = {}): EventKinds {
  const all = { ...defaultEventWeights, ...configured };
  const names = Object.keys(all).filter((name) => !isImpression(name));
  const positions = new Map(names.map((name, kind) => [name, kind]));
  return {
    names,
    weights: Float32Array.of(...names.map((name) => eventWeight(all, name)), 0),
    purchase: positions.get('purchase')!,
    pastPurchase: names.length,
    kindOf: (eventType) => positions.get(eventType),
  };
}
