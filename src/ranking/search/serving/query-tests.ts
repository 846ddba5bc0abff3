/**
 * Tests of what was typed. A query is taken as its folded words; each test looks at every word once, a pattern at most once for
 * each of its own 32 words, whatever somebody types.
 */
import type { QueryTest } from '../../rules/search-rules.ts';
import { foldQuery } from './query-fingerprint.ts';

/** A folded query, the same with a space before and behind, and its words. */
export type TypedQuery = { folded: string; spaced: string; words: readonly string[] };

/** Words of a query that patterns look at. */
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

/** A step takes any number of words, or one that is or begins with a text. */
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

/** Goes back to the last `*` only, which is enough: what stands before it has found its first place already. */
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
