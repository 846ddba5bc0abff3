/**
 * Items by the hash of their folded title. Different titles may share a hash, so readers compare
 * the titles themselves.
 */
import { foldTitle } from '../analysis/fold.ts';
import { createHashChains } from './hash-chains.ts';

export type Titles = {
  put(itemIndex: number, title: string): void;
  remove(itemIndex: number): void;
  /** Calls back for each item that may have the folded title, the newest first, at most `limit` of them. */
  visit(foldedTitle: string, limit: number, visit: (itemIndex: number) => void): void;
};

/** FNV-1a over UTF-16 units. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash ^ (hash >>> 15);
}

export function createTitles(): Titles {
  const chains = createHashChains();
  return {
    put(itemIndex, title) {
      chains.remove(itemIndex);
      const folded = foldTitle(title);
      if (folded !== '') chains.add(itemIndex, hashOf(folded));
    },
    remove: chains.remove,
    visit(foldedTitle, limit, visit) {
      let left = limit;
      if (left <= 0) return;
      chains.visit(hashOf(foldedTitle), (itemIndex) => {
        visit(itemIndex);
        return --left > 0;
      });
    },
  };
}
