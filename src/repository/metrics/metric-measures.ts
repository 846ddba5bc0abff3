/** Stored measures; events/meaning.ts maps events to them. */

/** Columns of `metric_hours` and `metric_totals`. */
export const measures = [
  'events',
  'impressions',
  'clicks',
  'pageviews',
  'item_interactions',
  'negative_interactions',
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
  'list_freshness',
  'list_scores',
] as const;

/** Counts of different keys of an hour, which do not add up over hours. */
export const distinctMeasures: ReadonlySet<string> = new Set(['impressions_sets', 'users', 'devices']);

export type Measure = (typeof measures)[number];

/**
 * Quantities, money and parts of 1 are stored in millionths, so that sums are integers and do not depend on the
 * order of arrival. Sums are exact up to 2^53 millionths (9 billion) per hour and combination.
 */
export const millionths: ReadonlySet<Measure> = new Set([
  'purchased_items',
  'revenue',
  'attributed_purchased_items',
  'attributed_revenue',
  'list_freshness',
  'list_scores',
] as const);

/** Columns of `metric_devices`: measures also summed per device and hour, for experiments. */
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

/** Columns of `metric_days`: sums by calendar day. Items and revenue are in millionths. */
export const dayMeasures = [
  'searches',
  'searches_without_results',
  'corrected_searches',
  'clicked_searches',
  'impressions',
  'clicks',
  'ranked_clicks',
  'rank_sum',
  'purchases',
  'purchased_items',
  'revenue',
] as const;

export type DayMeasure = (typeof dayMeasures)[number];

export type DeviceMeasure = (typeof deviceMeasures)[number];

/** Rates: quotients of two device measures, also reported by experiments. */
export const rates = {
  click_through_rate: { part: 'clicks', whole: 'impressions' },
  search_click_through_rate: { part: 'search_clicks', whole: 'search_impressions' },
} as const satisfies Record<string, { part: DeviceMeasure; whole: DeviceMeasure }>;
