export const text = {
  title: 'Metrics',
  lead: 'Any measure, by any dimension, over time. Hours are counted in UTC and shown in your time.',
  none: 'Nothing was counted',
  noneLead: 'Choose another measure or a longer time; a measure without events has no values.',
  measure: 'Measure',
  by: 'By',
  range: 'Time',
  step: 'Step',
  compare: 'Compare with before',
  before: 'before',
  all: 'All',
  without: '(none)',
  zoomHint: 'Draw over the chart to look closer.',
  distinct: 'Counted by the hour: whoever comes in two hours counts in both, so days and weeks add hours up.',
  zoomOut: 'Whole time',
};

export const dimensions: Record<string, string> = {
  version: 'Version',
  user_group: 'Group',
  page_type: 'Page',
  list_name: 'List',
  channel: 'Channel',
  configuration: 'Configuration',
};

/** All that are counted. The operation that lists them is about no environment, and closed to who may read those of one. */
export const metricNames = [
  'add_to_carts',
  'attributed_purchased_items',
  'attributed_revenue',
  'audience_requests',
  'batch_clicks',
  'batch_impressions',
  'batch_opens',
  'click_through_rate',
  'clicks',
  'completions',
  'devices',
  'events',
  'impressions',
  'impressions_sets',
  'item_interactions',
  'pageviews',
  'purchased_items',
  'recommendation_sets',
  'requests',
  'revenue',
  'search_click_through_rate',
  'search_clicks',
  'search_impressions',
  'search_requests',
  'searches_without_results',
  'users',
];

export const metricWords = (name: string): string => {
  const words = name.replaceAll('_', ' ').replace('pageview', 'page view');
  return words[0].toUpperCase() + words.slice(1);
};
