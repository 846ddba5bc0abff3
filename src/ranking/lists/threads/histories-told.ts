/**
 * Histories that a thread remembers, so that each is told once. The thread and whoever tells it each keep such a memory and use
 * it in the same order, so both know what it holds without a word.
 */

import type { History } from '../../history.ts';
import { historyBytes } from '../../history.ts';
import { createCache } from '../../runtime/cache.ts';

export type ListHistory = Pick<History, 'entries' | 'impressions' | 'consumed'>;

/** Of all of them, in each thread: some 50,000 entries. */
const mostBytes = 10 * 1024 * 1024;

export type HistoryMemory<Kept extends object> = {
  get(historyId: number): Kept | undefined;
  set(historyId: number, kept: Kept, history: ListHistory): void;
  clear(): void;
};

export function createHistoryMemory<Kept extends object>(): HistoryMemory<Kept> {
  const remembered = createCache<{ kept: Kept; bytes: number }, number>({
    maxBytes: mostBytes,
    bytesOf: ({ bytes }) => bytes,
  });
  return {
    get: (historyId) => remembered.get(historyId)?.kept,
    set: (historyId, kept, history) => remembered.set(historyId, { kept, bytes: historyBytes(history) }),
    clear: remembered.clear,
  };
}

/** A number for each history, for ever the same. */
export function createHistoryNumbers(): (history: ListHistory) => number {
  const numbers = new WeakMap<ListHistory, number>();
  let last = 0;
  return (history) => {
    const known = numbers.get(history);
    if (known !== undefined) return known;
    last += 1;
    numbers.set(history, last);
    return last;
  };
}
