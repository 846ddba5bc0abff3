/**
 * Defines the meaning of an event: its measures, price, dimensions and part of a history. Only this
 * file knows what a purchase, a click or an impression is. It imports nothing, so ranking and
 * statements can use it, too.
 */

/** Suffix of every click type: on a recommendation, a search result or a mailing. */
export const clickSuffix = 'click_on_recommendation';

export const isClick = (eventType: string): boolean => eventType.endsWith(clickSuffix);

export const isPurchase = (eventType: string): boolean => eventType === 'purchase';

/** Interaction types of a `user_interaction` that ends the link of its device, without - and _. */
const signOuts = new Set(['signout', 'signedout', 'logout', 'loggedout']);

export function isSignOut({ eventType, details }: { eventType: string; details?: unknown }): boolean {
  if (eventType !== 'user_interaction') return false;
  const type = (details as Record<string, unknown> | null | undefined)?.interaction_type;
  return typeof type === 'string' && signOuts.has(type.toLowerCase().replaceAll(/[-_ ]/g, ''));
}

/** Stored type of a purchase with a negative amount or price. It is no interest in its item. */
export const refundType = 'refund';

/** Impressions of a list with a request id are counted as one set. */
export const isOfImpressionSet = (eventType: string): boolean => eventType === 'impression';

const impressionTypes = new Set([
  'impression',
  'search_impression',
  'batch_impression',
  'session_impression',
]);

/** Histories keep impressions apart; every other event is an action of the subject. */
export const isImpression = (eventType: string): boolean => impressionTypes.has(eventType);

const measureOfType = {
  impression: 'impressions',
  click_on_recommendation: 'clicks',
  detail_pageview: 'pageviews',
  group_pageview: 'pageviews',
  page_visit: 'pageviews',
  item_interaction: 'item_interactions',
  add_to_cart: 'add_to_carts',
  search_impression: 'search_impressions',
  search_click_on_recommendation: 'search_clicks',
  batch_open: 'batch_opens',
  batch_impression: 'batch_impressions',
  batch_click_on_recommendation: 'batch_clicks',
} as const;

type EventMeasure = (typeof measureOfType)[keyof typeof measureOfType] | 'purchased_items' | 'revenue';

/** Fields of a stored event that determine its meaning; `details` is the event as sent. */
export type MeaningfulEvent = {
  eventType: string;
  userGroup?: string;
  version?: string;
  pageType?: string;
  listName?: string;
  channel?: string;
  details: unknown;
};

/** Yields the measures that an event adds to, besides one to `events`. */
export function* additionsOf(event: MeaningfulEvent): Generator<[EventMeasure, number]> {
  const { eventType } = event;
  if (Object.hasOwn(measureOfType, eventType))
    yield [measureOfType[eventType as keyof typeof measureOfType], 1];
  if (!isPurchase(eventType) && eventType !== refundType) return;
  const { items, revenue } = purchaseOf(event);
  yield ['purchased_items', items];
  yield ['revenue', revenue];
}

/** Maximum pieces and money of a purchase, in millionths: no single event may spoil a sum. */
const mostMillionths = 1e18;

/** Returns millionths, negative for a refund. Defaults: one piece; the original price if the price paid is missing. */
export function purchaseOf({ details }: Pick<MeaningfulEvent, 'details'>): {
  items: number;
  revenue: number;
} {
  const amount = numberIn(details, 'amount') ?? 1;
  const price = numberIn(details, 'purchased_price') ?? numberIn(details, 'original_price') ?? 0;
  const sign = amount < 0 || price < 0 ? -1 : 1;
  return {
    items: sign * toMillionths(Math.abs(amount)),
    revenue: sign * toMillionths(Math.abs(amount * price)),
  };
}

function toMillionths(value: number): number {
  return Math.min(Math.round(value * 1e6), mostMillionths) || 0;
}

function numberIn(details: unknown, name: string): number | undefined {
  const value = (details as Record<string, unknown> | null)?.[name];
  return typeof value === 'number' ? value : undefined;
}

const longestConfigurationId = 256;

/** Returns values in the order of `dimensionNames`; the caller sends back the configuration. */
export function dimensionsOf(event: MeaningfulEvent): (string | undefined)[] {
  const configuration = (event.details as Record<string, unknown> | null)?.configuration_id;
  return [
    event.userGroup,
    event.version,
    event.pageType,
    event.listName,
    event.channel,
    typeof configuration === 'string' ? configuration.slice(0, longestConfigurationId) : undefined,
  ];
}
