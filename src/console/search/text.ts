export const text = {
  title: 'Search',
  lead: 'Try what people type, see how it is understood, and why each result stands where it does. Nothing is counted.',
  empty: 'Type what somebody might search for',
  emptyLead: 'An empty search would show a visitor their best items.',
  nothing: 'Nothing is found',
  nothingLead:
    'No enabled item has these words. Searches like this are listed under “What people search for”.',
  frequent: 'What people search for',
  synonyms: 'Synonyms',
  propose: 'Synonym',
  proposeLabel: (query: string) => `Propose a synonym of ${query}`,
  frequentLead: 'The most frequent queries; robots and what is tried here do not count.',
  noQueries: 'Nobody has searched yet',
  noQueriesLead: 'Queries appear here some seconds after they are searched on your site.',
  understood: 'How it is understood',
  completions: 'Completions',
};

/** Tiers, best first. */
export const tierWords: Record<string, string> = {
  exact_title: 'The title, exactly',
  title_phrase: 'Words side by side in the title',
  title: 'All words in the title',
  all_words: 'All words',
  some_words: 'Some words',
};

export const kindWords: Record<string, string> = {
  word: 'as typed',
  synonym: 'synonym',
  joined: 'written as one',
  split: 'written as two',
  compound: 'end of a compound',
  apart: 'parts of it',
  code: 'beginning of a code',
};

/** The parts of a score, in the order in which they are drawn. */
export const scoreParts = [
  { key: 'textScore', label: 'Words' },
  { key: 'likenessScore', label: 'Like the first hits' },
  { key: 'priorScore', label: 'Popular' },
  { key: 'tasteScore', label: 'Their taste' },
  { key: 'clickScore', label: 'Clicked by others' },
] as const;
