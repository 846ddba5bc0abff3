/**
 * Histories that a thread remembers, so that each is told once. The thread and whoever tells it each keep such a memory and use
 * it in the same order, so both know what it holds without a word.
 */

import { LRUCache } from 'lru-cache';
import type { History } from '../../repository/events/histories.ts';

export type ListHistory = Pick<History, 'entries' | 'impressions' | 'consumed'>;

/** Entries of all of them: some 8 MB a thread. */
const mostEntries = 50_000;

export type HistoryMemory<Kept extends object> = {
  get(historyId: number): Kept | undefined;
  set(historyId: number, kept: Kept, history: ListHistory): void;
  clear(): void;
};

export function createHistoryMemory<Kept extends object>(): HistoryMemory<Kept> {
  const kept = new LRUCache<number, Kept>({ maxSize: mostEntries });
  return {
    get: (historyId) => kept.get(historyId),
    set(historyId, one, { entries, impressions, consumed }) {
      kept.set(historyId, one, { size: 1 + entries.length + impressions.length + consumed.length });
    },
    clear: () => kept.clear(),
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
