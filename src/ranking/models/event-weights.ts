/** Interest in an item that one event expresses, in units of one detail view. */

import { interactionFactor } from '../../events/meaning.ts';

/** Weight by event type, or by type and interaction (`item_interaction:like`). Absent types are not trained on. */
export type EventWeights = Readonly<Record<string, number>>;

/**
 * Default weights, by the effort and commitment of an action.
 *
 * Impressions reflect the service's own choices, so counting them for an item would feed the models
 * their own output. Only unanswered impressions count, see exposures.ts.
 */
export const defaultEventWeights: EventWeights = {
  /** The unit: one view. */
  detail_pageview: 1,
  /** Liking, saving or sharing takes a decision, beyond a view; see `interactionFactor` for others. */
  item_interaction: 2,
  user_interaction: 2,
  /** Intent to buy, not yet binding. */
  add_to_cart: 3,
  /** Cancels the subject's add_to_cart; earlier views still count. */
  remove_from_cart: -3,
  /** Paid for: the strongest signal. */
  purchase: 5,
  /** Multiplied by progress: finishing is nearly a purchase, leaving early about a view. */
  checkpoint: 4,
  /** A chosen view, beside the detail view after it; both are limited per subject and item. */
  click_on_recommendation: 1,
  batch_click_on_recommendation: 1,
  search_click_on_recommendation: 1,
  session_click_on_recommendation: 1,
};

/** Impression without an answer: four cancel a view. Kept apart: the subject did nothing. */
const defaultImpressionWeights: EventWeights = {
  impression: -0.25,
  batch_impression: -0.25,
  search_impression: -0.25,
  session_impression: -0.25,
};

/** Returns the weights of all event types: the defaults, overridden by `configured`. */
export function completeWeights(configured: EventWeights = {}): EventWeights {
  return { ...defaultEventWeights, ...defaultImpressionWeights, ...configured };
}

/** Progress assumed for a checkpoint without one: playback began. */
const unknownProgress = 0.25;

/**
 * Returns the weight of an event; 0 for unknown types.
 * @param qualifier See `qualifierOf`: progress scales checkpoints, and interactions have their own weight.
 */
export function eventWeight(weights: EventWeights, eventType: string, qualifier?: string): number {
  const weight = Object.hasOwn(weights, eventType) ? weights[eventType] : 0;
  if (eventType === 'checkpoint')
    return weight * (qualifier === undefined ? unknownProgress : Number(qualifier) / 100);
  if (qualifier === undefined) return weight;
  const factor = interactionFactor(qualifier);
  return weights[`${eventType}:${qualifier}`] ?? (factor < 0 ? Math.abs(weight) : weight) * factor;
}
