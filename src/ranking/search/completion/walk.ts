/**
 * Visits the documents of a packed segment that have all typed words, the last one as a prefix,
 * best first: titles that begin with the first typed word, by popularity, and then the others.
 *
 * One word is one walk over the entries of its range. Among several words the one with the fewest
 * entries leads; whole words are looked up in their runs, prefixes in the bags of the documents.
 */
import { seek } from '../scoring/postings.ts';
import type { RangeMinimum } from './range-minimum.ts';
import { prefixRange, type TitleWords } from './title-words.ts';

/** Entries read for one request. */
const mostEntries = 20_000;

/** A prefix with more entries does not lead, as they would have to be sorted. */
const mostSorted = 2_000;

/** A typed word as ranks [from, to); a whole word has one rank, an unknown one none. */
type WordRange = { from: number; to: number; size: number };

/** Ascending document numbers, as entries less `offset`. */
type Run = { at: number; end: number; offset: number };

/** Takes ordinals; returns false when there are enough. */
export type Offer = (ordinal: number) => boolean;

function rangesOf(part: TitleWords, typed: readonly string[]): WordRange[] {
  return typed.map((word, i) => {
    const [from, beyond] = prefixRange(part, word);
    const to = i === typed.length - 1 ? beyond : part.words[from] === word ? from + 1 : from;
    return { from, to, size: part.entryStarts[to] - part.entryStarts[from] };
  });
}

/** Returns the runs of a word: titles that begin with it, and the others. */
function runsOf(part: TitleWords, rank: number): [first: Run, other: Run] {
  const { tree, size } = part.entries;
  const start = size + part.entryStarts[rank];
  const end = size + part.entryStarts[rank + 1];
  const split = seek(tree, start, end, part.docCount);
  return [
    { at: start, end: split, offset: 0 },
    { at: split, end, offset: part.docCount },
  ];
}

/** Whether a run has the document. Must be called with ascending documents. */
function has(tree: Int32Array, run: Run, number: number): boolean {
  run.at = seek(tree, run.at, run.end, number + run.offset);
  return run.at < run.end && tree[run.at] === number + run.offset;
}

function bagHas({ bags, ordinals }: TitleWords, number: number, { from, to }: WordRange): boolean {
  const { starts, ranks } = bags;
  const ordinal = ordinals[number];
  for (let at = starts[ordinal]; at < starts[ordinal + 1]; at++)
    if (ranks[at] >= from && ranks[at] < to) return true;
  return false;
}

/** Returns ascending document numbers, then -1. */
type Numbers = () => number;

function numbersIn({ tree }: RangeMinimum, run: Run): Numbers {
  return () => (run.at < run.end ? tree[run.at++] - run.offset : -1);
}

function numbersOfWord({ tree }: RangeMinimum, [a, b]: readonly [Run, Run]): Numbers {
  return () => {
    const fromA = a.at < a.end ? tree[a.at] - a.offset : Number.POSITIVE_INFINITY;
    const fromB = b.at < b.end ? tree[b.at] - b.offset : Number.POSITIVE_INFINITY;
    if (fromA <= fromB) a.at += 1;
    if (fromB <= fromA) b.at += 1;
    const least = Math.min(fromA, fromB);
    return least === Number.POSITIVE_INFINITY ? -1 : least;
  };
}

function numbersOfRange({ entries, entryStarts, docCount }: TitleWords, { from, to }: WordRange): Numbers {
  const { tree, size } = entries;
  const numbers = tree.slice(size + entryStarts[from], size + entryStarts[to]);
  for (let i = 0; i < numbers.length; i++) if (numbers[i] >= docCount) numbers[i] -= docCount;
  numbers.sort();
  let at = 0;
  return () => {
    while (at > 0 && at < numbers.length && numbers[at] === numbers[at - 1]) at += 1;
    return at < numbers.length ? numbers[at++] : -1;
  };
}

function numbersOf(part: TitleWords, range: WordRange): Numbers {
  return isWhole(range) ? numbersOfWord(part.entries, runsOf(part, range.from)) : numbersOfRange(part, range);
}

const isWhole = ({ from, to }: WordRange): boolean => to === from + 1;

/** Tests whether a document has all of the words. Must be called with ascending documents. */
function createTest(part: TitleWords, ranges: readonly WordRange[]): (number: number) => boolean {
  const { tree } = part.entries;
  const runs = ranges.filter(isWhole).map(({ from }) => runsOf(part, from));
  const prefixes = ranges.filter((range) => !isWhole(range));
  return (number) =>
    runs.every(([first, other]) => has(tree, first, number) || has(tree, other, number)) &&
    prefixes.every((range) => bagHas(part, number, range));
}

function walkOne(part: TitleWords, { from, to }: WordRange, offer: Offer): void {
  const { docCount, ordinals, entryStarts } = part;
  let left = mostEntries;
  part.entries.visit(entryStarts[from], entryStarts[to], (entry) => {
    left -= 1;
    return offer(ordinals[entry < docCount ? entry : entry - docCount]) && left > 0;
  });
}

/** Offers the documents that pass the test; returns false when there are enough. */
function offerAll(
  source: Numbers,
  test: (number: number) => boolean,
  offer: (number: number) => boolean,
): boolean {
  for (let left = mostEntries; left > 0; left--) {
    const number = source();
    if (number < 0) break;
    if (test(number) && !offer(number)) return false;
  }
  return true;
}

/** Reading a prefix in order of documents takes this many times longer than reading a word. */
const sortingCost = 3;

const costOf = (range: WordRange): number => (isWhole(range) ? range.size : range.size * sortingCost);

/** Offers titles that begin with the first typed word, then the others. */
function walkSeveral(part: TitleWords, ranges: readonly WordRange[], offer: Offer): void {
  const { entries, ordinals } = part;
  const canLead = ranges.filter((range) => isWhole(range) || range.size <= mostSorted);
  const lead = canLead.reduce((a, b) => (costOf(b) < costOf(a) ? b : a));
  const test = createTest(
    part,
    ranges.filter((range) => range !== lead),
  );
  const [begins] = runsOf(part, ranges[0].from);
  const offerNumber = (number: number): boolean => offer(ordinals[number]);
  if (begins.end - begins.at <= lead.size) {
    const [first] = runsOf(part, ranges[0].from);
    if (!offerAll(numbersIn(entries, begins), createTest(part, ranges.slice(1)), offerNumber)) return;
    const isOther = (number: number): boolean => !has(entries.tree, first, number) && test(number);
    offerAll(numbersOf(part, lead), isOther, offerNumber);
    return;
  }
  const others: number[] = [];
  const offerFirst = (number: number): boolean => {
    if (has(entries.tree, begins, number)) return offerNumber(number);
    others.push(number);
    return true;
  };
  if (offerAll(numbersOf(part, lead), test, offerFirst)) others.every(offerNumber);
}

export function walkTitles(part: TitleWords, typed: readonly string[], offer: Offer): void {
  const ranges = rangesOf(part, typed);
  if (ranges.some(({ size }) => size === 0)) return;
  if (ranges.length === 1) walkOne(part, ranges[0], offer);
  else walkSeveral(part, ranges, offer);
}
