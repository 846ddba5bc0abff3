export const text = {
  title: 'Catalogue',
  lead: (count: string) => `${count} items; find, sort and mend them.`,
  import: 'Import a file',
  addFilter: 'Filter by a property',
  newFilter: 'Choose a property',
  filter: 'Filter',
  none: 'No item is like that',
  noneLead: 'Take a filter away, or look for another word.',
  empty: 'The catalogue is empty',
  emptyLead: 'Import a file, or send items with PUT.',
  overtaken:
    'Somebody else has saved this item since you began. Discard shows what they saved; Save puts yours in its place.',
  gone: 'There is no such item',
  goneLead: 'Nothing has this id in this environment. Look for it by its title:',
  figures: {
    title: 'Figures',
    lead: 'What people did with it in the last 28 days, robots left out.',
    partial:
      'What people did with it in the latest events; earlier ones of these 28 days are not counted here.',
    shown: 'Shown',
    clicked: 'Clicked when shown',
    viewed: 'Looked at',
    bought: 'Bought',
  },
  seen: {
    title: 'Who sees it',
    lead: 'Where it stands in each list that is in force, and what keeps it out of the others.',
    user: 'For a user',
    stranger: 'a stranger',
    inList: (rank: number) => `place ${rank}`,
    some: (looked: string, all: string) =>
      `Of ${all} configurations, the first ${looked} by name were looked at.`,
    none: 'No configuration of lists is in force, so there is no list to stand in.',
    reach: 'Find who is most interested',
  },
  missing: {
    images: 'No picture',
    price: 'No price',
    description: 'No description',
    categories: 'No category',
  },
  saved: (revision: string) => `Saved as revision ${revision}.`,
};
