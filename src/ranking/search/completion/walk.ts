/**
 * Visits the documents of a packed segment that have all typed words, the last one as a prefix,
 * best first: titles that begin with the first typed word, by popularity, and then the others.
 *
 * One word is one walk over the entries of its range. Among several words the one with the fewest
 * entries leads; the others are looked up in the bags of the documents.
 */
import { seek } from '../scoring/postings.ts';
import { prefixRange, type TitleWords } from './title-words.ts';

/** Entries read for one request. */
const mostEntries = 20_000;

/** A prefix with more entries does not lead, as they would have to be sorted. */
const mostSorted = 2_000;
/** Reading a prefix in order of documents takes this many times longer than reading a word. */
const sortingCost = 3;

/** A typed word as ranks [from, to); a whole word has one rank, an unknown one none. */
type WordRange = { from: number; to: number; size: number };

/** Takes ordinals; returns false when there are enough. */
export type Offer = (ordinal: number) => boolean;

function rangesOf(part: TitleWords, typed: readonly string[]): WordRange[] {
  return typed.map((word, i) => {
    const [from, beyond] = prefixRange(part, word);
    const to = i === typed.length - 1 ? beyond : part.words[from] === word ? from + 1 : from;
    return { from, to, size: part.entryStarts[to] - part.entryStarts[from] };
  });
}

const isWhole = ({ from, to }: WordRange): boolean => to === from + 1;

/** Whether a document has a word of the range, at the beginning of its title if `first`. */
function bagHas({ bags }: TitleWords, ordinal: number, { from, to }: WordRange, first = false): boolean {
  const { starts, ranks, isFirst } = bags;
  for (let at = starts[ordinal]; at < starts[ordinal + 1]; at++)
    if (ranks[at] >= from && ranks[at] < to && (!first || isFirst[at] === 1)) return true;
  return false;
}

/** Returns the ascending numbers of documents with a title that begins with a word. */
function beginning({ entries: { tree, size }, entryStarts, docCount }: TitleWords, rank: number): Int32Array {
  const start = size + entryStarts[rank];
  return tree.subarray(start, seek(tree, start, size + entryStarts[rank + 1], docCount));
}

/** Returns the ascending document numbers of a range. */
function* numbersOf(part: TitleWords, range: WordRange): Generator<number> {
  const { tree, size } = part.entries;
  const { docCount } = part;
  const start = size + part.entryStarts[range.from];
  const end = size + part.entryStarts[range.to];
  if (!isWhole(range)) {
    const numbers = tree.slice(start, end);
    for (let i = 0; i < numbers.length; i++) if (numbers[i] >= docCount) numbers[i] -= docCount;
    numbers.sort();
    for (let i = 0; i < numbers.length; i++) if (numbers[i] !== numbers[i - 1]) yield numbers[i];
    return;
  }
  const split = seek(tree, start, end, docCount);
  for (let a = start, b = split; a < split || b < end; ) {
    const isFirst = b >= end || (a < split && tree[a] <= tree[b] - docCount);
    yield isFirst ? tree[a++] : tree[b++] - docCount;
  }
}

function walkOne(part: TitleWords, { from, to }: WordRange, offer: Offer): void {
  const { docCount, ordinals, entryStarts } = part;
  let left = mostEntries;
  part.entries.visit(entryStarts[from], entryStarts[to], (entry) => {
    left -= 1;
    return offer(ordinals[entry < docCount ? entry : entry - docCount]) && left > 0;
  });
}

/** Offers titles that begin with the first typed word, then the others. */
function walkSeveral(part: TitleWords, ranges: readonly WordRange[], offer: Offer): void {
  const costOf = (range: WordRange): number => (isWhole(range) ? range.size : range.size * sortingCost);
  const canLead = ranges.filter((range) => isWhole(range) || range.size <= mostSorted);
  const lead = canLead.reduce((a, b) => (costOf(b) < costOf(a) ? b : a));
  const [first] = ranges;
  /** Offers documents with all words, beside the one that they are known to have; returns whether more are wanted. */
  const offerAll = (known: WordRange, numbers: Iterable<number>, offerOne: Offer): boolean => {
    const asked = ranges.filter((range) => range !== known).sort((a, b) => a.size - b.size);
    let left = mostEntries;
    for (const number of numbers) {
      if (left-- === 0) break;
      const ordinal = part.ordinals[number];
      let found = 0;
      while (found < asked.length && bagHas(part, ordinal, asked[found])) found += 1;
      if (found === asked.length && !offerOne(ordinal)) return false;
    }
    return true;
  };
  const isFirst: Offer = (ordinal) => bagHas(part, ordinal, first, true);
  const begins = beginning(part, first.from);
  if (begins.length <= lead.size) {
    if (offerAll(first, begins, offer))
      offerAll(lead, numbersOf(part, lead), (one) => isFirst(one) || offer(one));
    return;
  }
  const others: number[] = [];
  const offerFirst: Offer = (ordinal) => (isFirst(ordinal) ? offer(ordinal) : others.push(ordinal) > 0);
  if (offerAll(lead, numbersOf(part, lead), offerFirst)) others.every(offer);
}

export function walkTitles(part: TitleWords, typed: readonly string[], offer: Offer): void {
  const ranges = rangesOf(part, typed);
  if (ranges.some(({ size }) => size === 0)) return;
  if (ranges.length === 1) walkOne(part, ranges[0], offer);
  else walkSeveral(part, ranges, offer);
}
