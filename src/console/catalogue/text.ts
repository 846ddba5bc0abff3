export const text = {
  title: 'Catalogue',
  lead: (count: string) => `${count} items; find, sort and mend them.`,
  none: 'No item is like that',
  noneLead: 'Take a filter away, or look for another word.',
  empty: 'The catalogue is empty',
  emptyLead: 'Send items with PUT, or import a file with the command line.',
  missing: {
    images: 'No picture',
    price: 'No price',
    description: 'No description',
    categories: 'No category',
  },
  saved: (revision: string) => `Saved as revision ${revision}.`,
};
