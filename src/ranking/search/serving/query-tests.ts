/**
 * Tests of typed queries by their folded words. A test reads every word once, a pattern once for
 * each of its 32 words at most.
 */
import type { QueryTest } from '../../rules/search-rules.ts';
import { foldQuery } from './query-fingerprint.ts';

/** A folded query, the same between spaces, and its words. */
export type TypedQuery = { folded: string; spaced: string; words: readonly string[] };

/** Words of a query that patterns read. */
const mostWords = 64;

export function typedQuery(text: string): TypedQuery {
  const folded = foldQuery(text);
  return { folded, spaced: ` ${folded} `, words: folded.split(' ').slice(0, mostWords) };
}

export function compileTest({ form, text }: QueryTest): (query: TypedQuery) => boolean {
  if (form === 'pattern') return compilePattern(text);
  const wanted = foldQuery(text);
  if (form === 'exact') return ({ folded }) => folded === wanted;
  const inside = ` ${wanted} `;
  return ({ spaced }) => spaced.includes(inside);
}

/** A step matches any number of words, or one word that is or begins with a text. */
type Step = { any: true } | { any: false; text: string; isPrefix: boolean };

function compilePattern(pattern: string): (query: TypedQuery) => boolean {
  const steps = pattern
    .trim()
    .split(/\s+/)
    .flatMap((part): Step[] => {
      if (/^\*+$/.test(part)) return [{ any: true }];
      const isPrefix = part.endsWith('*');
      const words = foldQuery(part).split(' ');
      return words.map((text, i) => ({ any: false, text, isPrefix: isPrefix && i === words.length - 1 }));
    });
  return ({ words }) => takesAll(steps, words);
}

/** Backtracks to the last `*` only, which is enough: everything before it has matched at its first place. */
function takesAll(steps: readonly Step[], words: readonly string[]): boolean {
  let step = 0;
  let word = 0;
  let lastAny = -1;
  let resumeWord = 0;
  while (word < words.length) {
    const present = steps[step];
    if (present?.any) {
      lastAny = step++;
      resumeWord = word;
    } else if (present && takes(present, words[word])) {
      step += 1;
      word += 1;
    } else if (lastAny >= 0) {
      step = lastAny + 1;
      word = ++resumeWord;
    } else return false;
  }
  return steps.slice(step).every(({ any }) => any);
}

function takes(step: Step, word: string): boolean {
  return !step.any && (step.isPrefix ? word.startsWith(step.text) : word === step.text);
}
