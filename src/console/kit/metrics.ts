/** Names of the metrics, the same on every page. */

/** The service's own list is closed to clients that may read the metrics of one environment only. */
const labels: Record<string, string> = {
  add_to_carts: 'Added to cart',
  attributed_purchased_items: 'Purchases from recommendations',
  attributed_revenue: 'Attributed revenue',
  audience_requests: 'Audience requests',
  batch_clicks: 'Batch clicks',
  batch_impressions: 'Batch impressions',
  batch_opens: 'Batch opens',
  click_through_rate: 'Click-through rate',
  clicks: 'Clicks on recommendations',
  completions: 'Completions',
  devices: 'Devices',
  events: 'Events',
  impressions: 'Impressions',
  impressions_sets: 'Lists shown',
  item_interactions: 'Likes, saves and shares',
  list_freshness: 'Freshness of lists',
  list_scores: 'Scores of lists',
  negative_interactions: 'Dislikes, hides and reports',
  pageviews: 'Page views',
  purchased_items: 'Units sold',
  recommendation_sets: 'Requests with items',
  requests: 'Recommendation requests',
  revenue: 'Revenue',
  search_click_through_rate: 'Search click-through rate',
  search_clicks: 'Search clicks',
  search_impressions: 'Search impressions',
  search_requests: 'Searches',
  searches_without_results: 'Searches without results',
  users: 'Users',
};

export const metricNames = Object.keys(labels);

/** Metrics that experiments report. */
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
export const metricPhrase = (name: string): string => {
  const label = metricLabel(name);
  return label[0].toLowerCase() + label.slice(1);
};
