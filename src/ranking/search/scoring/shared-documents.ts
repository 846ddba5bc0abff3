/** How many items have two words of a query, or two words side by side: what tells a likely correction from a strange one. */
import type { TextIndex } from '../index/index.ts';
import type { PostingRange, Segment } from '../index/segment.ts';
import { seek } from './posting-list.ts';
import { postingsOf } from './postings-of.ts';

/** Entries of the rarer word that are looked up; the count of a commoner one is that of its first items. */
const mostRead = 500;

function countShared(segment: Segment, one: PostingRange, other: PostingRange): number {
  const [rarer, commoner] = one.end - one.start <= other.end - other.start ? [one, other] : [other, one];
  const end = Math.min(rarer.end, rarer.start + mostRead);
  let count = 0;
  let from = commoner.start;
  for (let at = rarer.start; at < end && from < commoner.end; at++) {
    const document = rarer.docs[at];
    from = seek(commoner.docs, from, commoner.end, document);
    if (from < commoner.end && commoner.docs[from] === document) count += segment.alive[document];
  }
  return count;
}

/** Items with any of the terms and any of the others, at least by the commonest pair. */
export function sharedDocuments(
  index: TextIndex,
  terms: readonly number[],
  others: readonly number[],
): number {
  let most = 0;
  for (const term of terms) {
    for (const other of others) {
      let count = 0;
      for (const segment of index.segments) {
        const one = segment.postings(term);
        const two = segment.postings(other);
        if (one && two) count += countShared(segment, one, two);
      }
      most = Math.max(most, count);
    }
  }
  return most;
}

/** Items with the terms side by side. */
export function phraseDocuments(index: TextIndex, terms: readonly number[]): number {
  return index.segments.reduce((sum, segment) => {
    const range = postingsOf(index, segment, { terms, match: 'phrase' });
    return sum + (range ? range.end - range.start : 0);
  }, 0);
}
