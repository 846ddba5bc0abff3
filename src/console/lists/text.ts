export const text = {
  title: 'Playground',
  lead: 'Lists as a visitor would get them now, and why. Nothing that you try here is kept or counted.',
  visitor: 'Visitor',
  kinds: { stranger: 'Stranger', user: 'User', device: 'Device' },
  compare: 'Compare',
  stopComparing: 'One column',
  code: 'Code',
  more: 'More',
  noConfigurations: 'There is no configuration yet',
  noConfigurationsLead: 'A configuration says what a list must, may and should hold. Make one first.',
  noItems: 'The list is empty',
  noItemsLead: 'No item of the catalogue satisfies the rules for this visitor.',
  badVariables: 'Must be a JSON object, e.g. { "max_price": 50 }.',
  whyNot: 'Why is it not there?',
  whyNotLead: 'Search an item that you miss; the first thing that keeps it out is named.',
  pretend: 'As if clicked',
  history: 'Just clicked',
  historyLead: 'Click “As if clicked” on items to compose what this visitor did last.',
  sources: {
    injected: 'Placed by the request',
    models: 'Scored by the models',
    fallback: 'Fills up: no model had a score',
  } as Record<string, string>,
};

/** What models go by, in the registry's order; the build puts it in. */
declare const registeredWords: Readonly<Record<string, string>>;

export const modelWords = registeredWords;

export const modelName = (model: string): string => modelWords[model] ?? model.replaceAll('_', ' ');
