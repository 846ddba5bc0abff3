/** Names of the metrics, the same on every page. */

import { t, withinSentence } from '../texts/texts.ts';

/** The service's own list is closed to clients that may read the metrics of one environment only. */
const labels: Record<string, string> = {
  add_to_carts: t('Added to cart'),
  attributed_purchased_items: t('Purchases from recommendations'),
  attributed_revenue: t('Attributed revenue'),
  audience_requests: t('Audience requests'),
  batch_clicks: t('Batch clicks'),
  batch_impressions: t('Batch impressions'),
  batch_opens: t('Batch opens'),
  click_through_rate: t('Click-through rate'),
  clicks: t('Clicks on recommendations'),
  completions: t('Completions'),
  devices: t('Devices'),
  events: t('Events'),
  impressions: t('Impressions'),
  impressions_sets: t('Lists shown'),
  item_interactions: t('Likes, saves and shares'),
  list_freshness: t('Freshness of lists'),
  list_scores: t('Scores of lists'),
  negative_interactions: t('Dislikes, hides and reports'),
  pageviews: t('Page views'),
  purchased_items: t('Units sold'),
  recommendation_sets: t('Requests with items'),
  requests: t('Recommendation requests'),
  revenue: t('Revenue'),
  search_click_through_rate: t('Search click-through rate'),
  search_clicks: t('Search clicks'),
  search_impressions: t('Search impressions'),
  search_requests: t('Searches'),
  searches_without_results: t('Searches without results'),
  users: t('Users'),
};

export const metricNames = Object.keys(labels);

export const experimentMetrics = metricNames.filter((name) =>
  /^(add_to_carts|attributed_.*|(search_)?click_through_rate|(search_)?(clicks|impressions)|item_interactions|pageviews|purchased_items|revenue)$/.test(
    name,
  ),
);

export function metricLabel(name: string): string {
  const words = name.replaceAll('_', ' ');
  return labels[name] ?? words[0].toUpperCase() + words.slice(1);
}

/** Label within a sentence. */
export const metricPhrase = (name: string): string => withinSentence(metricLabel(name));
