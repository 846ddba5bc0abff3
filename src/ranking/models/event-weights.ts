/** How much one event says about interest in its item, in units of one detail view. */

/** Weight by event type. A type that is absent says nothing about an item and is not trained on. */
export type EventWeights = Readonly<Record<string, number>>;

/**
 * Defaults, by the effort and commitment an action takes.
 *
 * Impressions say what the service chose to show, so counting them for an item would feed the models their own output. What
 * counts is that nothing followed, see exposures.ts.
 */
export const defaultEventWeights: EventWeights = {
  /** The unit: somebody looked. */
  detail_pageview: 1,
  /** Liking, saving or sharing takes a decision, not only a look. */
  item_interaction: 2,
  user_interaction: 2,
  /** Intent to buy, still free to withdraw. */
  add_to_cart: 3,
  /** Takes back what the same subject's add_to_cart said; the views before it still count. */
  remove_from_cart: -3,
  /** Paid for: the strongest statement there is. */
  purchase: 5,
  /** Times progress: finishing is nearly a purchase of attention, leaving early is about a view. */
  checkpoint: 4,
  /** A chosen look. The detail view that follows counts too; the limit per subject and item keeps both in bounds. */
  click_on_recommendation: 1,
  batch_click_on_recommendation: 1,
  search_click_on_recommendation: 1,
  session_click_on_recommendation: 1,
};

/** Shown and left alone: four times takes back a look. Apart from the others, since nobody did anything. */
const defaultImpressionWeights: EventWeights = {
  impression: -0.25,
  batch_impression: -0.25,
  search_impression: -0.25,
  session_impression: -0.25,
};

/** The defaults of all event types, with what an environment sets instead. */
export function completeWeights(configured: EventWeights = {}): EventWeights {
  return { ...defaultEventWeights, ...defaultImpressionWeights, ...configured };
}

/** Said by the service, not by somebody about an item. */
export function isImpression(eventType: string): boolean {
  return eventType.endsWith('impression');
}

/** A checkpoint without progress counts as a quarter: playback began, and nothing more is known. */
const unknownProgress = 0.25;

/** The weight of one event; `progress` (0…1) scales checkpoints. 0 when the type says nothing. */
export function eventWeight(weights: EventWeights, eventType: string, progress?: number): number {
  const weight = Object.hasOwn(weights, eventType) ? weights[eventType] : 0;
  if (eventType !== 'checkpoint') return weight;
  return weight * Math.min(1, Math.max(0, progress ?? unknownProgress));
}
