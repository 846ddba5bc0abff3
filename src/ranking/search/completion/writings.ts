/** Other ways to write what was typed: `note book` as one word, `notebook` and `note-book` as two that stand side by side. */
import type { Token } from '../analysis/tokens.ts';
import type { Title } from '../index/streams.ts';
import type { Words } from '../index/words.ts';

/** Words to look up; with a place when that one and the next were typed as one, and have to stand side by side. */
export type Writing = { words: string[]; cutAt?: number };

// Only words that no item holds are written otherwise. Doing so whenever too few items are found made
// a completion 25 % slower, since more than half of all requests find too few.
const shortestCut = 4;
/** Words of a query that are written otherwise: a longer one is prose. */
const mostWords = 8;

/** Two words as one, and one as two: where a sign stands in it, and wherever its beginning is a word. */
export function* writingsOf(tokens: readonly Token[], isWord: (word: string) => boolean): Generator<Writing> {
  if (tokens.length > mostWords) return;
  const words = tokens.map(({ text }) => text);
  for (let at = 0; at + 1 < words.length; at++)
    yield { words: words.toSpliced(at, 2, words[at] + words[at + 1]) };
  for (const [at, { text, parts }] of tokens.entries()) {
    if (parts?.length === 2) yield { words: words.toSpliced(at, 1, ...parts), cutAt: at };
    for (let end = 1; text.length >= shortestCut && end < text.length; end++) {
      const first = text.slice(0, end);
      if (first !== parts?.[0] && isWord(first))
        yield { words: words.toSpliced(at, 1, first, text.slice(end)), cutAt: at };
    }
  }
}

/** Whether a title has the two words that were typed as one side by side. */
export function hasCut({ values, start, end }: Title, { words, cutAt = 0 }: Writing, known: Words): boolean {
  const isLast = cutAt + 2 === words.length;
  const [first, second] = words.slice(cutAt);
  for (let at = start; at + 1 < end; at++) {
    const next = known.surfaceAt(values[at + 1]);
    if (known.surfaceAt(values[at]) === first && (isLast ? next.startsWith(second) : next === second))
      return true;
  }
  return false;
}
