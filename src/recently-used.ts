/**
 * What was used last, up to so many: the least recently used goes first.
 *
 * Bounded by size, one each, because a cache that lru-cache bounds by number sets all its room aside when it is made: 40 ms
 * of a start, and 10 MB, for callers who may never come.
 */
import { LRUCache } from 'lru-cache';

/** @param most at least 1 */
export function createRecentlyUsed<Value extends NonNullable<unknown>>(most: number) {
  return new LRUCache<string, Value>({ maxSize: most, sizeCalculation: () => 1 });
}
