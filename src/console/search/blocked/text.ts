export const text = {
  title: 'Blocked queries',
  label: 'Words and phrases, one per line',
  hint: 'Queries with one of them are not suggested to other visitors. Case, accents and punctuation do not matter; words are compared whole.',
  save: 'Save',
  discard: 'Discard',
  saved: 'The blocked queries are saved.',
  tooMany: (most: string) => `An environment has at most ${most} blocked words and phrases.`,
};
