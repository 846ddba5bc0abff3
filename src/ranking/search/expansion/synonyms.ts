/** Synonym rules by the words that must be typed. Rules change while searches are answered. */
import { type Analyser, tokensOf } from '../analysis/analyser.ts';
import { joinSizes } from '../analysis/sizes.ts';
import type { Token } from '../analysis/tokens.ts';
import type { Synonym } from '../settings.ts';

/** Tokens of a word or phrase. */
export type Phrase = readonly Token[];

export type Synonyms = ReturnType<typeof createSynonyms>;

/** Words of a phrase that are read. */
const longestPhrase = 8;

/** Typed words of a rule, and the phrases that are searched too. */
type Entry = { name: string; key: string; length: number; phrases: readonly Phrase[] };

type StoredRule = { rule: Synonym; entries: Entry[] };

const none: readonly Phrase[] = [];

/** Prefix of the names of the deployment's rules, which no other rule can have. */
const declaredPrefix = '\u0000';

const phraseOf = (text: string): Phrase => tokensOf(text, longestPhrase);

/**
 * Returns the words by which a query types a phrase: `t-shirt` and `10 x 15` are one word where the
 * index knows them, else more.
 */
function waysToType(phrase: Phrase): string[][] {
  const whole = phrase.map(({ text }) => text);
  const apart = phrase.flatMap(({ text, parts = [text] }) => parts);
  const joined = joinSizes(phrase).map(({ text }) => text);
  return [whole, ...[apart, joined].filter(({ length }) => length !== whole.length)];
}

/** An order that is the same on all nodes, whatever the order of changes. */
const byName = (a: Entry, b: Entry): number => (a.name < b.name ? -1 : Number(a.name > b.name));

type RuleAnalyser = Pick<Analyser, 'termOf' | 'isStopWord'>;

const keyOf = (words: readonly string[], { termOf }: RuleAnalyser): string => words.map(termOf).join(' ');

function entriesOf(name: string, rule: Synonym, analyser: RuleAnalyser): Entry[] {
  const from = ('words' in rule ? rule.words : rule.from).map(phraseOf);
  const to = 'words' in rule ? from : rule.to.map(phraseOf);
  return from.flatMap((phrase) => {
    if (phrase.length === 0) return [];
    const telling = phrase.filter(({ text }) => !analyser.isStopWord(text));
    const phrases = to.filter((other) => other !== phrase && other.length > 0);
    const typed = waysToType(telling.length > 0 ? telling : phrase);
    return typed.map((words) => ({ name, key: keyOf(words, analyser), length: words.length, phrases }));
  });
}

/**
 * Compares words by their terms, so that a rule for `sofa` serves `sofas`, and without stop words,
 * as queries have none.
 */
export function createSynonyms(rules: readonly Synonym[], analyser: RuleAnalyser) {
  const ruleByName = new Map<string, StoredRule>();
  const entriesByKey = new Map<string, Entry[]>();
  let longest = 0;
  let revision = 0;

  const remove = (name: string): Synonym | undefined => {
    const former = ruleByName.get(name);
    for (const entry of former?.entries ?? []) {
      const others = entriesByKey.get(entry.key)!.filter((one) => one !== entry);
      if (others.length > 0) entriesByKey.set(entry.key, others);
      else entriesByKey.delete(entry.key);
    }
    ruleByName.delete(name);
    if (ruleByName.size === 0) longest = 0;
    return former?.rule;
  };
  /** Sets the rule of a name, or removes it when undefined. Returns the former rule. */
  const put = (name: string, rule: Synonym | undefined): Synonym | undefined => {
    revision += 1;
    const former = remove(name);
    if (rule === undefined) return former;
    const entries = entriesOf(name, rule, analyser);
    ruleByName.set(name, { rule, entries });
    for (const entry of entries) {
      const all = [...(entriesByKey.get(entry.key) ?? []), entry];
      entriesByKey.set(entry.key, all.sort(byName));
      longest = Math.max(longest, entry.length);
    }
    return former;
  };
  for (const [i, rule] of rules.entries()) put(`${declaredPrefix}${String(i).padStart(6, '0')}`, rule);

  return {
    /** Maximum number of typed words of a rule; 0 without rules. */
    get longest(): number {
      return longest;
    },
    /** Grows with every change. */
    get revision(): number {
      return revision;
    },
    /** Returns the phrases that are searched too when words are typed side by side. */
    expansionsOf: (words: readonly string[]): readonly Phrase[] =>
      entriesByKey.get(keyOf(words, analyser))?.flatMap(({ phrases }) => phrases) ?? none,
    put,
    /** Runs synchronous work as if the rule were in force. */
    try<T>(name: string, rule: Synonym, work: () => T): T {
      const former = put(name, rule);
      try {
        return work();
      } finally {
        put(name, former);
      }
    },
  };
}
