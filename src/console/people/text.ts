export const text = {
  title: 'People',
  lead: 'What is stored about a user or a device: all of it, as a file, and its end. Every look is recorded.',
  who: 'Who',
  id: 'Id',
  show: 'Show',
  empty: 'Whom do you look for?',
  emptyLead:
    'Type the id as your events name it. A user stands for the devices on which nobody else was seen later.',
  nobody: 'Nothing is stored',
  nobodyLead: 'Check the id, and the environment at the top. After a deletion there is nothing to find.',
  stored: 'What is stored',
  recent: 'What they did last',
  devices: 'Devices',
  save: 'Save as a file',
  remove: 'Delete …',
  removeTitle: (id: string) => `Delete all that is stored about ${id}?`,
  removeLead:
    'Events, histories, lists, recorded requests, places in audiences and experiments. Sums of metrics stay; they name nobody. This cannot be undone.',
  confirm: 'Type the id to confirm',
  removeNow: 'Delete for good',
  removed: 'Deleted',
  removedLead: 'Keep the receipt; it names nobody.',
  most: (count: string) => `The first ${count} records are shown; the file has all of them.`,
};

export const kindWords: Record<string, [one: string, several: string]> = {
  event: ['event', 'events'],
  click: ['click to credit', 'clicks to credit'],
  purchase: ['purchase to credit', 'purchases to credit'],
  history: ['history', 'histories'],
  list: ['kept list', 'kept lists'],
  recorded_request: ['recorded request', 'recorded requests'],
  audience_member: ['place in an audience', 'places in audiences'],
  user_hour: ['hour in which the user was counted', 'hours in which the user was counted'],
  device_hour: ['hour of a device', 'hours of devices'],
  experiment_day: ['day in an experiment', 'days in experiments'],
};
