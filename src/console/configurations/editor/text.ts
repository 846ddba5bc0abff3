export const text = {
  title: 'Configurations',
  lead: 'What the lists that name them must, may and should hold; shared by all environments.',
  more: 'Show more',
  list: 'List',
  calendar: 'Calendar',
  monthBefore: 'Month before',
  monthAfter: 'Month after',
  from: (moment: string) => `from ${moment}`,
  until: (moment: string) => `until ${moment}`,
  noSchedule: 'Nothing is scheduled for this month',
  noScheduleLead:
    'A configuration with a schedule in its settings stands here; those without one are in force always.',
  create: 'New configuration',
  none: 'There is no configuration yet',
  noneLead:
    'A configuration says what lists must, may and should hold. A recommendation request names one for each list.',
  idRule: '1 to 256 characters; recommendation requests name it.',
  tabs: { edit: 'Edit', simulation: 'Simulation', versions: 'Versions' },
  rules: 'Rules',
  rulesLead:
    'Musts and maximums are never broken; minimums are met in this order as far as the catalogue allows.',
  noRules: 'Any item may stand in the list.',
  preferences: 'Preferences',
  preferencesLead: 'What matches comes first, the heavier the sooner; others fill up.',
  noPreferences: 'Relevance alone orders the list.',
  settings: 'Settings and schedule',
  publish: 'Publish',
  discard: 'Discard',
  conflict: (version: number) =>
    version === 0
      ? 'Somebody has deleted it since you began. Published, it is there again.'
      : `Somebody has published version ${version} since you began. Look at it before you publish over it.`,
  published: (version: number) => `Version ${version} is published.`,
  publishComment: 'What changed, and why',
  publishLead: 'It is in force on every node within a second, or when its schedule says.',
  jsonBroken: 'The JSON cannot be read; the form waits until it can.',
};
