export const text = {
  understood: 'How it is understood',
  nothing: 'Nothing is found',
  nothingLead:
    'No enabled item has these words. Searches like this are listed under “What people search for”.',
  beside: 'What configurations do',
  redirect: 'Sends to',
  banner: 'Banner',
  steeredBy: 'Steered by',
  always: 'every search',
  unmet: (wanted: number, found: number) => `A minimum of ${wanted} is not met: ${found} of what is found.`,
  pinned: (configurationId: string) => `Pinned by ${configurationId}`,
  preferred: (weight: number) => (weight < 0 ? `Rather not ${-weight}` : `Preferred ${weight}`),
  ofGroup: (count: string) => `one of ${count} of its group`,
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
  near: 'about as much',
};

/** The parts of a score, in the order in which they are drawn. */
export const scoreParts = [
  { key: 'textScore', label: 'Words' },
  { key: 'likenessScore', label: 'Like the first hits' },
  { key: 'priorScore', label: 'Popular' },
  { key: 'tasteScore', label: 'Their taste' },
  { key: 'clickScore', label: 'Clicked by others' },
] as const;
