export const text = {
  title: 'Overview',
  lead: (environment: string) => `What ${environment} shows, and what it brings.`,
  weekAgainst: 'Last 7 days against the 7 before',
  activity: 'Events an hour',
  activityLead: 'All that arrives, by the hour; dashed: the week before.',
  thisWeek: 'This week',
  lastWeek: 'The week before',
  live: (count: string) => `${count} events this hour`,
  findings: 'What to mend',
  findingsLead: 'The doctor looked at what arrived in the last 7 days, and at the catalogue.',
  findingsLeadNewest: (count: string) =>
    `The doctor looked at the newest ${count} events of the last 7 days, and at the catalogue.`,
  noFindings: 'Nothing to mend. Events and catalogue look as they should.',
  firstSteps: 'First steps',
  firstStepsLead: 'Four calls, and the first list is there. They are for this address; copy and paste.',
  steps: {
    token: 'Get a token',
    items: 'Send an item',
    events: 'Send an event',
    list: 'Make a list',
  },
};
