/** The kinds of postings: the event types that say something about an item, and how much each of them says. */

import {
  defaultEventWeights,
  type EventWeights,
  eventWeight,
  isImpression,
} from '../../ranking/models/event-weights.ts';

export type EventKinds = {
  /** Position → event type. Types that an environment gives no weight are kept all the same: they exclude. */
  readonly names: readonly string[];
  /** By position, in detail views. */
  readonly weights: Float32Array;
  /** Of purchases, and of those that only say that somebody bought; these have a place beyond the names, and weigh nothing. */
  readonly purchase: number;
  readonly pastPurchase: number;
  /** Undefined for a type that is not kept. */
  kindOf(eventType: string): number | undefined;
};

/**
 * Postings do not keep how far somebody came, so a checkpoint counts as one whose progress is not known.
 *
 * @param configured What an environment sets; what is absent keeps its default. Impressions are nothing that people did.
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
