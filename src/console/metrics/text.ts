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

export const metricWords = (name: string): string => {
  const words = name.replaceAll('_', ' ').replace('pageview', 'page view');
  return words[0].toUpperCase() + words.slice(1);
};
