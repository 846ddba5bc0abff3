/** Words and phrases that exclude a query from suggestions, compared folded and by whole words. */
import { foldQuery } from '../serving/query-fingerprint.ts';

/** Whether a phrase can match anything: it has a letter or digit. */
export function blockable(phrase: string): boolean {
  return /[\p{L}\p{N}]/u.test(foldQuery(phrase));
}

/** Returns a test whether a folded query has one of the phrases. */
export function createBlocklist(phrases: readonly string[]): (folded: string) => boolean {
  const blocked = new Set(phrases.map(foldQuery));
  const longest = Math.max(0, ...Array.from(blocked, (phrase) => phrase.split(' ').length));
  if (longest === 0) return () => false;
  return (folded) => {
    const words = folded.split(' ');
    return words.some((_, start) => {
      for (let end = start + 1; end <= Math.min(words.length, start + longest); end++)
        if (blocked.has(words.slice(start, end).join(' '))) return true;
      return false;
    });
  };
}
