/** Synonym rules, by the words that must be typed. */
import { tokensOf } from '../analysis/analyser.ts';
import type { Synonym } from '../settings.ts';

/** Folded words that stand for each other: a word or a phrase. */
export type Phrase = readonly string[];

export type Synonyms = {
  /** The most words that a rule asks for; 0 without rules. */
  readonly longest: number;
  /** What else to look for when these words are typed side by side. */
  expansionsOf(words: readonly string[]): readonly Phrase[];
};

function phraseOf(text: string): string[] {
  return tokensOf(text, 8).map((token) => token.text);
}

/** @param keyOf how words are compared, so that a rule for `sofa` also serves `sofas` */
export function createSynonyms(rules: readonly Synonym[], keyOf: (word: string) => string): Synonyms {
  const expansions = new Map<string, Phrase[]>();
  let longest = 0;
  const add = (from: Phrase, to: Phrase): void => {
    if (from.length === 0 || to.length === 0) return;
    const key = from.map(keyOf).join(' ');
    expansions.set(key, [...(expansions.get(key) ?? []), to]);
    longest = Math.max(longest, from.length);
  };
  for (const rule of rules) {
    const from = ('words' in rule ? rule.words : rule.from).map(phraseOf);
    const to = 'words' in rule ? from : rule.to.map(phraseOf);
    for (const one of from) for (const other of to) if (one !== other) add(one, other);
  }
  return {
    longest,
    expansionsOf: (words) => expansions.get(words.map(keyOf).join(' ')) ?? [],
  };
}
