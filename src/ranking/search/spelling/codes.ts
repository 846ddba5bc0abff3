/**
 * Codes by their beginning: `wh1000` for `WH-1000XM4`, as people type a model without its variant. A number is never part of
 * another: `a77` is not the beginning of `a770`.
 */
import { hasDigit } from '../analysis/tokens.ts';
import { lowerBound, type SortedWords } from '../correction/sorted-words.ts';
import type { Words } from '../index/words.ts';

const shortestCode = 4;
/** Codes of one beginning that are looked for. */
const mostCodes = 50;

function goesOn(code: string, beginning: string): boolean {
  return /\d$/.test(beginning) && /\d/.test(code[beginning.length] ?? '');
}

/** Terms of the codes that begin with a word of letters and digits; none for other words. */
export function codesWith(
  beginning: string,
  { sortedWords, words }: { sortedWords: Pick<SortedWords, 'lists'>; words: Words },
): number[] {
  if (beginning.length < shortestCode || !hasDigit(beginning) || !/\p{L}/u.test(beginning)) return [];
  const found: number[] = [];
  for (const { words: sorted } of sortedWords.lists()) {
    const from = lowerBound(sorted, beginning);
    for (let at = from; at < sorted.length && at < from + mostCodes; at++) {
      if (!sorted[at].startsWith(beginning)) break;
      if (!goesOn(sorted[at], beginning)) found.push(words.findTerm(sorted[at]));
    }
  }
  return found.filter((term) => term >= 0);
}
