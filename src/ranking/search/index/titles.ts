/**
 * Items by the hash of their folded title. Different titles may share a hash, so readers compare
 * the titles themselves.
 */
import { foldTitle } from '../analysis/fold.ts';
import { createHashChains } from './hash-chains.ts';

/** FNV-1a over UTF-16 units. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash ^ (hash >>> 15);
}

export function createTitles() {
  const chains = createHashChains();
  return {
    put(itemIndex: number, title: string): void {
      chains.remove(itemIndex);
      const folded = foldTitle(title);
      if (folded !== '') chains.add(itemIndex, hashOf(folded));
    },
    remove: chains.remove,
    /** Returns the items that may have the folded title, the newest first, at most `limit` of them. */
    find(foldedTitle: string, limit = Number.POSITIVE_INFINITY): number[] {
      const found: number[] = [];
      if (foldedTitle !== '') chains.visit(hashOf(foldedTitle), (itemIndex) => found.push(itemIndex) < limit);
      return found;
    },
  };
}
