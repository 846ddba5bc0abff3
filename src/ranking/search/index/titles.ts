/**
 * Items by the hash of their folded title. Different titles may share a hash, so readers compare
 * the titles themselves.
 */
import { hashText } from '../../runtime/hash.ts';
import { foldTitle } from '../analysis/fold.ts';
import { createHashChains } from './hash-chains.ts';

function hashOf(text: string): number {
  const hash = hashText(text);
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
