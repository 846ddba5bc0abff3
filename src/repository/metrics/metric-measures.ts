/** The numbers that are kept, and what an event adds to them. */
import type { EventRow } from '../event-row.ts';
import { storable } from '../storable.ts';

/** Columns of `metric_hours` and `metric_totals`. */
export const measures = [
  'events',
  'impressions',
  'clicks',
  'pageviews',
  'item_interactions',
  'add_to_carts',
  'purchased_items',
  'revenue',
  'search_impressions',
  'search_clicks',
  'batch_opens',
  'batch_impressions',
  'batch_clicks',
  'impressions_sets',
  'users',
  'devices',
  'attributed_purchased_items',
  'attributed_revenue',
  'requests',
  'recommendation_sets',
  'search_requests',
  'searches_without_results',
  'completions',
  'audience_requests',
] as const;

export type Measure = (typeof measures)[number];

/**
 * Pieces and money are kept in millionths, so that sums are whole numbers and do not depend on the order of arrival (exactly up
 * to 2^53 millionths, nine thousand million, in an hour and combination).
 */
export const millionths: ReadonlySet<Measure> = new Set([
  'purchased_items',
  'revenue',
  'attributed_purchased_items',
  'attributed_revenue',
] as const);

/** A purchase counts for at most so many pieces and so much money, in millionths: no single event may spoil a sum. */
const mostMillionths = 1e18;

/** Summed for each device and hour, too: what experiments compare. The names are columns of `metric_devices`. */
export const deviceMeasures = [
  'pageviews',
  'item_interactions',
  'impressions',
  'clicks',
  'search_impressions',
  'search_clicks',
  'add_to_carts',
  'purchased_items',
  'revenue',
] as const satisfies readonly Measure[];

export type DeviceMeasure = (typeof deviceMeasures)[number];

/** Measures that are told as quotients of two others of a device, by experiments too. */
export const rates = {
  click_through_rate: { part: 'clicks', whole: 'impressions' },
  search_click_through_rate: { part: 'search_clicks', whole: 'search_impressions' },
} as const satisfies Record<string, { part: DeviceMeasure; whole: DeviceMeasure }>;

const measureOfType: Record<string, Measure> = {
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
};

/** What one event adds, besides itself to `events`. */
export function* additionsOf(event: EventRow): Generator<[Measure, number]> {
  const measure = measureOfType[event.eventType];
  if (measure !== undefined) yield [measure, 1];
  if (event.eventType !== 'purchase') return;
  const { items, revenue } = purchaseOf(event);
  yield ['purchased_items', items];
  yield ['revenue', revenue];
}

/** In millionths. One piece unless the event says how many; the price paid, else the original one. */
export function purchaseOf({ details }: EventRow): { items: number; revenue: number } {
  const amount = numberIn(details, 'amount') ?? 1;
  const price = numberIn(details, 'purchased_price') ?? numberIn(details, 'original_price') ?? 0;
  return { items: toMillionths(amount), revenue: toMillionths(amount * price) };
}

function toMillionths(value: number): number {
  return Math.min(Math.round(value * 1e6), mostMillionths) || 0;
}

function numberIn(details: unknown, name: string): number | undefined {
  const value = (details as Record<string, unknown> | null)?.[name];
  return typeof value === 'number' && value >= 0 ? value : undefined;
}

/** The dimensions of an event, in the order of `dimensionNames`. The configuration is what the caller echoes. */
export function dimensionsOf(event: EventRow): string[] {
  const configuration = (event.details as Record<string, unknown> | null)?.configuration_id;
  return [
    event.userGroup,
    event.version,
    event.pageType,
    event.listName,
    event.channel,
    typeof configuration === 'string' ? configuration.slice(0, longestConfigurationId) : undefined,
  ].map((value) => (value ? storable(value) : ''));
}

const longestConfigurationId = 256;
