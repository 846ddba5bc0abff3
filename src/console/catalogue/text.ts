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
  missing: {
    images: 'No picture',
    price: 'No price',
    description: 'No description',
    categories: 'No category',
  },
  saved: (revision: string) => `Saved as revision ${revision}.`,
};
