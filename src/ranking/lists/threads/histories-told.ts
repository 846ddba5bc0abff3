/**
 * Caches histories in a thread, so that each is sent once. Sender and thread apply the same
 * operations in the same order, so the sender knows the thread's cache without messages.
 */

import type { History } from '../../history.ts';
import { historyBytes } from '../../history.ts';
import { createCache } from '../../runtime/cache.ts';

export type ListHistory = Pick<History, 'entries' | 'impressions' | 'consumed'>;

/** Limit for each thread: about 50,000 entries. */
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

/** Assigns each history a permanent number. */
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
