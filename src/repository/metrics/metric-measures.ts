/** The measures that are stored; events/meaning.ts says which ones an event adds to. */

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
