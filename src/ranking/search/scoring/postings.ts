/** Posting lists: seeking in them, the lists that fill a slot of a query, and items that words share. */
import type { TextIndex } from '../index/index.ts';
import type { PostingRange, Segment } from '../index/segment.ts';
import { impactMask, titleFlag } from '../index/weights.ts';
import { saturation } from '../settings.ts';
import type { Alternative, Slot } from '../slot.ts';

/** The ascending documents docs[start] … docs[end - 1], with the next entry to read. */
export type PostingDocs = { docs: Int32Array; start: number; end: number; cursor: number };

export type ScanList = PostingRange & {
  /** Score of one step of impact, in 1/1024. */
  scale: number;
  /** Next entry to read. */
  cursor: number;
};

/** The lists that fill one word of a query, better ones first. The first list that has a document counts. */
export type ScanSlot = {
  lists: ScanList[];
  /** Upper bound of a document's score from this slot, in 1/1024. */
  maxScore: number;
  postingCount: number;
};

/** Scores are whole numbers of 1/1024, so that a sum does not depend on the order of its parts. */
export const scoreUnits = 1_024;

/**
 * More documents of the rarer word than this, and a phrase is not looked for: reading the streams
 * takes too long.
 */
const maxPhraseDocuments = 1_000;
/** Documents of a union; commoner terms than fit are left out. */
const maxUnionDocuments = 100_000;
/** Phrases cached per segment. */
const maxCachedPhrases = 5_000;
/** Entries of the rarer word that are compared when shared items are counted. */
const maxComparedEntries = 500;

function scaleOf(weight: number): number {
  return (weight * scoreUnits) / impactMask;
}

/** Returns the score of an impact in 1/1024, at least 1, so that 0 means no match. */
export function scoreOfImpact(impact: number, weight: number): number {
  return (impact * scaleOf(weight) + 1) | 0;
}

/**
 * Returns the first entry at or after `from` with a document not below `target`; gallops in
 * doubling steps.
 */
export function seek(docs: Int32Array, from: number, end: number, target: number): number {
  if (from >= end || docs[from] >= target) return from;
  let step = 1;
  let low = from;
  while (low + step < end && docs[low + step] < target) {
    low += step;
    step *= 2;
  }
  let high = Math.min(end, low + step);
  while (low + 1 < high) {
    const middle = (low + high) >>> 1;
    if (docs[middle] < target) low = middle;
    else high = middle;
  }
  return high;
}

type TermGroup = Pick<Alternative, 'terms' | 'match'>;

/** A slot with its rarity: that of its alternatives together, without words that it is a part of. */
export type WeightedSlot = Slot & { rarity: number };

const isUnion = ({ match }: TermGroup): boolean => match === 'any' || match === 'part';

/** Returns an upper bound of the number of items that have an alternative. */
function frequencyOf({ documentFrequency }: TextIndex, alternative: Alternative): number {
  const frequencies = alternative.terms.map(documentFrequency);
  return isUnion(alternative) ? frequencies.reduce((sum, one) => sum + one, 0) : Math.min(...frequencies);
}

/**
 * Rarity of a number, and of a word for sizes, beside that of the commonest other word: `16` never
 * outweighs `iphone`.
 */
const numberShare = 0.5;
const sizeWordShare = 0.05;
/** Gain of the last other word of a short query, which names the kind of thing. */
const headShare = 1.35;
const mostWithHead = 5;
const numberPattern = /^\d+(?:\.\d+)?$/;
const sizeWords = new Set(
  'size sz grosse gr maat taille talla taglia tamanho storlek storrelse koko'.split(' '),
);

export function weighSlots(index: TextIndex, slots: readonly Slot[]): WeightedSlot[] {
  const weighted = weighEach(index, slots);
  const shareOf = ({ word }: Slot): number =>
    sizeWords.has(word) ? sizeWordShare : numberPattern.test(word) ? numberShare : 1;
  const words = weighted.filter((slot) => shareOf(slot) === 1);
  if (words.length === 0 || slots.length < 2) return weighted;
  const commonest = Math.min(...words.map(({ rarity }) => rarity));
  const headAt = index.words.languages.every((one) => index.analyserOf(one).isHeadFirst) ? 0 : -1;
  const head = slots.length <= mostWithHead ? words.at(headAt) : undefined;
  return weighted.map((slot) => {
    const share = slot === head ? headShare : shareOf(slot);
    const rarity = share < 1 ? Math.min(slot.rarity, share * commonest) : slot.rarity * share;
    return { ...slot, rarity };
  });
}

function weighEach(index: TextIndex, slots: readonly Slot[]): WeightedSlot[] {
  const total = Math.max(1, index.documentCount);
  return slots.map((slot) => {
    const whole = slot.alternatives.filter(({ match }, i) => i === 0 || match !== 'part');
    const sum = whole.reduce((all, alternative) => all + frequencyOf(index, alternative), 0);
    const frequency = Math.min(sum, total);
    return { ...slot, rarity: Math.log(1 + (total - frequency + 0.5) / (frequency + 0.5)) };
  });
}

/** Returns the score of the highest impact under an alternative of a slot. */
export function topScore(slot: WeightedSlot, alternative: Alternative): number {
  return slot.rarity * alternative.weight * (saturation + 1);
}

/** Whether a field of the document has the terms side by side. */
function hasPhrase(index: TextIndex, segment: Segment, ordinal: number, terms: readonly number[]): boolean {
  const { values } = segment.streams;
  let at = segment.streamStarts[ordinal];
  for (let field = 0; field < index.fields.length; field++) {
    const end = at + 1 + values[at];
    for (at += 1; at + terms.length <= end; at++)
      if (terms.every((term, i) => index.words.termAt(values[at + i]) === term)) return true;
    at = end;
  }
  return false;
}

function rangeOf(docs: readonly number[], payloads: readonly number[]): PostingRange {
  const maxImpact = payloads.reduce((max, payload) => Math.max(max, payload & impactMask), 0);
  return {
    docs: Int32Array.from(docs),
    payloads: Uint16Array.from(payloads),
    start: 0,
    end: docs.length,
    maxImpact,
  };
}

/** The documents with all terms, side by side for a phrase. The payloads are those of the rarest term. */
function intersection(
  index: TextIndex,
  segment: Segment,
  { terms, match }: TermGroup,
): PostingRange | undefined {
  const ranges = terms.map((term) => segment.postings(term));
  if (ranges.includes(undefined)) return undefined;
  const [rarest, ...others] = (ranges as PostingRange[]).sort((a, b) => a.end - a.start - (b.end - b.start));
  if (rarest.end - rarest.start > maxPhraseDocuments) return undefined;
  const docs: number[] = [];
  const payloads: number[] = [];
  for (let at = rarest.start; at < rarest.end; at++) {
    const doc = rarest.docs[at];
    const places = others.map((other) => seek(other.docs, other.start, other.end, doc));
    if (places.some((place, i) => place >= others[i].end || others[i].docs[place] !== doc)) continue;
    if (match === 'phrase' && !hasPhrase(index, segment, doc, terms)) continue;
    const inTitle = places.every((place, i) => others[i].payloads[place] & titleFlag);
    docs.push(doc);
    payloads.push(inTitle ? rarest.payloads[at] : rarest.payloads[at] & impactMask);
  }
  return rangeOf(docs, payloads);
}

/**
 * The documents with any of the terms. The payload has the highest impact, and the title flag when
 * one of them has it and they mean the word itself.
 */
function union(segment: Segment, { terms, match }: TermGroup): PostingRange {
  const kept = match === 'part' ? 0 : titleFlag;
  const payloadByDoc = new Map<number, number>();
  for (const term of terms) {
    const range = segment.postings(term);
    if (!range || payloadByDoc.size + range.end - range.start > maxUnionDocuments) continue;
    for (let at = range.start; at < range.end; at++) {
      const before = payloadByDoc.get(range.docs[at]) ?? 0;
      const payload = range.payloads[at];
      const impact = Math.max(before & impactMask, payload & impactMask);
      payloadByDoc.set(range.docs[at], impact | ((before | payload) & kept));
    }
  }
  const docs = [...payloadByDoc.keys()].sort((a, b) => a - b);
  return rangeOf(
    docs,
    docs.map((doc) => payloadByDoc.get(doc)!),
  );
}

/** Returns the postings of an alternative in a segment; undefined when there are none. */
export function postingsOf(index: TextIndex, segment: Segment, group: TermGroup): PostingRange | undefined {
  const { terms, match } = group;
  if (terms.length === 1 && match !== 'part') return segment.postings(terms[0]);
  const { phrases, docCount } = segment;
  if (phrases.docCount !== docCount || phrases.ranges.size >= maxCachedPhrases) {
    phrases.ranges.clear();
    phrases.docCount = docCount;
  }
  const key = `${match} ${terms}`;
  if (!phrases.ranges.has(key))
    phrases.ranges.set(key, isUnion(group) ? union(segment, group) : intersection(index, segment, group));
  return phrases.ranges.get(key);
}

/** Returns what the scanner reads; undefined when the segment has nothing for the slot. */
export function scanSlotOf(index: TextIndex, segment: Segment, slot: WeightedSlot): ScanSlot | undefined {
  const scanSlot: ScanSlot = { lists: [], maxScore: 0, postingCount: 0 };
  for (const alternative of slot.alternatives) {
    const range = postingsOf(index, segment, alternative);
    if (!range || range.start === range.end) continue;
    const weight = topScore(slot, alternative);
    const { docs, payloads, start, end, maxImpact } = range;
    const scale = scaleOf(weight);
    scanSlot.lists.push({ docs, payloads, start, end, maxImpact, scale, cursor: start });
    scanSlot.maxScore = Math.max(scanSlot.maxScore, scoreOfImpact(maxImpact, weight));
    scanSlot.postingCount += end - start;
  }
  return scanSlot.lists.length > 0 ? scanSlot : undefined;
}

function countShared(segment: Segment, one: PostingRange, other: PostingRange): number {
  const [rarer, commoner] = one.end - one.start <= other.end - other.start ? [one, other] : [other, one];
  const end = Math.min(rarer.end, rarer.start + maxComparedEntries);
  let count = 0;
  let from = commoner.start;
  for (let at = rarer.start; at < end && from < commoner.end; at++) {
    const doc = rarer.docs[at];
    from = seek(commoner.docs, from, commoner.end, doc);
    if (from < commoner.end && commoner.docs[from] === doc) count += segment.alive[doc];
  }
  return count;
}

/** Counts items with a term of each list: those of the pair that shares the most, a lower bound. */
export function sharedDocuments(
  index: TextIndex,
  terms: readonly number[],
  others: readonly number[],
): number {
  const sharedBy = (term: number, other: number): number =>
    index.segments.reduce((sum, segment) => {
      const [one, two] = [segment.postings(term), segment.postings(other)];
      return one && two ? sum + countShared(segment, one, two) : sum;
    }, 0);
  return Math.max(0, ...terms.flatMap((term) => others.map((other) => sharedBy(term, other))));
}

/** Counts documents with an alternative; recently removed ones may be among them. */
export function countDocuments(index: TextIndex, group: TermGroup): number {
  return index.segments.reduce((sum, segment) => {
    const range = postingsOf(index, segment, group);
    return range ? sum + range.end - range.start : sum;
  }, 0);
}
